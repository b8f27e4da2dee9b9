"""Learns the numbers of eight rules from the words, and counts the rules that a word breaks. Run: `python solve.py`."""

import json
from collections import Counter, defaultdict
from pathlib import Path


def syllables(word, vowels):
    """The word in triples of beginning, vowel and end, which may be empty."""
    places = [number for number, letter in enumerate(word) if letter in vowels]
    parts = []
    for place, following in zip(places, [*places[1:], None]):
        stop = len(word) if following is None else following - 1
        parts.append((word[place - 1], word[place], word[place + 1 : stop]))
    return parts


def most(counters):
    """The most frequent partner of each letter."""
    return {letter: counter.most_common(1)[0][0] for letter, counter in counters.items()}


class Rules:
    """What most words have in common; some of the given words are wrong."""

    def __init__(self, words):
        self.vowels = {word[1] for word in words}
        ends, seconds, lengths = defaultdict(Counter), defaultdict(Counter), defaultdict(Counter)
        together, codas = defaultdict(Counter), Counter()
        for word in words:
            parts = syllables(word, self.vowels)
            ends[parts[0][0]][parts[-1][0]] += 1
            seconds[parts[0][1]][parts[1][1]] += 1
            lengths[parts[0][0]][len(parts) % 2] += 1
            for vowel in {part[1] for part in parts}:
                together[vowel].update({part[1] for part in parts})
            codas.update(part[2] for part in parts)
        self.together = {(one, two) for one in together for two, _ in together[one].most_common(3)}
        self.codas = {end for end, count in codas.items() if count > 0.02 * codas.total()}
        self.ends, self.seconds, self.lengths = most(ends), most(seconds), most(lengths)

    def broken(self, word):
        """How many rules a word breaks."""
        parts = syllables(word, self.vowels)
        begins, middles, closed = zip(*parts)
        return sum([
            any((one, two) not in self.together for one in middles for two in middles),
            self.ends.get(begins[0]) != begins[-1],
            len(set(begins)) < len(begins),
            any(end not in self.codas for end in closed),
            sum(map(bool, closed)) % 2 == 1,
            self.seconds.get(middles[0]) != middles[1],
            self.lengths.get(begins[0]) != len(parts) % 2,
            any(one and two for one, two in zip(closed, closed[1:])),
        ])


def main():
    problem = json.loads(Path("problem.json").read_text())
    rules = Rules(problem["words"])
    right = [int(rules.broken(two) < rules.broken(one)) for one, two in problem["pairs"]]
    Path("answers.json").write_text(json.dumps({"right": right}))


if __name__ == "__main__":
    main()
