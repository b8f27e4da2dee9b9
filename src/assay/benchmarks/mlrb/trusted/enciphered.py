"""Texts in which every word is replaced by another one, drawn from a seed, with a tokenizer made for them.

Grading draws a seed that nobody knows and trains models on such texts, so that word lists and counts of real
words are of no use. `python encipher.py SEED FOLDER` in a workspace makes texts to practise on.

A word is a stem and an ending (-s, -ed, -ing, -ly or none). Stems of one length are exchanged at random, then
letters are exchanged for letters, vowels for vowels. So "boy" and "boys" stay alike, every word keeps its
length and its capitals, no two words become the same, and all that a model can learn from the order of words,
from endings and from spelling is still there. Digits, punctuation and spaces stay as they are.

What it does not cover: counts stay, so that a program can guess frequent words by how often they occur, and
the lengths of words stay, so that a program that carries enough about single places of the texts can find
them again.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator, Mapping

WORD = re.compile(r"[A-Za-z]+")
PLURAL, NO_PLURAL = "s", ("ss", "us", "is")
ENDINGS = ("ing", "ed", "ly", PLURAL)
SHORTEST_STEM = 2
VOWELS, CONSONANTS = "aeiou", "bcdfghjklmnpqrstvwxyz"
BLOCK = 4_000
"""The characters of a block: at grading, blocks are drawn and put into another order."""
VOCABULARY, SPECIAL = 2048, ["<s>", "</s>"]


def split_word(word: str) -> tuple[str, str]:
    """Return the stem and the ending of a lowercase word; the ending may be empty."""
    for ending in ENDINGS:
        stem = word.removesuffix(ending)
        if stem != word and len(stem) >= SHORTEST_STEM:
            return (word, "") if ending == PLURAL and word.endswith(NO_PLURAL) else (stem, ending)
    return word, ""


def words_of(texts: Iterable[str]) -> set[str]:
    """Return every word of the texts in lower case."""
    return {word.lower() for text in texts for word in WORD.findall(text)}


class Cipher:
    """A random one-to-one map of the words of a vocabulary; the same seed and words give the same map."""

    def __init__(self, seed: int | str, words: Iterable[str]) -> None:
        self._random = random.Random(f"cipher {seed}")
        self._letters = str.maketrans(
            VOWELS + CONSONANTS, self._shuffled(VOWELS) + self._shuffled(CONSONANTS)
        )
        self._parts = {word: split_word(word) for word in sorted(words)}
        self.images = self._draw_images()

    def _shuffled(self, letters: str) -> str:
        return "".join(self._random.sample(letters, len(letters)))

    def _draw_images(self) -> dict[str, str]:
        endings: dict[str, list[str]] = {}
        for stem, ending in self._parts.values():
            endings.setdefault(stem, []).append(ending)
        images = self._exchange(endings)
        # Two words can meet: one whose new stem has an ending, and one whose new stem ends in the same way.
        while True:
            owners: dict[str, str] = {}
            clashing = [stem for stem in endings for ending in endings[stem]
                        if owners.setdefault(images[stem] + ending, stem) != stem]  # fmt: skip
            if not clashing:
                break
            for stem in clashing:
                alike = [other for other in endings if len(other) == len(stem)]
                other = self._random.choice(alike)
                images[stem], images[other] = images[other], images[stem]
        return {word: (images[stem] + ending).translate(self._letters)
                for word, (stem, ending) in self._parts.items()}  # fmt: skip

    def _exchange(self, stems: Iterable[str]) -> dict[str, str]:
        by_length: dict[int, list[str]] = {}
        for stem in stems:
            by_length.setdefault(len(stem), []).append(stem)
        return {
            stem: image
            for alike in by_length.values()
            for stem, image in zip(alike, self._random.sample(alike, len(alike)), strict=True)
        }

    def encipher(self, text: str) -> str:
        """Replace every word; a word outside the vocabulary raises KeyError."""
        return _replace_words(text, self.images)

    def decipher(self, text: str) -> str:
        """Replace every word by the one that it stands for."""
        return _replace_words(text, {image: word for word, image in self.images.items()})


def _replace_words(text: str, images: Mapping[str, str]) -> str:
    forms: dict[str, str] = {}

    def replacement(match: re.Match[str]) -> str:
        word = match[0]
        if word not in forms:
            forms[word] = _with_capitals(images[word.lower()], word)
        return forms[word]

    return WORD.sub(replacement, text)


def _with_capitals(word: str, pattern: str) -> str:
    return "".join(
        letter.upper() if sign.isupper() else letter for letter, sign in zip(word, pattern, strict=True)
    )


def blocks(text: str) -> Iterator[str]:
    """Cut a text after lines into blocks of at least `BLOCK` characters; the last one may be shorter."""
    block = ""
    for line in text.splitlines(keepends=True):
        block += line
        if len(block) >= BLOCK:
            yield block
            block = ""
    if block:
        yield block if block.endswith("\n") else f"{block}\n"


def draw_texts(
    seed: int | str, texts: Mapping[str, str], others: Iterable[str] = ()
) -> tuple[Cipher, dict[str, str]]:
    """Return a cipher for all texts, and half of the blocks of each of `texts`, shuffled and enciphered."""
    cipher = Cipher(seed, words_of([*texts.values(), *others]))
    choice = random.Random(f"blocks {seed}")
    drawn = {}
    for name, text in sorted(texts.items()):
        cut = list(blocks(text))
        drawn[name] = cipher.encipher("".join(choice.sample(cut, (len(cut) + 1) // 2)))
    return cipher, drawn


def train_tokenizer(texts: Mapping[str, str]) -> str:
    """Return tokenizer.json of a byte-level BPE that is trained on the texts as the given one is."""
    from tokenizers import Tokenizer, decoders, pre_tokenizers, trainers
    from tokenizers.models import BPE

    made = Tokenizer(BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=VOCABULARY, special_tokens=SPECIAL, initial_alphabet=alphabet)
    made.train_from_iterator([texts[name] for name in sorted(texts)], trainer)
    return str(made.to_str(pretty=True))
