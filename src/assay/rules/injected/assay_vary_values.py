"""Values near those that were observed: the same types, other contents, made with a seed."""

import copy
import datetime
import decimal
import fractions
import random
import re
import sys
from typing import Any, Dict, Iterator, List

MOST_POOL = 200
MOST_DEPTH = 6
LEAST_TELLING = 2
"""Sequences of two items or more that show a rule which all observed ones follow."""
TYPES_AS_CALLED = (bool, type(None))
"""Of these types only observed values occur."""


class Pool:
    """The values that were observed in one place, by their types."""

    def __init__(self) -> None:
        self.by_type: Dict[type, List[Any]] = {}

    def add(self, value: Any) -> None:
        """Keep a value."""
        values = self.by_type.setdefault(type(value), [])
        if len(values) < MOST_POOL:
            values.append(value)

    def like(self, value: Any) -> List[Any]:
        """The observed values of the same type."""
        return self.by_type.get(type(value), [])


class Varier:
    """Changes values with a random generator; `pools` are the observed values by place."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.pools: Dict[str, Pool] = {}

    def observe(self, place: str, value: Any, depth: int = 0) -> None:
        """Keep a value and its parts."""
        self.pools.setdefault(place, Pool()).add(value)
        if depth < MOST_DEPTH:
            for part in _parts(value):
                self.observe(place + "/", part, depth + 1)

    def varied(self, place: str, value: Any, inside: bool = False, depth: int = 0) -> Any:
        """Another value of the same type; the value itself where none is known.

        `inside` allows to change the attributes of objects.
        """
        observed = self.pools.get(place, Pool()).like(value)
        if depth > MOST_DEPTH:
            return value
        if type(value) not in TYPES_AS_CALLED:
            changed = self.changed(place, value, observed, inside, depth)
            if changed is not value:
                return changed
        return self.random.choice(observed) if observed and not inside else value

    def changed(self, place: str, value: Any, observed: List[Any], inside: bool, depth: int) -> Any:
        """A value that was not observed, where the type has such."""
        kind: Any = type(value)
        if kind is int:
            return self.integer(value, observed)
        if kind in (float, decimal.Decimal, fractions.Fraction):
            return self.fraction(value, observed)
        if kind is complex:
            return complex(self.fraction(value.real, []), self.fraction(value.imag, []))
        if kind is str:
            return self.text(value, observed)
        if kind is bytes:
            texts = [single.decode("latin-1") for single in observed]
            return self.text(value.decode("latin-1"), texts).encode("latin-1")
        if kind in (datetime.date, datetime.datetime, datetime.timedelta):
            return value + datetime.timedelta(days=self.random.choice([1, 2, 7, 30, -1, -2, -7, -30]))
        if kind in (list, tuple):
            return kind(
                self.sequence(place, list(value), [list(single) for single in observed], inside, depth)
            )
        if kind in (set, frozenset):
            items = sorted(value, key=repr)
            more_items = [sorted(single, key=repr) for single in observed]
            return kind(self.sequence(place, items, more_items, inside, depth))
        if isinstance(value, tuple) and hasattr(kind, "_fields") and value:
            number = self.random.randrange(len(value))
            part = self.varied(place + "/", value[number], inside, depth + 1)
            return kind(*value[:number], part, *value[number + 1 :])
        if isinstance(value, dict) and (kind.__module__ in ("builtins", "collections") or inside):
            return self.mapping(place, value, observed, inside, depth)
        if type(value).__module__ == "numpy":
            return self.array(value)
        return self.object(place, value, depth) if inside else value

    def integer(self, value: int, observed: List[int]) -> int:
        """A whole number from the smallest that was observed to twice the largest, in size."""
        low, high = min([value, *observed]), max([value, *observed])
        high = max(high + 10, 2 * high) if low >= 0 else max(high, -low)
        low = low if low >= 0 else -high
        steps = [value - 1, value + 1, value + 2, value * 2, value // 2, *observed]
        choices = [number for number in steps if low <= number <= high]
        ends = sorted([value, self.random.choice(observed or [value])])
        anywhere = self.random.randint(max(low, ends[0] - 5), min(high, ends[1] + 10))
        return self.random.choice([anywhere, self.random.choice(choices or [value])])

    def fraction(self, value: Any, observed: List[Any]) -> Any:
        """A number between two observed ones, or near one."""
        kind, second = type(value), self.random.choice(observed or [value])
        if value != value or value - value != 0 or second - second != 0:
            return value
        share = self.random.choice([kind("0.25"), kind("0.5"), kind("0.75")])
        factor = self.random.choice([kind("0.5"), kind("0.9"), kind("1.1"), kind("1.5"), kind("2")])
        return self.random.choice([value + (second - value) * share, value * factor])

    def text(self, value: str, observed: List[str]) -> str:
        """Pieces of observed texts, in another order or with letters of observed texts."""
        second = self.random.choice(observed or [value])
        alphabet = "".join(sorted(set("".join([value, *observed[:40]]))))
        words, other_words = [re.findall(r"\w+|[^\w]+", single) for single in (value, second)]
        place = self.random.randrange(len(value) + 1)
        changes = [
            lambda: value[:place] + second[self.random.randrange(len(second) + 1) :],
            lambda: value[:place] + value[place + 1 :],
            lambda: value[:place] + self.random.choice(alphabet or "a") + value[place:],
            lambda: value[:place] + self.random.choice(alphabet or "a") + value[place + 1 :],
            lambda: "".join(self.sequence_of_words(words, other_words)),
            lambda: "".join(self.sequence_of_words(words, other_words)),
        ]
        return self.random.choice(changes)()

    def sequence_of_words(self, words: List[str], more_items: List[str]) -> List[str]:
        """The words with one of them replaced by, or followed by, a word of another text."""
        if not words or not more_items:
            return words + more_items
        number, second = self.random.randrange(len(words)), self.random.choice(more_items)
        return [*words[:number], second, *words[number + self.random.randrange(2) :]]

    def sequence(
        self, place: str, items: List[Any], observed: List[List[Any]], inside: bool, depth: int
    ) -> List[Any]:
        """Items in another order, without some, with some twice, changed, or with items of other calls."""
        more_items = [item for single in observed for item in single]
        if not items:
            more = self.random.sample(more_items, min(len(more_items), self.random.randrange(4)))
            return _as_observed(more, observed)
        number = self.random.randrange(len(items))
        part = items[number]

        def replaced() -> List[Any]:
            return [*items[:number], self.varied(place + "/", part, inside, depth + 1), *items[number + 1 :]]

        changes = [
            lambda: self.random.sample(items, len(items)),
            lambda: items[:number] + items[number + 1 :],
            lambda: [*items[:number], part, *items[number:]],
            lambda: [*items[:number], self.random.choice(more_items or items), *items[number:]],
            lambda: items[: number + 1] + self.random.choice(observed or [items])[number:],
            *[replaced] * 5,
        ]
        return _as_observed(self.random.choice(changes)(), observed)

    def mapping(self, place: str, value: Any, observed: List[Any], inside: bool, depth: int) -> Any:
        """A mapping without a key, with a key of another one, or with another value."""
        changed = copy.copy(value)
        second = self.random.choice(observed or [value])
        keys, other_keys = list(value), list(second)
        change = self.random.randrange(5)
        if change == 0 and keys:
            del changed[self.random.choice(keys)]
        elif change == 1 and other_keys:
            key = self.random.choice(other_keys)
            changed[key] = second[key]
        elif change == 2 and keys and other_keys:
            changed[self.random.choice(keys)] = second[self.random.choice(other_keys)]
        elif keys:
            key = self.random.choice(keys)
            changed[key] = self.varied(place + "/", value[key], inside, depth + 1)
        return changed

    def array(self, value: Any) -> Any:
        """An array of NumPy of the same type, with other numbers or another length."""
        numpy: Any = sys.modules["numpy"]
        kind = getattr(getattr(value, "dtype", None), "kind", "")
        if kind not in "iuf" or not getattr(value, "size", 0):
            return value
        generator = numpy.random.RandomState(self.random.randrange(1 << 30))
        if not value.shape or not isinstance(value, numpy.ndarray):
            return value.dtype.type(value * generator.choice([0.5, 2, 3]))
        changes = [
            lambda: value[generator.permutation(len(value))],
            lambda: generator.permutation(value.ravel()),
        ]
        if kind == "f":
            changes += [lambda: value * generator.uniform(0.8, 1.25, value.shape)] * 3
        changed = self.random.choice(changes)()
        return numpy.asarray(changed).reshape(value.shape).astype(value.dtype)

    def object(self, place: str, value: Any, depth: int) -> Any:
        """An object with another attribute."""
        names = sorted(name for name in getattr(value, "__dict__", {}) if isinstance(name, str))
        if not names or isinstance(value, type) or callable(value):
            return value
        changed, name = copy.copy(value), self.random.choice(names)
        part = getattr(value, name)
        changed.__dict__[name] = self.varied(place + "." + name, part, True, depth + 1)
        return changed


def _as_observed(items: List[Any], observed: List[List[Any]]) -> List[Any]:
    """Items in order if all observed sequences are, and each once if that holds for all of them."""
    telling = [each for each in observed if len(each) > 1]
    if len(telling) < LEAST_TELLING:
        return items
    try:
        if all(len(set(each)) == len(each) for each in telling):
            items = list(dict.fromkeys(items))
        if all(sorted(each) == each for each in telling):
            items = sorted(items)
    except TypeError:
        pass  # they cannot be compared
    return items


def _parts(value: Any) -> Iterator[Any]:
    """Items of sequences, sets and mappings."""
    if isinstance(value, (list, tuple)):
        yield from value[:50]
    elif isinstance(value, (set, frozenset)):
        yield from sorted(value, key=repr)[:50]
    elif isinstance(value, dict):
        yield from list(value.values())[:50]
