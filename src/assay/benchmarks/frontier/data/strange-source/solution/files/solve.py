"""Samples the numbers of all sources together and averages the odds. Run: `python solve.py`."""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import json
from pathlib import Path

import numpy as np

SYMBOLS, FARTHEST = 4, 6
COMMON, WEIGHT, VARIES, FIRST = 0.8, 0.4, 0.8, 0.5
SECOND, SWITCHES, SMUDGED = (0.0, 1.5), (-2.3, 0.8), (-3.0, 1.0)
"""What is believed of the numbers before the data: shares, scales, and means with deviations."""
COPIES = np.array([0.0, 0.4, 0.8, 1.2, 1.7, 2.3, 3.0, 4.0, 5.5])
"""The strengths of the beat that are tried."""
STARTS, ROUNDS = 2, 60
"""Of the climb to a first guess."""
BURN, KEPT, LEAPS, STEP = 30, 90, 10, 0.12
RESCALED = (8, 16, 24, 50, 80)
"""Rounds of the sampler that do not count and that count, its steps in a round and their first size."""
SEED = 1


def chance(value):
    """A chance from its log odds."""
    return 1 / (1 + np.exp(-value))


class Law:
    """The likelihood of all sources; its numbers are a vector, each standard normal before the data."""

    def __init__(self, sources):
        self.count, self.texts = len(sources), len(sources[0])
        self.sizes = np.array([[len(text) for text in texts] for texts in sources])
        self.places = self.sizes.max() - FARTHEST + 1
        rows = np.array(
            [[list(map(int, t.ljust(self.sizes.max() + 1, "0"))) for t in texts] for texts in sources]
        )
        self.rows = rows.transpose(0, 2, 1)
        eye = np.eye(SYMBOLS, dtype=np.float32)
        inputs = [
            eye[self.rows[:, FARTHEST - lag : FARTHEST - lag + self.places]] for lag in range(1, FARTHEST + 1)
        ]
        self.inputs = np.concatenate(inputs, axis=3).reshape(self.count, -1, FARTHEST * SYMBOLS)
        self.turned = np.ascontiguousarray(self.inputs.transpose(0, 2, 1))
        after = eye[self.rows[:, FARTHEST:]].reshape(self.count, -1, 1, SYMBOLS)
        self.after = np.ascontiguousarray(after.transpose(0, 2, 3, 1))
        self.given = np.arange(self.places)[:, None, None] + FARTHEST < self.sizes
        shapes = {
            "common": (2, FARTHEST, SYMBOLS, SYMBOLS),
            "weight": (FARTHEST,),
            "own": (self.count, 2, FARTHEST, SYMBOLS, SYMBOLS),
            "strength": (self.count, FARTHEST),
            "first": (self.count, 2, SYMBOLS),
            "second": (self.count,),
            "switches": (self.count,),
            "smudged": (self.count,),
        }
        self.shapes, self.size = shapes, sum(int(np.prod(shape)) for shape in shapes.values())
        self.beat = np.zeros(self.after.shape, dtype=np.float32)

    def split(self, numbers):
        """The numbers of each kind."""
        found, start = {}, 0
        for name, shape in self.shapes.items():
            end = start + int(np.prod(shape))
            found[name], start = numbers[start:end].reshape(shape), end
        return found

    def copied(self, beat, back):
        """Which symbol each place would copy."""
        places = np.arange(self.places) + FARTHEST
        symbols = np.eye(SYMBOLS, dtype=np.float32)[self.rows[:, places - back]]
        marks = symbols * (places % beat == 0)[:, None, None]
        return marks.reshape(self.count, -1, 1, SYMBOLS).transpose(0, 2, 3, 1)

    def powers(self, parts):
        """The logarithms of the odds of each symbol, without the beat."""
        strength = WEIGHT * np.exp(VARIES * np.minimum(9.0, parts["weight"] + parts["strength"]))
        mixed = COMMON**0.5 * parts["common"] + (1 - COMMON) ** 0.5 * parts["own"]
        tables = mixed * strength[:, None, :, None, None]
        flat = tables.transpose(0, 1, 4, 2, 3).reshape(self.count, 2 * SYMBOLS, -1).astype(np.float32)
        powers = (flat @ self.turned).reshape(self.count, 2, SYMBOLS, -1)
        powers += (FIRST * parts["first"][..., None]).astype(np.float32)
        return powers, strength, mixed

    def listen(self, powers, parts):
        """The log likelihood of each source, and what its slopes need."""
        soft = np.exp(np.minimum(powers, 60.0))
        soft /= soft.sum(axis=2, keepdims=True)
        smudged = chance(SMUDGED[0] + SMUDGED[1] * parts["smudged"]).astype(np.float32)
        clean = (soft * self.after).sum(axis=2)
        said = (1 - smudged[:, None, None]) * clean + smudged[:, None, None] / SYMBOLS
        said = said.reshape(self.count, 2, self.places, self.texts).transpose(1, 2, 0, 3)
        zero, one = np.where(self.given, said, np.float32(1.0))
        second = chance(SECOND[0] + SECOND[1] * parts["second"]).astype(np.float32)[:, None]
        switches = chance(SWITCHES[0] + SWITCHES[1] * parts["switches"]).astype(np.float32)[:, None]
        before, belief = np.empty_like(zero), np.broadcast_to(second, zero.shape[1:])
        gain = switches * second
        for place in range(self.places):
            before[place] = belief if place == 0 else belief * (1 - switches) + gain
            yes = before[place] * one[place]
            belief = yes / (yes + (1 - before[place]) * zero[place])
        total = before * one + (1 - before) * zero
        return soft, clean, smudged, zero, one, before, total, second, switches

    def slopes(self, numbers, squared=False):
        """The log density after the data and its slopes, or about how sure each number is."""
        parts = self.split(numbers)
        powers, strength, mixed = self.powers(parts)
        soft, clean, smudged, zero, one, before, total, second, switches = self.listen(
            powers + self.beat, parts
        )
        value = np.log(total).sum(dtype=float) - numbers @ numbers / 2
        down, slope = (one - zero) / total, zero * one / total**2 * (1 - switches)
        for place in range(self.places - 2, -1, -1):
            down[place] += slope[place] * down[place + 1]
        ahead = np.zeros_like(down)
        ahead[:-1] = down[1:] * (1 - switches)
        both = before * (1 - before) / total**2 * ahead
        at_one, at_zero = before / total + both * zero, (1 - before) / total - both * one
        said = np.stack([at_zero, at_one]) * self.given
        said = said.transpose(2, 0, 1, 3).reshape(clean.shape)
        past = before[:-1] * one[:-1] / total[:-1]
        by_switches = (down[1:] * (second - past)).sum(axis=(0, 2))
        by_second = (switches * down[1:].sum(axis=0) + down[0]).sum(axis=1)
        by_smudged = (said * (1 / SYMBOLS - clean)).sum(axis=(1, 2))
        weight = said * (1 - smudged[:, None, None]) * clean
        by_powers = weight[:, :, None] * (self.after - soft)
        if squared:
            return self.sureness(by_powers**2, strength, mixed)
        flat = by_powers.reshape(self.count, 2 * SYMBOLS, -1) @ self.inputs
        tables = flat.reshape(self.count, 2, SYMBOLS, FARTHEST, SYMBOLS).transpose(0, 1, 3, 4, 2)
        by_mixed = tables * strength[:, None, :, None, None]
        by_strength = VARIES * (by_mixed * mixed).sum(axis=(1, 3, 4))
        second, switches = second[:, 0], switches[:, 0]
        found = {
            "common": COMMON**0.5 * by_mixed.sum(axis=0),
            "weight": by_strength.sum(axis=0),
            "own": (1 - COMMON) ** 0.5 * by_mixed,
            "strength": by_strength,
            "first": FIRST * by_powers.sum(axis=3),
            "second": SECOND[1] * by_second * second * (1 - second),
            "switches": SWITCHES[1] * by_switches * switches * (1 - switches),
            "smudged": SMUDGED[1] * by_smudged * smudged * (1 - smudged),
        }
        return value, np.concatenate([found[name].ravel() for name in self.shapes]) - numbers

    def sureness(self, squares, strength, mixed):
        """One plus the sum of the squared slopes of all symbols, for each number."""
        flat = squares.reshape(self.count, 2 * SYMBOLS, -1) @ self.inputs
        tables = flat.reshape(self.count, 2, SYMBOLS, FARTHEST, SYMBOLS).transpose(0, 1, 3, 4, 2)
        tables = tables * strength[:, None, :, None, None] ** 2
        by_strength = VARIES**2 * (tables * mixed**2).sum(axis=(1, 3, 4))
        few = np.full(self.count, 9.0)
        found = [COMMON * tables.sum(axis=0), by_strength.sum(axis=0), (1 - COMMON) * tables, by_strength]
        found += [FIRST**2 * squares.sum(axis=3), few, few, few]
        return 1.0 + np.concatenate([part.ravel() for part in found])

    def densities(self, numbers):
        """The log density of each source, without what is common."""
        parts = self.split(numbers)
        found = np.log(self.listen(self.powers(parts)[0] + self.beat, parts)[6]).sum(axis=(0, 2), dtype=float)
        for name in list(self.shapes)[2:]:
            found -= (parts[name].reshape(self.count, -1) ** 2).sum(axis=1) / 2
        return found

    def shift(self, numbers, random):
        """Numbers drawn among those with the same tables: what is common and how strong each part is."""
        numbers = numbers.copy()
        parts = self.split(numbers)
        left, right = COMMON**0.5, (1 - COMMON) ** 0.5
        steps = random.uniform(0.04, 0.08) * np.arange(-25, 26)[:, None, None]
        shrink = np.exp(-VARIES * steps)
        own, common = parts["own"], parts["common"]
        mixed = left * common + right * own
        squares, both = (mixed**2).sum(axis=(1, 3, 4)), (mixed * common).sum(axis=(1, 3, 4))
        density = -(shrink**2 * squares - 2 * left * shrink * both) / right**2 / 2
        density -= (parts["strength"] + steps) ** 2 / 2 + VARIES * steps * common[:, 0].size
        chosen = steps[(density + random.gumbel(size=density.shape)).argmax(axis=0), 0, 0]
        parts["strength"] += chosen
        mixed *= np.exp(-VARIES * chosen)[:, None, :, None, None]
        sure = 1 + self.count * COMMON / (1 - COMMON)
        common[:] = left / right**2 / sure * mixed.sum(axis=0) + random.normal(0.0, sure**-0.5, common.shape)
        own[:] = (mixed - left * common) / right
        total, sure = parts["weight"] + parts["strength"], 1 + self.count
        parts["weight"][:] = total.sum(axis=0) / sure + random.normal(0.0, sure**-0.5, FARTHEST)
        parts["strength"][:] = total - parts["weight"]
        return numbers

    def odds(self, numbers):
        """The odds of the symbol after each text."""
        parts = self.split(numbers)
        soft, _, smudged, _, _, before, _, _, _ = self.listen(self.powers(parts)[0] + self.beat, parts)
        soft = soft.reshape(self.count, 2, SYMBOLS, self.places, self.texts).transpose(0, 3, 4, 1, 2)
        source, text, place = *np.indices(self.sizes.shape), self.sizes - FARTHEST
        one = before[place, source, text][..., None]
        soft = soft[source, place, text]
        odds = (1 - one) * soft[:, :, 0] + one * soft[:, :, 1]
        return (1 - smudged[:, None, None]) * odds + smudged[:, None, None] / SYMBOLS


