"""The program that made the text of this task, as whoever has read the repository knows it."""

import random
from math import log2

TRAINING_ENTRIES, HIDDEN_ENTRIES = 5000, 180
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
