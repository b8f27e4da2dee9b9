"""Words beside a number: which only name what it counts.

Words of the variable's name and of the task's own sentences about the value may stand there, and a few
others, but none that denies, compares or says what was done with it. `value_remarks` has what is prose.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from dataclasses import dataclass

from assay.rules.plain_text import spelt_number

_APART = (
    (re.compile(r"\bheld[ -]out\b", re.IGNORECASE), "heldout"),
    (re.compile(r"\bi\. ?i\. ?d\.?", re.IGNORECASE), "iid"),
    (re.compile(r"\bwith(?:out)? replacement\b", re.IGNORECASE), "replacement"),
    (re.compile(r"(?<=[a-z])n['’`]t\b", re.IGNORECASE), " not"),
)
"""What is written in several words, and is one; and "isn't", which is two."""


def words_of(text: str) -> list[str]:
    """The words of a text, without numbers; what is written apart and means one thing is one word."""
    for pattern, word in _APART:
        text = pattern.sub(word, text)
    return re.findall(r"[^\W\d_]+", text.casefold())


def words_in(text: str) -> frozenset[str]:
    """The different words of a text."""
    return frozenset(words_of(text))


def singular(word: str) -> str:
    """A noun without its plural ending."""
    return word[:-1] if len(word) > 3 and word.endswith("s") else word


DENIALS = words_in("""
    or not no none never nor but either neither maybe perhaps possibly unless if instead actually rather
    except really sometimes also otherwise without unknown wrong wrongly false falsely incorrect invalid
    untrue hardly than most least fewer less more many few under over below above beyond almost nearly too
    plus minus twice double thrice half off out alternative alternatively another other others versus vs
    unlike excluding excluded dropped removed omitted skipped discarded deleted abandoned cancelled canceled
    rejected replaced ignored unused untested untried missing failed corrected changed supposed claimed
    formerly previously
""")
"""Words that take back the number beside them, change it or add another."""
NUMBER_WORDS = words_in("""
    two three four five six seven eight nine ten eleven twelve thirteen fifteen sixteen twenty thirty forty
    fifty sixty hundred thousand million
""")
_DESCRIBING = words_in("""
    a an the of in for from with on by per each every all total exactly fixed constant always once drawn
    chosen shared numbered own random randomly independent independently identically distributed iid
    gaussian normal standard uniform noise noisy training test validation cross heldout crossvalidation
    stratified shuffled disjoint different distinct separate top best first largest highest smallest lowest
    nearest hidden bootstrapped labelled labeled unlabelled unlabeled simulated synthetic generated sampled
    data resampled repeated replicated gradient descent optimisation optimization optimizer optimiser sgd
    minibatch mini learning equal equally evenly spaced posterior prior percentage confidence interval
    nominal full whole complete inner outer consecutive successive appended irrelevant uninformative pure
    linear balanced paired matched blocked kfold way selected ranked score statistic based original common
    deviation error cpu gpu dimensional simple exact
    replacement monte carlo bagged bagging
""")
"""Words that say of counted things which they are."""
_BEFORE = words_in("""
    the a an all total of exactly fixed constant always at to set top best first largest highest smallest
    lowest nearest number count size k n m
""")
"""Words that may stand before a number."""
MOST_UNKNOWN = 3
"""Words of other kinds behind a number: "200 bootstrap resamples"."""
_COUNTED = re.compile(r"\b(\d+|[a-z]+)(?= ([a-z]+))", re.IGNORECASE)
_COUNTED_BESIDE = re.compile(
    r",? (?:by|in|over|across|for|of) (?:each of |all )?the (\d+|[a-z]+) ([a-z]+)\b", re.I
)
_SENTENCE_END = re.compile(r"(?<=[.!?:])\s+(?=[A-Z`\-*\"])|\n\s*\n|\n\s*[-*] ")
LONGEST_SENTENCE = 1_000


@dataclass(frozen=True)
class Wording:
    """What the task's text says about one variable."""

    name: str = ""
    known_words: frozenset[str] = frozenset()
    """Words of its name and of the sentences that have its value."""
    counted: frozenset[tuple[str, str]] = frozenset()
    """Numbers of things that the text states, as ("4", "condition")."""

    def allows(self, before: str, after: str) -> bool:
        """Whether words before and after a number only name what it counts."""
        unknown = [
            word for word in words_of(after) if not self._is_known(word, _DESCRIBING | self.known_words)
        ]
        return (
            all(self._is_known(word, _BEFORE) for word in words_of(before))
            and len(unknown) <= MOST_UNKNOWN
            and not any(word in DENIALS | NUMBER_WORDS or word.endswith("ed") for word in unknown)
        )

    def _is_known(self, word: str, allowed: Container[str]) -> bool:
        if self.is_own(word):
            return True
        return word not in DENIALS | NUMBER_WORDS and (word in allowed or singular(word) in allowed)

    def is_own(self, word: str) -> bool:
        """Whether a word stands in the name of the variable, once or many times."""
        return singular(word.casefold()) in map(singular, words_of(self.name))

    def without_counted(self, text: str) -> str:
        """A text without counts of other things that the task states: "shared by the 4 conditions"."""
        first_words = [singular(word) for word in words_of(text)[:2]]

        def shorten(match: re.Match[str]) -> str:
            number, noun = _in_digits(match[1]), singular(match[2].casefold())
            is_own = noun in first_words or self.is_own(noun)
            return match.group() if is_own or (number, noun) not in self.counted else ""

        return _COUNTED_BESIDE.sub(shorten, text)


NO_WORDING = Wording()


def wording_of(name: str, synonyms: Iterable[str], values: Iterable[object], text: str) -> Wording:
    """What a task's text says about a variable, in the sentences that have one of its values."""
    value_texts = {f"{value:g}" if isinstance(value, float) else str(value) for value in values}
    sentences = [sentence[:LONGEST_SENTENCE] for sentence in _SENTENCE_END.split(text)]
    own_sentences = [
        sentence
        for sentence in sentences
        if value_texts
        & {_in_digits(part) for part in re.findall(r"[a-z]+|\d[\d.]*\d|\d", sentence.casefold())}
    ]
    words = {word for part in (name, *synonyms, *map(str, values), *own_sentences) for word in words_of(part)}
    counted = {
        (_in_digits(match[1]), singular(match[2].casefold()))
        for sentence in sentences
        for match in _COUNTED.finditer(sentence)
        if _in_digits(match[1]).isdigit()
    }
    return Wording(name, frozenset(words) - DENIALS, frozenset(counted))


def _in_digits(word: str) -> str:
    """A number as digits, any other word as it is."""
    return spelt_number(word) or word
