"""Tries every rule of five families on all bits, and takes the one that agrees most. Run: `python solve.py`."""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import json
from itertools import combinations, permutations
from pathlib import Path

import numpy as np


def odd_sums(signs):
    """Products of three to five signs."""
    for size in (3, 4, 5):
        chosen = np.array(list(combinations(range(signs.shape[0]), size)))
        yield np.prod(signs[chosen], axis=1)


def most_of_five(signs):
    """The sign of the sum of five signs."""
    for first in range(signs.shape[0] - 4):
        rest = np.array(list(combinations(range(first + 1, signs.shape[0]), 4)))
        yield np.sign(signs[first] + signs[rest].sum(axis=1))


def chosen_bits(signs):
    """One of two signs, as another one says, times a fourth."""
    count = signs.shape[0]
    for first in range(count):
        rest = [place for place in range(count) if place != first]
        pairs = np.array(list(permutations(rest, 2)))
        picked = np.where(signs[first] < 0, signs[pairs[:, 0]], signs[pairs[:, 1]])
        for last in rest:
            yield picked[(pairs != last).all(axis=1)] * signs[last]


def two_pairs(signs):
    """The product of two signs that are minus only where a pair of bits has given values."""
    places = np.array(list(combinations(range(signs.shape[0]), 2)))
    ends = np.concatenate([
        np.where((signs[places[:, 0]] == one) & (signs[places[:, 1]] == two), -1.0, 1.0) for one in (-1, 1) for two in (-1, 1)
    ]).astype(np.float32)
    places = np.tile(places, (4, 1))
    for number in range(1, len(ends)):
        apart = (places[:number, :, None] != places[number]).all(axis=(1, 2))
        yield ends[:number][apart] * ends[number]


def larger(signs):
    """The sign of the comparison of two numbers of two bits."""
    bits = (1 - signs) / 2
    places = np.array(list(permutations(range(signs.shape[0]), 2)))
    numbers = 2 * bits[places[:, 0]] + bits[places[:, 1]]
    for number, place in enumerate(places):
        apart = (places[:, :, None] != place).all(axis=(1, 2))
        yield np.where(numbers[number] > numbers[apart], -1.0, 1.0).astype(np.float32)


FAMILIES = [odd_sums, most_of_five, chosen_bits, two_pairs, larger]


def main():
    problem = json.loads(Path("problem.json").read_text())
    known = len(problem["given"])
    rows = problem["given"] + problem["asked"]
    signs = (1 - 2 * np.array([list(map(int, row)) for row in rows]).T).astype(np.float32)
    wanted = (1 - 2 * np.array([list(map(int, row)) for row in problem["answers"]]).T).astype(np.float32)
    best, found = np.zeros(wanted.shape[1]), np.ones((wanted.shape[1], len(problem["asked"])))
    for family in FAMILIES:
        for block in filter(len, family(signs)):
            agree = block[:, :known] @ wanted
            place = np.abs(agree).argmax(axis=0)
            value = agree[place, np.arange(len(place))]
            better = np.abs(value) > best
            best[better] = np.abs(value)[better]
            found[better] = block[place[better], known:] * np.sign(value[better])[:, None]
    answers = ["".join("1" if sign < 0 else "0" for sign in row) for row in found]
    Path("answers.json").write_text(json.dumps({"answers": answers}))


if __name__ == "__main__":
    main()