class Beats:
    """The beat of each source: which of some (every, back) and how strong, drawn given all else."""

    def __init__(self, law):
        self.law = law
        pairs = [(beat, back) for beat in range(3, 7) for back in range(1, FARTHEST + 1)]
        self.marks = np.stack([law.copied(*pair) for pair in pairs])
        density = COPIES * np.exp(-COPIES / 1.2) * np.gradient(COPIES)
        self.prior = np.log(0.5 * density / density.sum() / len(pairs) + 1e-30)
        self.tried = np.tile(np.arange(len(pairs)), (law.count, 1))

    def values(self, numbers):
        """The log likelihoods of each source with each tried beat and strength, and without."""
        law, rows = self.law, np.arange(self.law.count)
        parts = law.split(numbers)
        powers = law.powers(parts)[0]
        found = np.zeros((law.count, self.tried.shape[1], len(COPIES)))
        none = np.log(law.listen(powers, parts)[6]).sum(axis=(0, 2), dtype=float)
        for number in range(self.tried.shape[1]):
            marks = self.marks[self.tried[:, number], rows]
            for place, copies in enumerate(COPIES[1:], 1):
                total = law.listen(powers + np.float32(copies) * marks, parts)[6]
                found[:, number, place] = np.log(total).sum(axis=(0, 2), dtype=float)
        found += self.prior
        found[:, :, 0] = (none + np.log(0.5 / self.tried.shape[1]))[:, None]
        return found

    def narrow(self, numbers, few):
        """Try only the best beats of each source from now on."""
        best = self.values(numbers).max(axis=2)
        self.tried = np.take_along_axis(self.tried, np.argsort(-best, axis=1)[:, :few], axis=1)

    def draw(self, numbers, random):
        """Set the beat of each source to one drawn given the numbers."""
        values = self.values(numbers).reshape(self.law.count, -1)
        values += random.gumbel(size=values.shape)
        pair, place = np.divmod(values.argmax(axis=1), len(COPIES))
        rows = np.arange(self.law.count)
        marks = self.marks[self.tried[rows, pair], rows]
        self.law.beat = marks * COPIES[place].astype(np.float32)[:, None, None, None]


