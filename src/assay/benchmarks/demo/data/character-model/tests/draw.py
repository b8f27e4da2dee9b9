"""Draws a language and writes its texts: `ASSAY_SEED=7 python draw.py`, in an empty folder.

Grading runs this with a seed that nobody knows, so that a model is trained and asked in a language that was never
published. `workspace/training.txt` is for the build; `truth/hidden.json` and `truth/language.json`, which says how much
harder than usual this language is, are for the evaluator.

The text is ours: sentences of a language that a seed invents. Sounds follow one another by fixed odds and make a
lexicon; words belong to classes; classes follow one another by fixed odds; the ending of a noun comes back on its
verb. The lexicon is far larger than what the parameters can hold, so a model must find out what is worth knowing.
`choices` are the bits per character that the choices behind the hidden text carry: about what a model that knows the
whole language would need.
"""

import json
import os
import random
from collections import Counter
from math import log2
from pathlib import Path

TRAINING_ENTRIES, HIDDEN_ENTRIES = 5000, 180
ASKED = 130
"""Characters of a hidden entry that the evaluator asks for."""
USUAL_CHOICES, USUAL_TRIGRAMS = 1.017, 2.163
CHOICES_WEIGHT, TRIGRAMS_WEIGHT = 0.7, 1.1
"""How the score of the solution moved with both figures of a language, over 16 languages: bits for each bit."""
CONSONANTS, VOWELS = "bdfghklmnprstvz", "aeiou"
ALPHABET = "".join(sorted("\n ." + (CONSONANTS + VOWELS).upper() + CONSONANTS + VOWELS))
"""The same for every language, whether or not each letter comes."""
ENDINGS = ["a", "en", "il", "os", "um"]
"""Noun classes: the ending of a noun comes back on the verb of its sentence."""
FAVOURITES = 0.6
"""How often an adjective is followed by one of its own nouns."""
CLASSES = {"article": 8, "adjective": 260, "noun": 420, "verb": 260, "preposition": 16, "adverb": 60}
FRAMES = {
    "start": {"article": 6, "adverb": 2, "noun": 2},
    "article": {"noun": 6, "adjective": 4},
    "adjective": {"noun": 8, "adjective": 2},
    "noun": {"verb": 6, "preposition": 3, "end": 1},
    "verb": {"article": 4, "adverb": 2, "preposition": 2, "end": 4},
    "preposition": {"article": 6, "noun": 4},
    "adverb": {"verb": 3, "article": 4, "end": 3},
}


class Language:
    """Sounds, lexicon and grammar, all drawn from one seed."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        sounds = CONSONANTS + VOWELS
        self.odds = {each: self._odds(each, sounds) for each in ["", *sounds]}
        self.words, used = {}, set()
        for name, number in CLASSES.items():
            found = []
            while len(found) < number:
                word = self._word(1 if name in ("article", "preposition") else 2)
                if word not in used:
                    used.add(word)
                    found.append(word)
            self.words[name] = found
        self.weights = {name: [1 / (rank + 3) for rank in range(len(words))] for name, words in self.words.items()}
        self.gender = {word: self.random.randrange(len(ENDINGS)) for word in self.words["noun"]}
        self.followers = {word: self._favourites("noun") for word in self.words["adjective"]}

    def _odds(self, sound, sounds):
        """What follows a sound: mostly vowels after consonants and the other way round, some far more than others."""
        wanted = CONSONANTS if sound in VOWELS and sound else VOWELS if sound else sounds
        return [self._rarely() * (12 if each in wanted else 1) for each in sounds]

    def _rarely(self):
        """From 0 to 1, mostly small; multiplied out, since powers differ in the last bit from machine to machine."""
        value = self.random.random()
        return value * value * value * value

    def _word(self, least):
        sounds, word = CONSONANTS + VOWELS, ""
        length = self.random.randint(least + 1, least + 4)
        while len(word) < length or word[-1] not in CONSONANTS:
            word += self.random.choices(sounds, self.odds[word[-1:]])[0]
            if len(word) > 9:
                word = ""
        return word

    def _favourites(self, name):
        """The few words that mostly come after a word."""
        return self.random.choices(self.words[name], self.weights[name], k=3)


class Writer:
    """Writes one entry after another."""

    def __init__(self, language, seed):
        self.language, self.random, self.bits = language, random.Random(seed), 0.0

    def word(self, name, before):
        """A word of a class; after an adjective, mostly one of its own nouns."""
        favourites = self.language.followers.get(before) if name == "noun" else None
        words, weights = self.language.words[name], self.language.weights[name]
        if favourites and self.random.random() < FAVOURITES:
            word = self.random.choice(favourites)
        else:
            word = self.random.choices(words, weights)[0]
        odds = weights[words.index(word)] / sum(weights)
        if favourites:
            odds = (1 - FAVOURITES) * odds + FAVOURITES * favourites.count(word) / len(favourites)
        self.bits -= log2(odds)
        return word

    def sentence(self):
        """Words with their endings: nouns carry their own, verbs that of the last noun."""
        state, words, before, ending = "start", [], None, ENDINGS[0]
        while True:
            odds = FRAMES[state]
            state = self.random.choices(list(odds), list(odds.values()))[0]
            self.bits -= log2(odds[state] / sum(odds.values()))
            if state == "end" or len(words) > 24:
                return (" ".join(words) + ".").capitalize()
            before = self.word(state, before)
            if state == "noun":
                ending = ENDINGS[self.language.gender[before]]
            words.append(before + (ending if state in ("noun", "verb") else ""))

    def entry(self):
        """Two sentences on a line."""
        return self.sentence() + " " + self.sentence() + "\n"


def trigram_bits(text, passages):
    """Bits per character of the hidden entries for a table of three characters in a row, counted in the training text."""
    threes, pairs = Counter(), Counter()
    for entry in text.splitlines(keepends=True):
        padded = "\n\n" + entry
        threes.update(padded[at : at + 3] for at in range(len(entry)))
        pairs.update(padded[at : at + 2] for at in range(len(entry)))
    bits = number = 0
    for passage in passages:
        padded = "\n\n" + passage
        for at in range(min(len(passage), ASKED)):
            odds = (threes[padded[at : at + 3]] + 0.05) / (pairs[padded[at : at + 2]] + 0.05 * len(ALPHABET))
            bits, number = bits - log2(odds), number + 1
    return bits / number


def main(seed, workspace, truth):
    language = Language(f"{seed} language")
    training, hidden = Writer(language, f"{seed} training"), Writer(language, f"{seed} hidden")
    text = "".join(training.entry() for _ in range(TRAINING_ENTRIES))
    passages = [hidden.entry() for _ in range(HIDDEN_ENTRIES)]
    choices, trigrams = hidden.bits / sum(map(len, passages)), trigram_bits(text, passages)
    harder = CHOICES_WEIGHT * (choices - USUAL_CHOICES) + TRIGRAMS_WEIGHT * (trigrams - USUAL_TRIGRAMS)
    figures = {"choices": round(choices, 4), "trigrams": round(trigrams, 4), "harder_by": round(harder, 4)}
    for folder in (workspace, truth):
        folder.mkdir(exist_ok=True)
        (folder / "alphabet.json").write_text(json.dumps(ALPHABET) + "\n")
    (workspace / "training.txt").write_text(text)
    (truth / "hidden.json").write_text(json.dumps(passages, indent=0) + "\n")
    (truth / "language.json").write_text(json.dumps(figures) + "\n")
    print(figures)


if __name__ == "__main__":
    main(int(os.environ["ASSAY_SEED"]), Path("workspace"), Path("truth"))
