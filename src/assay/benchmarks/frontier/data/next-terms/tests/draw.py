"""Draws integer sequences from hidden rules: `ASSAY_SEED=7 python draw.py`.

Writes workspace/problem.json (for solve.py) and truth/truth.json (for the score).
"""

import json
import os
import random
from pathlib import Path

SEQUENCES, SOLVED, TERMS, AHEAD = 900, 300, 14, 3
LARGEST = 10**9


def polynomial(s):
    powers = [s.randint(-9, 9) for _ in range(s.randint(2, 4))]
    return lambda n, a: sum(factor * n**power for power, factor in enumerate(powers))


def recurrence(s):
    factors = [s.choice([-2, -1, 1, 2]) for _ in range(s.randint(2, 3))]
    start, more = [s.randint(-5, 9) for _ in factors], s.randint(-3, 3)
    return lambda n, a: start[n] if n < len(start) else more + sum(f * v for f, v in zip(factors, a[::-1]))


def remainder_recurrence(s):
    modulus, factors = s.randint(7, 60), [s.randint(1, 6), s.randint(0, 6)]
    start, more = [s.randrange(modulus), s.randrange(modulus)], s.randrange(modulus)
    return lambda n, a: start[n] if n < 2 else (factors[0] * a[-1] + factors[1] * a[-2] + more) % modulus


def square_remainder(s):
    modulus, more, start = s.randint(20, 400), s.randint(1, 15), s.randint(2, 15)
    return lambda n, a: start if n == 0 else (a[-1] ** 2 + more) % modulus


def digit_sum(s):
    start, base = s.randint(10, 400), s.choice([10, 10, 8, 5])

    def digits(value):
        return value % base + digits(value // base) if value else 0

    return lambda n, a: start if n == 0 else a[-1] + digits(a[-1])


def halves(s):
    start, factor, more = s.randint(5, 300), s.choice([3, 5]), s.choice([1, 3, 7])
    return lambda n, a: start if n == 0 else (a[-1] // 2 if a[-1] % 2 == 0 else factor * a[-1] + more)


def bit_count(s):
    first, second = s.randint(1, 9), s.randint(-9, 9)
    return lambda n, a: first * (n + 1).bit_count() + second * n


def exclusive(s):
    mask, factor = s.randint(3, 63), s.randint(1, 9)
    return lambda n, a: (factor * n) ^ mask


def primes(s):
    step, more, power = s.randint(1, 5), s.randint(-9, 9), s.choice([1, 1, 2])
    known = [p for p in range(2, 400) if all(p % d for d in range(2, int(p**0.5) + 1))]
    return lambda n, a: step * known[n] ** power + more


def floor_line(s):
    top, bottom, more = s.randint(3, 40), s.randint(2, 17), s.randint(0, 30)
    return lambda n, a: (top * n + more) // bottom


def divisors(s):
    start, factor = s.randint(1, 30), s.randint(1, 4)
    return lambda n, a: factor * sum(1 for d in range(1, start + n + 1) if (start + n) % d == 0)


def own_count(s):
    start = s.randint(1, 4)
    return lambda n, a: start if n == 0 else a.count(a[-1]) + (a[-2] if n > 1 and s_odd(a) else 0)


def s_odd(a):
    """Whether the last term is odd."""
    return a[-1] % 2 == 1


def period_sum(s):
    steps = [s.randint(-6, 12) for _ in range(s.randint(3, 5))]
    start = s.randint(-20, 40)
    return lambda n, a: start if n == 0 else a[-1] + steps[n % len(steps)]


RULES = [
    polynomial, recurrence, remainder_recurrence, square_remainder, digit_sum, halves, bit_count, exclusive,
    primes, floor_line, divisors, own_count, period_sum,
]


def terms(rule, count):
    """The first terms of a rule."""
    found = []
    for number in range(count):
        found.append(int(rule(number, found)))
    return found


def sequence(s, count):
    """One rule, or two joined: woven together, added term by term, or summed up."""
    way = s.random()
    if way < 0.14:
        parts = [terms(s.choice(RULES)(s), count // 2 + 1) for _ in range(2)]
        return [parts[number % 2][number // 2] for number in range(count)]
    if way < 0.24:
        parts = [terms(s.choice(RULES)(s), count) for _ in range(2)]
        return [one + other for one, other in zip(*parts)]
    values = terms(s.choice(RULES)(s), count)
    if way < 0.34:
        return [sum(values[: number + 1]) for number in range(count)]
    return values


def draw(count, s):
    """So many sequences that are not constant and not too large."""
    rows = []
    while len(rows) < count:
        row = sequence(s, TERMS + AHEAD)
        if len(set(row)) > 2 and max(map(abs, row)) < LARGEST:
            rows.append(row)
    return rows


def main():
    s = random.Random(int(os.environ.get("ASSAY_SEED", "7")))
    rows, solved = draw(SEQUENCES, s), draw(SOLVED, s)
    for folder in ("workspace", "truth"):
        Path(folder).mkdir(exist_ok=True)
    problem = {"begun": [row[:TERMS] for row in rows], "solved": solved, "ahead": AHEAD}
    Path("workspace/problem.json").write_text(json.dumps(problem))
    Path("truth/truth.json").write_text(json.dumps({"later": [row[TERMS:] for row in rows]}))


if __name__ == "__main__":
    main()
