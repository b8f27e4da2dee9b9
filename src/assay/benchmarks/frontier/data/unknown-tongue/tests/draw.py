"""Draws words of a made-up tongue, and pairs of a word and a wrong word: `ASSAY_SEED=7 python draw.py`.

Writes workspace/problem.json (for solve.py) and truth/truth.json (for the score).
"""

import json
import os
import random
from pathlib import Path

LETTERS, VOWELS = "abcdefghijklmnopqr", 6
WORDS, PAIRS = 500, 1600
EXCEPTIONS = 0.15
RULES = ["harmony", "ends", "distinct", "codas", "even", "second", "length", "heavy"]


class Tongue:
    """The choices that make a tongue: classes of letters and maps between letters."""

    def __init__(self, source):
        letters = source.sample(LETTERS, len(LETTERS))
        self.classes = [letters[:3], letters[3:6]]
        self.consonants = letters[6:]
        shift = source.sample(self.consonants, len(self.consonants))
        self.last = {one: two for one, two in zip(shift, shift[1:] + shift[:1])}
        self.second = {vowel: group[(place + 1) % 3] for group in self.classes for place, vowel in enumerate(group)}
        self.codas = source.sample(self.consonants, 4)
        self.short = set(source.sample(self.consonants, 6))


def onsets(tongue, count, broken, source):
    """The consonants that begin the syllables: all distinct, the last one by the first."""
    first = source.choice([one for one in tongue.consonants if (one in tongue.short) == (count % 2 == 1)])
    if broken == "length":
        first = source.choice([one for one in tongue.consonants if (one in tongue.short) != (count % 2 == 1)])
    last = tongue.last[first]
    if broken == "ends":
        last = source.choice([one for one in tongue.consonants if one not in (first, last)])
    middle = source.sample([one for one in tongue.consonants if one not in (first, last)], count - 2)
    if broken == "distinct":
        middle[source.randrange(len(middle))] = source.choice([first, last])
    return [first, *middle, last]


def vowels(tongue, count, broken, source):
    """One class of vowels; the second vowel by the first."""
    group, other = source.sample(tongue.classes, 2)
    found = [source.choice(group) for _ in range(count)]
    found[1] = tongue.second[found[0]]
    if broken == "second":
        found[1] = source.choice([vowel for vowel in group if vowel != tongue.second[found[0]]])
    if broken == "harmony":
        found[source.randrange(2, count)] = source.choice(other)
    return found


def closings(tongue, count, broken, source):
    """Consonants that end syllables: few kinds, an even number of them, and never in two syllables in a row."""
    while True:
        closed = [source.random() < 0.45 for _ in range(count)]
        touching = any(one and two for one, two in zip(closed, closed[1:]))
        if sum(closed) % 2 == (broken == "even") and touching == (broken == "heavy") and (any(closed) or broken != "codas"):
            break
    found = [source.choice(tongue.codas) if one else "" for one in closed]
    if broken == "codas":
        place = source.choice([number for number, one in enumerate(closed) if one])
        found[place] = source.choice([one for one in tongue.consonants if one not in tongue.codas])
    return found


def word(tongue, broken, source):
    """A word that follows all rules but the broken one."""
    count = source.choice([3, 4, 5, 6])
    parts = [make(tongue, count, broken, source) for make in (onsets, vowels, closings)]
    return "".join(map("".join, zip(*parts)))


def main():
    source = random.Random(int(os.environ.get("ASSAY_SEED", "7")))
    tongue = Tongue(source)
    words = []
    for _ in range(WORDS):
        words.append(word(tongue, source.choice(RULES) if source.random() < EXCEPTIONS else None, source))
    pairs, right = [], []
    for number in range(PAIRS):
        both = [word(tongue, None, source), word(tongue, RULES[number % len(RULES)], source)]
        right.append(source.randrange(2))
        pairs.append(both if right[-1] == 0 else both[::-1])
    order = source.sample(range(PAIRS), PAIRS)
    for folder in ("workspace", "truth"):
        Path(folder).mkdir(exist_ok=True)
    problem = {"words": words, "pairs": [pairs[number] for number in order]}
    Path("workspace/problem.json").write_text(json.dumps(problem))
    Path("truth/truth.json").write_text(json.dumps({"right": [right[number] for number in order]}))


if __name__ == "__main__":
    main()
