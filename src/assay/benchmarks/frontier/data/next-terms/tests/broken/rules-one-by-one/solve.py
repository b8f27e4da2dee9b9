"""Tries rules in the order of how much they explain with how little. Run: `python solve.py`."""

import json
from itertools import product
from pathlib import Path

PRIMES = [p for p in range(2, 200) if all(p % d for d in range(2, int(p**0.5) + 1))]


def extend(terms, ahead, rule):
    """The terms with the next ones by a rule that gets place and terms so far; None if the rule does not fit."""
    found = list(terms)
    for number in range(len(terms), len(terms) + ahead):
        found.append(rule(number, found))
    return found[len(terms) :]


def fits(terms, rule, first):
    """Whether a rule gives every term from a place on."""
    return all(rule(number, terms[:number]) == terms[number] for number in range(first, len(terms)))


def by_differences(terms, ahead):
    """Polynomials of low degree."""
    rows = [terms]
    while len(rows) <= 4 and len(set(rows[-1])) > 1:
        rows.append([after - before for before, after in zip(rows[-1], rows[-1][1:])])
    if len(set(rows[-1])) > 1 or len(rows[-1]) < 3:
        return None
    lasts, found = [row[-1] for row in rows], []
    for _ in range(ahead):
        for order in range(len(lasts) - 2, -1, -1):
            lasts[order] += lasts[order + 1]
        found.append(lasts[0])
    return found


def by_steps(terms, ahead):
    """Steps that repeat."""
    steps = [after - before for before, after in zip(terms, terms[1:])]
    for period in range(1, min(5, len(steps) // 2) + 1):
        if all(steps[number] == steps[number - period] for number in range(period, len(steps))):
            return extend(terms, ahead, lambda n, a, p=period: a[-1] + a[-p] - a[-p - 1])
    return None


def by_recurrence(terms, ahead):
    """Sums of small multiples of the last terms and a constant."""
    for order in (1, 2, 3):
        if len(terms) < 2 * order + 3:
            break
        for factors in product(range(-2, 3), repeat=order):
            def part(a, factors=factors):
                return sum(factor * value for factor, value in zip(factors, a[::-1]))

            more = terms[order] - part(terms[:order])
            if all(terms[n] == more + part(terms[:n]) for n in range(order, len(terms))):
                return extend(terms, ahead, lambda n, a: more + part(a))
    return None


def by_remainders(terms, ahead):
    """Two last terms times small factors, or the square of the last one, modulo a number."""
    if min(terms) < 0 or max(terms) > 400 or len(terms) < 7:
        return None
    for modulus in range(max(terms) + 1, 401):
        more = (terms[1] - terms[0] ** 2) % modulus
        if more < 16 and fits(terms, lambda n, a: (a[-1] ** 2 + more) % modulus, 1):
            return extend(terms, ahead, lambda n, a: (a[-1] ** 2 + more) % modulus)
    for modulus in range(max(terms) + 1, 61):
        for one, two in product(range(1, 7), range(7)):
            more = (terms[2] - one * terms[1] - two * terms[0]) % modulus
            if fits(terms, lambda n, a: (one * a[-1] + two * a[-2] + more) % modulus, 2):
                return extend(terms, ahead, lambda n, a: (one * a[-1] + two * a[-2] + more) % modulus)
    return None


def digits(value, base):
    return value % base + digits(value // base, base) if value > 0 else 0


def by_last_term(terms, ahead):
    """Rules that look at the last term alone."""
    for base in (10, 8, 5):
        if min(terms) > 0 and fits(terms, lambda n, a: a[-1] + digits(a[-1], base), 1):
            return extend(terms, ahead, lambda n, a: a[-1] + digits(a[-1], base))
    for factor, more in product((3, 5), (1, 3, 7)):
        def halve(n, a):
            return a[-1] // 2 if a[-1] % 2 == 0 else factor * a[-1] + more

        if fits(terms, halve, 1):
            return extend(terms, ahead, halve)
    return None


def by_place(terms, ahead):
    """Rules that look at the place alone: a known sequence times a factor plus a line."""
    for first in range(1, 31):
        counts = [sum(1 for d in range(1, v + 1) if v % d == 0) for v in range(first, first + len(terms) + ahead)]
        if terms[0] % counts[0] == 0 and all(terms[0] // counts[0] * c == t for c, t in zip(counts, terms)):
            return [terms[0] // counts[0] * count for count in counts[len(terms) :]]
    for power in (1, 2):
        known = [prime**power for prime in PRIMES]
        step, rest = divmod(terms[1] - terms[0], known[1] - known[0])
        if rest == 0 and fits(terms, lambda n, a: terms[0] + step * (known[n] - known[0]), 0):
            return extend(terms, ahead, lambda n, a: terms[0] + step * (known[n] - known[0]))
    for factor, line in product(range(1, 10), range(-9, 10)):
        if fits(terms, lambda n, a: factor * (n + 1).bit_count() + line * n, 0):
            return extend(terms, ahead, lambda n, a: factor * (n + 1).bit_count() + line * n)
    for factor in range(1, 10):
        if fits(terms, lambda n, a: (factor * n) ^ terms[0], 0):
            return extend(terms, ahead, lambda n, a: (factor * n) ^ terms[0])
    for bottom in range(2, 18):
        for top in range(3, 41):
            if abs(terms[-1] - terms[0] - top * (len(terms) - 1) / bottom) < 1.01:
                for more in range(31):
                    if fits(terms, lambda n, a: (top * n + more) // bottom, 0):
                        return extend(terms, ahead, lambda n, a: (top * n + more) // bottom)
    return None


RULES = [by_differences, by_steps, by_last_term, by_recurrence, by_place, by_remainders]


def plain(terms, ahead):
    """The first rule that fits."""
    for rule in RULES:
        found = rule(terms, ahead)
        if found is not None:
            return found
    return None


def go_on(terms, ahead):
    """A plain rule; the rule of the steps; two rules woven together."""
    found = plain(terms, ahead)
    if found is not None:
        return found
    steps = plain([after - before for before, after in zip(terms, terms[1:])], ahead)
    if steps is not None:
        return [terms[-1] + sum(steps[: number + 1]) for number in range(ahead)]
    even, odd = plain(terms[::2], 2), plain(terms[1::2], 2)
    woven = [even, odd] if len(terms) % 2 == 0 else [odd, even]
    return [(woven[n % 2] or [terms[-1]] * 2)[n // 2] for n in range(ahead)]


def main():
    problem = json.loads(Path("problem.json").read_text())
    later = [go_on(terms, problem["ahead"]) for terms in problem["begun"]]
    Path("answers.json").write_text(json.dumps({"later": later}))


if __name__ == "__main__":
    main()