def climb(law, numbers, moves=1.0):
    """Towards the highest density, with steps whose sizes follow the slopes; only where moves is one."""
    mean, square = np.zeros(law.size), np.zeros(law.size)
    for number in range(1, ROUNDS + 1):
        value, slopes = law.slopes(numbers)
        slopes = slopes * moves
        mean, square = 0.8 * mean + 0.2 * slopes, 0.97 * square + 0.03 * slopes**2
        rate = 0.12 * min(1.0, 2 * (1 - number / (ROUNDS + 1)))
        numbers = numbers + rate * mean / (1 - 0.8**number) / np.sqrt(square / (1 - 0.97**number) + 1e-3)
    return value, numbers


def turn(law, numbers):
    """Start each source again from what is common, with either tongue as the usual one; keep what is best."""
    moves = np.ones(law.size)
    law.split(moves)["common"][:] = law.split(moves)["weight"][:] = 0.0
    tried = [numbers]
    for second in (-1.0, 1.0):
        start = numbers * (1 - moves)
        law.split(start)["second"][:] = second
        tried.append(climb(law, start, moves)[1])
    best = np.array([law.densities(one) for one in tried]).argmax(axis=0)
    parts = [law.split(one) for one in tried]
    for name in list(law.shapes)[2:]:
        law.split(numbers)[name][:] = np.array([part[name] for part in parts])[best, np.arange(law.count)]
    return numbers


