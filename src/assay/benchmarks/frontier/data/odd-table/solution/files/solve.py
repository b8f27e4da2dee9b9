"""Samples the posterior of the law's numbers over all tables together. Run: `python solve.py`.

Each table has its own strength of each part, with a skewed law that all tables share; two parts are only in
some tables, and both cases are summed. The spreads of the numbers are those of drawn problems.
"""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import json
from pathlib import Path

import numpy as np

SHOPS, KINDS, SEED = 20, 4, 1
PARTS = ("main", "product", "level", "bent", "wave", "odd", "kind", "shop", "slow")
SIZED = PARTS[:6]
FACTORS = np.array([1.0, 1.0, 1.0, 1.0, 1.6, 1.3], dtype=np.float32)
SIZE, SIZE_SPREAD = -0.6, 0.25
STRENGTH, STRENGTH_SPREAD = -0.39, 0.2
FAST, SLOW = np.arange(0.6, 1.27, 0.004), np.arange(1 / 210, 1 / 57, 0.0002)
STEPS = 0.04, 0.0015
"""How far both paces may be from the first guess."""
BURN, KEPT, LEAPS = 240, 840, 12


class Layout:
    """Where the numbers are in one vector: those of the tables, then the shared ones."""

    def __init__(self, tables):
        shapes = {
            "strength": (len(PARTS), tables),
            "base": (tables,),
            "wrong": (tables,),
            "turn": (2, tables),
        }
        shapes |= {
            "size": (len(SIZED),),
            "absent": (1,),
            "slopes": (KINDS,),
            "shops": (SHOPS,),
            "phase": (2,),
        }
        shapes |= {"spread": (1,), "paces": (2,)}
        ends = np.cumsum([0, *(int(np.prod(shape)) for shape in shapes.values())]).tolist()
        self.places = {name: (slice(*ends[n : n + 2]), shapes[name]) for n, name in enumerate(shapes)}
        self.size = ends[-1]

    def split(self, numbers):
        """Each group of numbers in its shape, as views."""
        return {name: numbers[place].reshape(shape) for name, (place, shape) in self.places.items()}


class Rows:
    """The same number of rows of each table, with the inputs of the law."""

    def __init__(self, values, absent, places, shifts):
        main, self.phase, first, second, shop, level, one, two, three, bent, kind, self.switched, _ = values
        self.shop, self.kind = shop.astype(int), kind.astype(int)
        self.absent, self.places = absent.astype(np.float32), places
        self.phases, self.whole = (
            np.unique(self.phase, return_inverse=True),
            np.arange(places.max() + 1, dtype=np.float32),
        )
        bent = np.where(absent, 0.0, np.abs(bent) - 0.8)
        self.plain = np.stack([main, first * second, level - shifts[self.shop], bent])
        self.odd = 1 - 2 * ((one + two + three) % 2)

    def log_odds(self, found):
        """Without the two parts that may be absent, and these two; with the inputs that depend on numbers."""
        fast, slow = 2 * np.pi * found["pace"] * self.phases[0], 2 * np.pi * found["slow"] * self.whole
        waves = [
            of(turns)[at]
            for turns, at in ((fast, self.phases[1]), (slow, self.places))
            for of in (np.sin, np.cos)
        ]
        weight, strength = found["weight"], found["strength"]
        total = (weight[:4, :, None] * self.plain).sum(axis=0)
        total += found["base"][:, None] + found["absent"] * self.absent
        sloped, shopped = found["slopes"][self.kind] * self.switched, found["shops"][self.shop]
        slowed = found["turn"][0][:, None] * waves[2] + found["turn"][1][:, None] * waves[3]
        for each, inputs in zip(strength[6:], (sloped, shopped, slowed), strict=True):
            total += each[:, None] * inputs
        wave = found["phase"][0] * waves[0] + found["phase"][1] * waves[1]
        inputs = waves, sloped, shopped, slowed, wave
        return total, weight[4][:, None] * wave, weight[5][:, None] * self.odd, inputs


