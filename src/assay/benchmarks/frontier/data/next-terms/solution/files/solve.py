"""Weighs all rules that fit by how many such rules there are; sums of two rules by hashes that ignore one of them.

Run: `python solve.py`.
"""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import json
from itertools import product
from math import gcd
from pathlib import Path

import numpy as np

LENGTH, KEY = 17, 7
PRIMES = [p for p in range(2, 400) if all(p % d for d in range(2, int(p**0.5) + 1))][:LENGTH]
FACTORS = (-2, -1, 1, 2)


def grown(start, rule):
    """The terms from the first, by a rule that gets the terms so far."""
    terms = [start]
    while len(terms) < LENGTH:
        terms.append(rule(terms))
    return terms


def digits(value, base):
    """The sum of the digits."""
    return value % base + digits(value // base, base) if value else 0


def squares():
    """All sequences of squares modulo a number, made at once."""
    grids = np.meshgrid(np.arange(20, 401), np.arange(1, 16), np.arange(2, 16), indexing="ij")
    modulus, more, last = (grid.ravel() for grid in grids)
    terms = [last]
    while len(terms) < LENGTH:
        terms.append((terms[-1] ** 2 + more) % modulus)
    return np.stack(terms, axis=1)


def families():
    """The rules without many settings: each family as an array of sequences."""
    places = range(LENGTH)
    divisors = [sum(1 for d in range(1, v + 1) if v % d == 0) for v in range(60)]
    yield [[one * (n + 1).bit_count() + two * n for n in places] for one in range(1, 10) for two in range(-9, 10)]
    yield [[(factor * n) ^ mask for n in places] for mask in range(3, 64) for factor in range(1, 10)]
    yield [[s * p**e + m for p in PRIMES] for s in range(1, 6) for m in range(-9, 10) for e in (1, 1, 2)]
    top, bottom, more = (grid.reshape(-1, 1) for grid in np.meshgrid(range(3, 41), range(2, 18), range(31)))
    yield (top * np.arange(LENGTH) + more) // bottom
    yield [[factor * divisors[start + n] for n in places] for start in range(1, 31) for factor in range(1, 5)]
    yield [grown(s, lambda a, b=b: a[-1] + digits(a[-1], b)) for s in range(10, 401) for b in (10, 10, 8, 5)]
    yield [grown(s, lambda a, f=f, m=m: a[-1] // 2 if a[-1] % 2 == 0 else f * a[-1] + m)
           for s in range(5, 301) for f in (3, 5) for m in (1, 3, 7)]
    yield squares()
    yield [grown(s, lambda a: a.count(a[-1]) + (a[-2] if len(a) > 1 and a[-1] % 2 else 0)) for s in range(1, 5)]


def annihilators():
    """Coefficients of sums over last terms that are zero for polynomials, repeated steps and recurrences."""
    found = [np.array([1, -4, 6, -4, 1])]
    for period in (3, 4, 5):
        found.append(np.convolve([1, -1], [1, *[0] * (period - 1), -1]))
    for order in (2, 3):
        found += [np.convolve([1, -1], [1, *[-f for f in factors]]) for factors in product(FACTORS, repeat=order)]
    return found


def extend(terms, zero, ahead):
    """The next terms, if the sum with these coefficients stays zero."""
    terms = list(terms)
    for _ in range(ahead):
        terms.append(-sum(int(c) * terms[-place] for place, c in enumerate(zero) if place))
    return tuple(int(term) for term in terms[-ahead:])


class Library:
    """All sequences of the families, found by their first terms and by hashes."""

    def __init__(self, shown):
        blocks = [np.array(family, dtype=np.int64) for family in families()]
        self.rows = np.concatenate(blocks)
        self.odds = np.concatenate([np.full(len(block), 1 / len(block)) for block in blocks])
        self.places = {}
        for number, key in enumerate(map(tuple, self.rows[:, :KEY].tolist())):
            self.places.setdefault(key, []).append(number)
        self.shown, random = shown, np.random.default_rng(4)
        self.weights = random.integers(-(2**62), 2**62, shown)
        self.single = np.unique(self.rows, axis=0)
        self.zeros = annihilators()
        self.tables = [self.table(zero) for zero in [np.array([1]), *self.zeros]]

    def vector(self, zero):
        """The hash of the sums with these coefficients, as weights of the terms themselves."""
        total = np.zeros(self.shown, dtype=np.int64)
        for place, c in enumerate(zero):
            first = len(zero) - 1
            total[first - place : self.shown - place] += self.weights[first:] * np.int64(c)
        return total

    def table(self, zero):
        """A vector, and the hashes of all sequences in order with their numbers."""
        vector = self.vector(zero)
        hashes = (self.single[:, : self.shown] * vector).sum(axis=1)
        order = np.argsort(hashes)
        return vector, hashes[order], order

    def fitting(self, terms):
        """The numbers of the sequences that begin so."""
        return [n for n in self.places.get(tuple(terms[:KEY]), ()) if self.rows[n, : len(terms)].tolist() == terms]

    def sums(self, terms, ahead):
        """The next terms of a sum of one sequence and something that an annihilator, or the library, knows."""
        shown = np.array(terms, dtype=np.int64)
        for zero, (vector, hashes, order) in zip(self.zeros, self.tables[1:]):
            wanted = (shown * vector).sum()
            place = np.searchsorted(hashes, wanted)
            if place < len(hashes) and hashes[place] == wanted:
                row = self.single[order[place]]
                more = extend((shown - row[: self.shown]).tolist(), zero, ahead)
                return tuple(one + int(two) for one, two in zip(more, row[self.shown :]))
        vector, hashes, order = self.tables[0]
        wanted = (shown * vector).sum() - hashes
        places = np.minimum(np.searchsorted(hashes, wanted), len(hashes) - 1)
        for number in np.flatnonzero(hashes[places] == wanted)[:1]:
            both = self.single[order[number]] + self.single[order[places[number]]]
            return tuple(int(term) for term in both[self.shown : self.shown + ahead])
        return None


def is_zero(terms, zero):
    """Whether the sum with these coefficients is zero everywhere."""
    size = len(zero)
    return all(sum(c * terms[last - place] for place, c in enumerate(zero)) == 0 for last in range(size - 1, len(terms)))


def with_settings(terms, zeros):
    """Pairs of coefficients that annihilate the terms, and the share of such rules among all of their family."""
    for size, share in ((2, 19.0**-2), (3, 19.0**-3), (4, 19.0**-4)):
        zero = [1]
        for _ in range(size):
            zero = np.convolve(zero, [1, -1])
        if len(terms) > size and is_zero(terms, zero.tolist()):
            yield zero, share / 3
            break
    for zero in zeros[1:]:
        coefficients = zero.tolist()
        if len(terms) > len(coefficients) - 1 and is_zero(terms, coefficients):
            if coefficients[1] == -1 and len(coefficients) in (5, 6, 7) and not any(coefficients[2:-2]):
                yield zero, 19.0 ** -(len(coefficients) - 2) / 61 / 3
            else:
                order = len(coefficients) - 2
                yield zero, 0.5 * (4 * 15.0) ** -order / 7


def remainders(terms, ahead):
    """Next terms by two last terms modulo a number, with the share of each rule."""
    if min(terms) < 0 or max(terms) > 59:
        return
    for one, two in product(range(1, 7), range(7)):
        rest = [c - one * b - two * a for a, b, c in zip(terms, terms[1:], terms[2:])]
        common = gcd(*[value - rest[0] for value in rest])
        for modulus in range(max(7, max(terms) + 1), 61):
            if common % modulus == 0:
                found = list(terms)
                for _ in range(ahead):
                    found.append((one * found[-1] + two * found[-2] + rest[0]) % modulus)
                yield tuple(found[-ahead:]), 1 / 54 / 42 / modulus**3


def plain(terms, ahead, library):
    """The next terms by single rules, each with the sum of the shares of the rules that say so."""
    odds = {}
    for number in library.fitting(terms):
        later = tuple(library.rows[number, len(terms) : len(terms) + ahead].tolist())
        odds[later] = odds.get(later, 0.0) + library.odds[number]
    for zero, share in with_settings(terms, library.zeros):
        later = extend(terms, zero, ahead)
        odds[later] = odds.get(later, 0.0) + share
    for later, share in remainders(terms, ahead):
        odds[later] = odds.get(later, 0.0) + share
    return odds


def likeliest(odds):
    """The next terms with the largest share, or None."""
    return max(odds, key=odds.get) if odds else None


def go_on(terms, ahead, library):
    """A single rule, or the sum over one; then two rules added; then two rules woven together."""
    odds = {later: 0.66 * share for later, share in plain(terms, ahead, library).items()}
    steps = [terms[0], *(after - before for before, after in zip(terms, terms[1:]))]
    for later, share in plain(steps, ahead, library).items():
        later = tuple((terms[-1] + np.cumsum(later)).tolist())
        odds[later] = odds.get(later, 0.0) + 0.1 * share
    found = likeliest(odds) or library.sums(terms, ahead)
    if found is not None:
        return list(found)
    halves = [likeliest(plain(terms[side::2], 2, library)) or (terms[-2 + side],) * 2 for side in (0, 1)]
    return [int(halves[number % 2][number // 2]) for number in range(ahead)]


def main():
    problem = json.loads(Path("problem.json").read_text())
    library = Library(len(problem["begun"][0]))
    later = [go_on(terms, problem["ahead"], library) for terms in problem["begun"]]
    Path("answers.json").write_text(json.dumps({"later": later}))


if __name__ == "__main__":
    main()