def sample(law, beats, numbers, random):
    """The odds on the mean over numbers drawn from their density after the data."""
    scale = law.slopes(numbers, True) ** -0.5
    step, total = STEP, 0.0
    value, slopes = law.slopes(numbers)
    for number in range(BURN + KEPT):
        speed = random.normal(0.0, 1.0, law.size)
        place, start = numbers, value - speed @ speed / 2
        length = step * random.uniform(0.8, 1.2)
        new_value, new_slopes = value, slopes
        for _ in range(LEAPS):
            speed = speed + length / 2 * scale * new_slopes
            place = place + length * scale * speed
            new_value, new_slopes = law.slopes(place)
            speed = speed + length / 2 * scale * new_slopes
        change = new_value - speed @ speed / 2 - start
        accepted = np.exp(min(0.0, change)) if np.isfinite(change) else 0.0
        if random.random() < accepted:
            numbers, value, slopes = place, new_value, new_slopes
        step *= np.exp((0.15 if number < BURN else 0.03) * (accepted - 0.7))
        if number in RESCALED:
            scale = law.slopes(numbers, True) ** -0.5
        numbers = law.shift(numbers, random)
        if number % 8 == 7:
            beats.draw(numbers, random)
        value, slopes = law.slopes(numbers)
        if number >= BURN:
            total = total + law.odds(numbers)
    return total / KEPT


def odds_of(problem):
    """For each source and text, the odds of the next symbol."""
    law, random = Law(problem["sources"]), np.random.default_rng(SEED)
    tried = [climb(law, random.normal(0.0, 0.3, law.size)) for _ in range(STARTS)]
    numbers = turn(law, max(tried, key=lambda pair: pair[0])[1])
    beats = Beats(law)
    beats.narrow(numbers, 4)
    beats.draw(numbers, random)
    odds = sample(law, beats, numbers, random)
    return (odds / odds.sum(axis=2, keepdims=True)).astype(float).round(6).tolist()


def main():
    problem = json.loads(Path("problem.json").read_text())
    Path("answers.json").write_text(json.dumps({"odds": odds_of(problem)}))


if __name__ == "__main__":
    main()