class Posterior:
    """The logarithm of the posterior and its slope."""

    def __init__(self, rows, yes, signs, paces):
        self.rows, self.side, self.signs, self.paces = rows, 2 * yes - 1, signs, paces
        self.layout = Layout(len(yes))

    def meaning(self, numbers):
        """The numbers of the law from those with deviation one."""
        part = self.layout.split(numbers.astype(np.float32))
        spread = np.exp(STRENGTH + STRENGTH_SPREAD * part["spread"][0])
        strength = np.exp(spread * part["strength"])
        size = self.signs * FACTORS * np.exp(SIZE + SIZE_SPREAD * part["size"])
        length = np.hypot(*part["phase"])
        return {
            "spread": spread,
            "strength": strength,
            "weight": size[:, None] * strength[:6],
            "base": 0.5 * part["base"],
            "absent": 0.7 * part["absent"][0],
            "slopes": 0.7 * part["slopes"],
            "shops": 0.6 * part["shops"],
            "turn": 0.5 * part["turn"],
            "length": length,
            "phase": part["phase"] / length,
            "wrong": 0.5 / (1 + np.exp(2.8 - 1.2 * part["wrong"])),
            "pace": self.paces[0] + STEPS[0] * part["paces"][0],
            "slow": self.paces[1] + STEPS[1] * part["paces"][1],
        }

    def cases(self, found, rows):
        """The log odds with and without both parts that may be absent: tables, cases, rows."""
        total, wave, odd, inputs = rows.log_odds(found)
        found = np.empty((len(total), 4, total.shape[1]), dtype=np.float32)
        found[:, 0], found[:, 1], found[:, 2] = total, total + wave, total + odd
        found[:, 3] = found[:, 1] + odd
        return found, inputs

    def likelihood(self, found):
        """The logarithm of the likelihood of each table in each case, and its slopes."""
        totals, inputs = self.cases(found, self.rows)
        wrong, side = found["wrong"][:, None, None], self.side[:, None, :]
        right = 1 / (1 + np.exp(-side * totals))
        chance = wrong + (1 - 2 * wrong) * right
        return np.log(chance).sum(axis=2).astype(float), (right, chance, wrong, side), inputs

    def value_and_slope(self, numbers):
        """Of the logarithm of the posterior; the length of the phase counts as one with a small deviation."""
        found, part = self.meaning(numbers), self.layout.split(numbers)
        logs, (right, chance, wrong, side), inputs = self.likelihood(found)
        top = logs.max(axis=1)
        shares = np.exp(logs - top[:, None])
        value = (top + np.log(shares.sum(axis=1))).sum()
        shares /= shares.sum(axis=1, keepdims=True)
        pulls = (
            (shares.astype(np.float32)[:, :, None] * (1 - 2 * wrong)) * side * (right * (1 - right) / chance)
        )
        slope = np.zeros(len(numbers))
        out = self.layout.split(slope)
        self.chain(found, part, out, pulls, inputs)
        by_wrong = (shares * ((1 - 2 * right) / chance).sum(axis=2)).sum(axis=1)
        out["wrong"][:] = by_wrong * 1.2 * found["wrong"] * (1 - 2 * found["wrong"])
        apart = (found["length"] - 1) / 0.1
        value -= 0.5 * (numbers @ numbers - part["phase"] @ part["phase"] + apart**2)
        slope -= numbers
        out["phase"] += part["phase"] - apart / 0.1 * found["phase"]
        return value, slope

    def chain(self, found, part, out, pulls, inputs):
        """Slopes in all numbers but the rate of wrong answers, from those in the log odds of each case."""
        rows, strength, weight = self.rows, found["strength"], found["weight"]
        (sine, cosine, slow_sine, slow_cosine), sloped, shopped, slowed, wave = inputs
        all_, wave_pull, odd_pull = pulls.sum(axis=1), pulls[:, 1] + pulls[:, 3], pulls[:, 2] + pulls[:, 3]
        by_part = np.concatenate([
            weight[:4] * (all_ * rows.plain).sum(axis=2),
            [weight[4] * (wave_pull * wave).sum(axis=1), weight[5] * (odd_pull * rows.odd).sum(axis=1)],
            [strength[6 + n] * (all_ * each).sum(axis=1) for n, each in enumerate((sloped, shopped, slowed))],
        ])  # fmt: skip
        out["strength"][:] = found["spread"] * by_part
        out["spread"][:] = STRENGTH_SPREAD * found["spread"] * (by_part * part["strength"]).sum()
        out["size"][:] = SIZE_SPREAD * by_part[:6].sum(axis=1)
        out["base"][:] = 0.5 * all_.sum(axis=1)
        out["absent"][:] = 0.7 * (all_ * rows.absent).sum()
        kinds, shops = strength[6][:, None] * all_ * rows.switched, strength[7][:, None] * all_
        out["slopes"][:] = 0.7 * np.bincount(rows.kind.ravel(), kinds.ravel(), KINDS)
        out["shops"][:] = 0.6 * np.bincount(rows.shop.ravel(), shops.ravel(), SHOPS)
        out["turn"][:] = (
            0.5 * strength[8] * [(all_ * slow_sine).sum(axis=1), (all_ * slow_cosine).sum(axis=1)]
        )
        waved = weight[4][:, None] * wave_pull
        by_phase = np.array([(waved * sine).sum(), (waved * cosine).sum()])
        unit = found["phase"]
        out["phase"][:] = (by_phase - unit * (unit @ by_phase)) / found["length"]
        along = waved * (unit[0] * cosine - unit[1] * sine) * rows.phase
        turn = found["turn"][:, :, None] * strength[8][:, None]
        slow_along = all_ * (turn[0] * slow_cosine - turn[1] * slow_sine) * rows.places
        out["paces"][:] = 2 * np.pi * STEPS[0] * along.sum(), 2 * np.pi * STEPS[1] * slow_along.sum()

    def odds(self, numbers, asked):
        """Of yes for other rows of the same tables."""
        found = self.meaning(numbers)
        logs = self.likelihood(found)[0]
        shares = np.exp(logs - logs.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        right = 1 / (1 + np.exp(-self.cases(found, asked)[0]))
        wrong = found["wrong"][:, None]
        return wrong + (1 - 2 * wrong) * (shares[:, :, None] * right).sum(axis=1)


def sampled_odds(posterior, asked, start, random):
    """Mean odds over samples of the posterior: Hamiltonian steps with learned scales."""
    numbers, scale, step = start.copy(), np.ones(len(start)), 0.05
    value, slope = posterior.value_and_slope(numbers)
    odds, seen = 0.0, []
    for number in range(BURN + KEPT):
        if number in (BURN // 3, 2 * BURN // 3, BURN):
            half = np.array(seen[len(seen) // 3 :])
            scale, seen = np.sqrt((half.var(axis=0) * len(half) + 0.5 * 5) / (len(half) + 5)), []
        push = random.normal(0.0, 1.0, len(numbers))
        tried, moving = numbers.copy(), push.copy()
        new_value, new_slope, length = value, slope, step * random.uniform(0.7, 1.2)
        for _ in range(LEAPS):
            moving += 0.5 * length * scale * new_slope
            tried += length * scale * moving
            new_value, new_slope = posterior.value_and_slope(tried)
            moving += 0.5 * length * scale * new_slope
        gain = new_value - value + 0.5 * (push @ push - moving @ moving)
        chance = np.exp(min(0.0, gain)) if np.isfinite(gain) else 0.0
        if random.random() < chance:
            numbers, value, slope = tried, new_value, new_slope
        if number < BURN:
            step *= np.exp((chance - 0.8) * 3 / (number % (BURN // 3) + 10) ** 0.6)
            seen.append(numbers)
        else:
            odds = odds + posterior.odds(numbers, asked)
    return odds / KEPT


def fit(inputs, yes, price, rounds=12):
    """Weights of a plain logistic model of all tables, and what it leaves."""
    weights = np.zeros(inputs.shape[1])
    for _ in range(rounds):
        odds = 1 / (1 + np.exp(-inputs @ weights))
        inside = (inputs * (odds * (1 - odds))[:, None]).T @ inputs + price * np.eye(len(weights))
        weights = weights + np.linalg.solve(inside, inputs.T @ (yes - odds) - price * weights)
    return weights, yes - 1 / (1 + np.exp(-inputs @ weights))


def evidence(sums, known, size):
    """Of a part that half of the tables have, from its sum with what is left in each table."""
    weights = size * np.exp(np.exp(STRENGTH) * np.linspace(-1.6, 1.6, 7))[:, None]
    rise = np.exp(np.minimum(weights * sums[..., None, :] - weights**2 * known / 2, 300.0)).mean(axis=-2)
    return np.log(0.5 + 0.5 * rise).sum(axis=-1)


def first_guess(rows, yes):
    """Signs of the sizes, both paces and a start, from a model in which all tables are alike."""
    flat = [*rows.plain.reshape(4, -1), rows.odd.ravel(), rows.absent.ravel()]
    flat += [(rows.kind == number).ravel() * rows.switched.ravel() for number in range(KINDS)]
    flat += [(rows.shop == number).ravel() * 1.0 for number in range(SHOPS)]
    flat += [np.repeat(np.arange(len(yes)) == number, yes.shape[1]) * 1.0 for number in range(len(yes))]
    weights, left = fit(np.column_stack(flat), yes.ravel(), 2.0)
    left = left.reshape(yes.shape)
    known = (np.abs(left) * (1 - np.abs(left))).sum(axis=1)
    waves = (np.exp(2j * np.pi * FAST[:, None, None] * rows.phase) * left).sum(axis=2)
    turns = np.exp(-2j * np.pi * np.arange(24) / 24)
    values = evidence((waves[:, None] * turns[:, None]).real, known / 2, 0.88)
    pace, turn = np.unravel_index(np.argmax(values), values.shape)
    turned = np.exp(2j * np.pi * SLOW[:, None, None] * rows.places) * left
    slow = SLOW[np.argmax((np.abs(turned.sum(axis=2)) ** 2 / (known + 4)).sum(axis=1))]
    odd = ((left + weights[4] * known[:, None] / yes.shape[1] * rows.odd) * rows.odd).sum(axis=1)
    signs = np.sign([*weights[:4], 1.0, np.subtract(*evidence(np.array([odd, -odd]), known, 0.71))])
    start = np.zeros(Layout(len(yes)).size)
    part = Layout(len(yes)).split(start)
    part["phase"][:] = -turns[turn].imag, turns[turn].real
    part["absent"][:], part["slopes"][:], part["shops"][:] = (
        weights[5],
        weights[6:10],
        weights[10 : 10 + SHOPS],
    )
    return signs.astype(np.float32), (float(FAST[pace]), float(slow)), start


def odds_of(problem):
    """The chance of yes for each asked row of each table."""
    tables = problem["tables"]
    absent = np.array([[row[9] is None for row in table["rows"]] for table in tables])
    values = [
        [[0.0 if value is None else value for value in row] for row in table["rows"]] for table in tables
    ]
    values = np.array(values, dtype=np.float32).transpose(2, 0, 1)
    answers = np.array(
        [[-1 if answer is None else answer for answer in table["answers"]] for table in tables]
    )
    shop = values[4].astype(int).ravel()
    shifts = np.bincount(shop, values[5].ravel(), SHOPS) / np.maximum(np.bincount(shop, minlength=SHOPS), 1)
    shifts = shifts.astype(np.float32)
    places = np.broadcast_to(np.arange(answers.shape[1]), answers.shape)
    order = np.argsort(answers < 0, axis=1, kind="stable")
    count = int((answers[0] >= 0).sum())

    def some(chosen):
        taken = np.take_along_axis(values, chosen[None], axis=2)
        others = (np.take_along_axis(each, chosen, axis=1) for each in (absent, places))
        return Rows(taken, *others, shifts)

    known, asked = some(order[:, :count]), some(order[:, count:])
    yes = np.take_along_axis(answers, order[:, :count], axis=1).astype(np.float32)
    signs, paces, start = first_guess(known, yes)
    posterior, random = Posterior(known, yes, signs, paces), np.random.default_rng(SEED)
    with np.errstate(all="ignore"):
        return sampled_odds(posterior, asked, start, random).round(5).tolist()


def main():
    problem = json.loads(Path("problem.json").read_text())
    Path("answers.json").write_text(json.dumps({"odds": odds_of(problem)}))


if __name__ == "__main__":
    main()
