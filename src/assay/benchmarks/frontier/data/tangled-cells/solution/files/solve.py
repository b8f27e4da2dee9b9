"""Finds the ring, fits all systems with one belief, samples the posterior. Run: `python solve.py`."""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import json
from itertools import combinations
from pathlib import Path

import numpy as np

STEP, INSIDE, NUDGE, FREEDOM = 0.1, 2, 1e-4, 2.5
CHAINS, BURN, KEPT, EVERY = 16, 180, 280, 5
FORCE, HABIT, LEVEL, MIDDLE = 0.15, 0.4, 0.2, np.log(4.5)
"""The beliefs were tuned on drawn problems. Deviations of the logarithm of a force: its own,
by cell for all systems, by system; and the mean."""
CARRY, SKEW, DAMPING, BRIDGE = range(10, 14)
CELLS, NUMBERS, NOISE, SEED = 10, 14, 0.9, 1
LEFT, FARTHER, RIGHT = ((np.arange(CELLS) - back) % CELLS for back in (1, 2, -1))


def find_ring(windows):
    """The order of the cells in the ring, from a regression of slopes on products for all systems."""
    windows = np.clip(windows.reshape(-1, *windows.shape[2:]), -15, 20)
    smooth = (windows[:, :-2] + windows[:, 1:-1] + windows[:, 2:]).reshape(-1, CELLS) / 3
    slopes = (windows[:, 2:] - windows[:, :-2]).reshape(-1, CELLS) / (2 * STEP)
    pairs = list(combinations(range(CELLS), 2))
    inputs = [np.ones(len(smooth)), *smooth.T, *(smooth[:, one] * smooth[:, two] for one, two in pairs)]
    weights = np.linalg.lstsq(np.column_stack(inputs), slopes, rcond=None)[0][1 + CELLS :]
    table = np.zeros((CELLS, CELLS, CELLS))
    for (one, two), row in zip(pairs, weights, strict=True):
        table[:, one, two] = table[:, two, one] = row

    def value(ring):
        return (table[ring, ring[RIGHT], ring[LEFT]] - table[ring, ring[FARTHER], ring[LEFT]]).sum()

    random, best = np.random.default_rng(SEED), (-np.inf, None)
    for _ in range(20):
        ring = random.permutation(CELLS)
        found, gain = value(ring), True
        while gain:
            gain = False
            for first, last in combinations(range(CELLS + 1), 2):
                middle, rest = ring[first:last], np.concatenate([ring[:first], ring[last:]])
                others = [np.concatenate([ring[:first], middle[::-1], ring[last:]])]
                others += [np.insert(rest, place, middle) for place in range(len(rest) + 1)]
                for other in others:
                    if value(other) > found + 1e-9:
                        ring, found, gain = other, value(other), True
                        break
        best = max(best, (found, ring.tolist()))
    return np.array(best[1])


class Paths:
    """Moves many states at once, by cell; copies of some cells make the neighbours views."""

    def __init__(self, state, numbers):
        self.cells, many = state.copy(), np.ones((CELLS, 1), dtype=state.dtype)
        self.force, self.carry = np.exp(numbers[:CELLS]), many * np.exp(numbers[CARRY])
        self.skew, self.bridge = many * numbers[SKEW], many * numbers[BRIDGE]
        self.damping = many * np.exp(numbers[DAMPING]) + self.bridge
        self.ring = np.empty((16, self.cells.shape[1]), dtype=state.dtype)
        self.spare, self.part, self.total = (np.empty_like(self.cells) for _ in range(3))

    def slope(self, found):
        """How fast each cell of the ring changes."""
        ring, spare = self.ring, self.spare
        ring[:5], ring[15] = ring[10:15], ring[5]
        np.subtract(ring[6:], ring[3:13], out=found)
        found *= self.carry
        found += self.skew
        found *= ring[4:14]
        found += self.force
        found -= np.multiply(ring[6:], self.skew, out=spare)
        found -= np.multiply(ring[5:15], self.damping, out=spare)
        found += np.multiply(ring[:10], self.bridge, out=spare)

    def move(self):
        """One recorded step by the method of Runge and Kutta."""
        size, middle, part, total = STEP / INSIDE, self.ring[5:15], self.part, self.total
        for _ in range(INSIDE):
            middle[:] = self.cells
            self.slope(total)
            np.multiply(total, size / 2, out=part)
            for ahead in (size / 2, size):
                np.add(self.cells, part, out=middle)
                self.slope(part)
                total += part
                total += part
                part *= ahead
            np.add(self.cells, part, out=middle)
            self.slope(part)
            total += part
            total *= size / 6
            self.cells += total
        np.clip(self.cells, -60, 60, out=self.cells)

    def run(self, steps):
        """All states of some steps, by step, cell and path."""
        found = np.empty((steps, *self.cells.shape), dtype=self.cells.dtype)
        found[0] = self.cells
        for step in range(1, steps):
            self.move()
            found[step] = self.cells
        return found


def run(state, numbers, steps):
    """All states of some steps: the last axis has the cells, the one before the steps."""
    numbers = np.broadcast_to(numbers, (*state.shape[:-1], NUMBERS)).reshape(-1, NUMBERS)
    found = Paths(np.array(state.reshape(-1, CELLS).T, order="C"), np.array(numbers.T, order="C")).run(steps)
    return found.transpose(2, 0, 1).reshape(*state.shape[:-1], steps, CELLS)


class Belief:
    """What is believed before the data: the numbers of each system and the first state of each window."""

    def __init__(self, windows):
        pooled = np.median(windows, axis=(0, 1, 2))
        self.middle = (0.5 * np.median(windows, axis=(1, 2)) + 0.5 * pooled)[:, None]
        low, high = np.quantile(windows, [0.16, 0.84], axis=(1, 2, 3))
        self.tight = ((high - low) / 2)[:, None, None] ** -2.0
        self.mean, self.precision = self.numbers(np.zeros(CELLS), FORCE**2 + HABIT**2)

    @staticmethod
    def numbers(habits, variance):
        """A normal belief of the numbers, given the habits of the cells."""
        mean, cover = np.zeros(NUMBERS), np.diag([variance] * CELLS + [0.2**2, 0.8**2, 0.2**2, 0.4**2])
        mean[:CELLS], mean[DAMPING], mean[BRIDGE] = MIDDLE + habits, -0.1, 0.2
        cover[:CELLS, :CELLS] += LEVEL**2
        return mean, np.linalg.inv(cover)

    def state_energy(self, state):
        """For each window."""
        return 0.5 * (self.tight * (state - self.middle) ** 2).sum(axis=-1)

    def normal_energy(self, numbers):
        """For each system, by the normal belief."""
        away = numbers - self.mean
        return 0.5 * np.einsum("...i,ij,...j->...", away, self.precision, away)


def number_energy(numbers, habits, tight):
    """For each system and chain, by the belief in which skew and bridge may be absent."""
    away = numbers[:, :CELLS] - MIDDLE - habits
    energy = 0.5 * (away * (tight @ away)).sum(axis=1)
    energy += 0.5 * ((numbers[:, CARRY] / 0.2) ** 2 + ((numbers[:, DAMPING] + 0.1) / 0.2) ** 2)
    skew, bridge = np.abs(numbers[:, SKEW]), numbers[:, BRIDGE]
    strength = np.maximum(bridge, 0.0)
    energy -= np.log(0.5 * bell(skew, 0.04) + 0.5 * 2.0 * skew * np.exp(-2.0 * skew) + 1e-300)
    slab = strength * np.exp(-strength / 0.3) / 0.3**2
    return energy - np.log(0.6 * bell(bridge, 0.03) + 0.4 * slab + 1e-300)


def bell(value, spread):
    """The normal density."""
    return np.exp(-0.5 * (value / spread) ** 2) / (spread * np.sqrt(2 * np.pi))


def misfit(rest, noise):
    """For each window, minus the logarithm of the chance of its noise; the noise differs by system."""
    size = noise[..., None]
    terms = np.log1p(rest**2 / (FREEDOM * size[..., None, None] ** 2)).sum(axis=(-1, -2))
    return 0.5 * (FREEDOM + 1) * terms + rest.shape[-1] * rest.shape[-2] * np.log(size)


class Fit:
    """The likeliest numbers and first states of all systems, and a normal posterior around them."""

    def __init__(self, windows):
        self.windows, self.belief = windows, Belief(windows)
        self.numbers = np.tile(self.belief.mean, (len(windows), 1))
        self.state = 0.5 * windows[:, :, 0] + 0.3 * windows[:, :, 1] + 0.2 * self.belief.middle
        self.noise = np.full(len(windows), NOISE)
        self.damping = np.full(len(windows), 0.1)

    def energy(self, state, numbers, steps):
        """For each system, and what the windows leave over."""
        rest = self.windows[:, :, :steps] - run(state, numbers[:, None], steps)
        total = misfit(rest, self.noise) + self.belief.state_energy(state)
        return total.sum(axis=1) + self.belief.normal_energy(numbers), rest

    def curvature(self, steps):
        """The blocks of the energy's curvature and its slope, by the weights of heavy tails."""
        nudges = NUDGE * np.eye(CELLS + NUMBERS + 1)[:, None, None]
        paths = run(self.state + nudges[..., :CELLS], self.numbers[:, None] + nudges[..., CELLS:-1], steps)
        paths = np.moveaxis(paths.reshape(*paths.shape[:3], -1), 0, -1)
        slopes = (paths[..., :-1] - paths[..., -1:]) / NUDGE
        rest = self.windows[:, :, :steps].reshape(paths.shape[:3]) - paths[..., -1]
        size = self.noise[:, None, None]
        weights = (FREEDOM + 1) / (FREEDOM * size**2 + rest**2)
        inside = (slopes * weights[..., None]).swapaxes(-1, -2) @ slopes
        pull = ((weights * rest)[..., None, :] @ slopes)[..., 0, :]
        states = inside[..., :CELLS, :CELLS] + self.belief.tight[..., None] * np.eye(CELLS)
        state_pull = pull[..., :CELLS] - self.belief.tight * (self.state - self.belief.middle)
        both, own = (
            inside[..., :CELLS, CELLS:],
            inside[..., CELLS:, CELLS:].sum(axis=1) + self.belief.precision,
        )
        own_pull = pull[..., CELLS:].sum(axis=1) - (self.numbers - self.belief.mean) @ self.belief.precision
        return states, both, own, state_pull, own_pull

    def improve(self, steps, rounds):
        """Damped steps to the minimum with the first states of each window only."""
        energy, _ = self.energy(self.state, self.numbers, steps)
        for _ in range(rounds):
            states, both, own, state_pull, own_pull = self.curvature(steps)
            more = 1 + self.damping[:, None, None, None] * np.eye(CELLS)
            states = states * more
            own = own * (1 + self.damping[:, None, None] * np.eye(NUMBERS))
            ahead = np.linalg.solve(states, np.concatenate([both, state_pull[..., None]], axis=-1))
            inside = own - (both.swapaxes(-1, -2) @ ahead[..., :-1]).sum(axis=1)
            right = own_pull - (both.swapaxes(-1, -2) @ ahead[..., -1:])[..., 0].sum(axis=1)
            change = np.clip(np.linalg.solve(inside, right[..., None])[..., 0], -0.5, 0.5)
            state = self.state + np.clip(
                ahead[..., -1] - (ahead[..., :-1] @ change[:, None, :, None])[..., 0], -3, 3
            )
            found, _ = self.energy(state, self.numbers + change, steps)
            good = found < energy
            self.damping = np.where(good, self.damping * 0.3, self.damping * 5).clip(1e-4, 1e3)
            self.state[good], self.numbers[good] = state[good], (self.numbers + change)[good]
            energy = np.where(good, found, energy)

    def learn(self, steps):
        """New guesses of each system's noise and of the cells' habits, from what was found."""
        rest = self.energy(self.state, self.numbers, steps)[1].reshape(len(self.windows), -1)
        for _ in range(10):
            weights = (FREEDOM + 1) / (FREEDOM + (rest / self.noise[:, None]) ** 2)
            freed = 1.0 - (CELLS * self.windows.shape[1] + 10) / rest.shape[1]
            self.noise = np.sqrt((weights * rest**2).mean(axis=1) / freed).clip(0.3, 2.5)
        cover = self.normal(steps)[3]
        logs = self.numbers[:, :CELLS] - MIDDLE
        away = logs - logs.mean(axis=1, keepdims=True) * 0.9
        sure = 1 / (FORCE**2 + np.diagonal(cover, axis1=1, axis2=2)[:, :CELLS])
        self.belief.mean, self.belief.precision = self.belief.numbers(
            (sure * away).sum(axis=0) / (sure.sum(axis=0) + HABIT**-2), FORCE**2 + 0.05**2
        )

    def normal(self, steps):
        """Roots of the covers of states and numbers, how states follow, and the cover."""
        states, both, own, _, _ = self.curvature(steps)
        follow = np.linalg.solve(states, both)
        cover = np.linalg.inv(own - (both.swapaxes(-1, -2) @ follow).sum(axis=1))
        return np.linalg.cholesky(np.linalg.inv(states)), np.linalg.cholesky(cover), follow, cover


class Sampler:
    """Chains (the last axis) in the posterior, in coordinates in which it is nearly a standard normal."""

    def __init__(self, fit):
        self.fit, self.steps, self.random = fit, fit.windows.shape[2], np.random.default_rng(SEED)
        self.state_root, self.number_root, self.follow, _ = fit.normal(self.steps)
        self.state_middle, self.change_middle = fit.state[..., None], np.zeros((*fit.numbers.shape, 1))
        self.shape = (*fit.windows.shape[:2], CHAINS)
        windows = fit.windows.transpose(2, 3, 0, 1)[..., None].astype(np.float32)
        self.windows = np.repeat(windows, CHAINS, axis=-1).reshape(self.steps, CELLS, -1)
        self.first = 0.5 * self.random.normal(size=(*self.shape[:2], CELLS, CHAINS))
        self.second = 0.5 * self.random.normal(size=(self.shape[0], NUMBERS, CHAINS))
        self.noise = np.tile(fit.noise[:, None], (1, CHAINS))
        self.habits = np.tile((fit.belief.mean[:CELLS] - MIDDLE)[:, None], (1, CHAINS))
        self.tight = np.linalg.inv(FORCE**2 * np.eye(CELLS) + LEVEL**2)
        self.state, self.numbers = self.place(self.first, self.second)
        self.rest = self.leave(self.state, self.numbers)
        self.energy = self.energies(self.rest, self.state, self.noise)

    def place(self, first, second):
        """States and numbers at coordinates."""
        change = self.change_middle + self.number_root @ second
        state = self.state_middle + self.state_root @ first - self.follow @ change[:, None]
        return state, self.fit.numbers[..., None] + change

    def paths(self, state, numbers, steps):
        """All states of some steps, by step, cell and path."""
        state = state.transpose(2, 0, 1, 3).reshape(CELLS, -1).astype(np.float32)
        numbers = np.repeat(numbers.transpose(1, 0, 2)[:, :, None].astype(np.float32), self.shape[1], axis=2)
        return Paths(state, numbers.reshape(NUMBERS, -1)).run(steps)

    def leave(self, state, numbers):
        """What the windows leave over."""
        return self.windows - self.paths(state, numbers, self.steps)

    def energies(self, rest, state, noise):
        """For each window and chain."""
        size = np.broadcast_to(1 / (noise * np.sqrt(FREEDOM))[:, None], self.shape).reshape(-1)
        terms = (rest * size.astype(np.float32)) ** 2 + np.float32(1.0)
        logs = np.log(terms[:, :5] * terms[:, 5:]).sum(axis=(0, 1)).reshape(self.shape).astype(float)
        belief = self.fit.belief
        away = 0.5 * (belief.tight[..., None] * (state - belief.middle[..., None]) ** 2).sum(axis=2)
        return 0.5 * (FREEDOM + 1) * logs + self.steps * CELLS * np.log(noise)[:, None] + away

    def take(self, good, state, rest, energy):
        """The new states where they are good."""
        np.copyto(self.state, state, where=good[:, :, None])
        np.copyto(self.rest, rest, where=good.reshape(-1))
        np.copyto(self.energy, energy, where=good)

    def move_states(self, size):
        """A step of all windows by themselves; returns the share of chains that took it."""
        first = np.sqrt(1 - size**2)[..., None, None] * self.first
        first += size[..., None, None] * self.random.normal(size=first.shape)
        state, _ = self.place(first, self.second)
        rest = self.leave(state, self.numbers)
        energy = self.energies(rest, state, self.noise)
        gain = self.energy - energy + 0.5 * ((first**2).sum(axis=2) - (self.first**2).sum(axis=2))
        good = np.log(self.random.random(gain.shape)) < gain
        np.copyto(self.first, first, where=good[:, :, None])
        self.take(good, state, rest, energy)
        return good.mean(axis=-1)

    def move_numbers(self, size):
        """A step of the numbers of all systems, which the states follow."""
        second = np.sqrt(1 - size**2)[..., None, None] * self.second
        second += size[..., None, None] * self.random.normal(size=second.shape)
        state, numbers = self.place(self.first, second)
        rest = self.leave(state, numbers)
        energy = self.energies(rest, state, self.noise)
        gain = (self.energy - energy).sum(axis=1)
        gain += 0.5 * ((second**2).sum(axis=1) - (self.second**2).sum(axis=1))
        gain += number_energy(self.numbers, self.habits, self.tight)
        gain -= number_energy(numbers, self.habits, self.tight)
        good = np.log(self.random.random(gain.shape)) < gain
        np.copyto(self.second, second, where=good[:, None])
        np.copyto(self.numbers, numbers, where=good[:, None])
        self.take(np.repeat(good[:, None], self.shape[1], axis=1), state, rest, energy)
        return good.mean(axis=-1)

    def move_noise(self):
        """A step of the noise of all systems."""
        noise = self.noise * np.exp(0.15 * self.random.normal(size=self.noise.shape))
        energy = self.energies(self.rest, self.state, noise)
        gain = (self.energy - energy).sum(axis=1)
        gain += 0.5 * (np.log(self.noise / NOISE) ** 2 - np.log(noise / NOISE) ** 2) / 0.3**2
        good = np.log(self.random.random(gain.shape)) < gain
        np.copyto(self.noise, noise, where=good)
        np.copyto(self.energy, energy, where=good[:, None])

    def draw_habits(self):
        """The cells' habits, given all forces."""
        logs = self.numbers[:, :CELLS] - MIDDLE
        sure = CELLS / FORCE**2 + LEVEL**-2
        level = (logs - self.habits).sum(axis=1) / FORCE**2 / sure
        level += self.random.normal(size=level.shape) / np.sqrt(sure)
        sure = len(logs) / FORCE**2 + HABIT**-2
        self.habits = (logs - level[:, None]).sum(axis=0) / FORCE**2 / sure
        self.habits += self.random.normal(size=self.habits.shape) / np.sqrt(sure)

    def settle(self, firsts, seconds):
        """New coordinates from those of draws, nearer to a standard normal."""
        middle, root = moments(np.concatenate(firsts, axis=-1))
        self.state_middle = self.state_middle + self.state_root @ middle
        self.state_root, self.first = self.state_root @ root, np.linalg.solve(root, self.first - middle)
        middle, root = moments(np.concatenate(seconds, axis=-1))
        self.change_middle = self.change_middle + self.number_root @ middle
        self.number_root, self.second = self.number_root @ root, np.linalg.solve(root, self.second - middle)

    def sample(self, ahead):
        """Forecasts by many draws from the posterior."""
        small, large = np.full(self.shape[:2], 0.5), np.full(self.shape[0], 0.4)
        found, firsts, seconds = [], [], []
        for step in range(BURN + KEPT):
            states, numbers = self.move_states(small), self.move_numbers(large)
            if step % 3 == 0:
                self.move_noise()
                self.draw_habits()
            if step < BURN:
                small = (small * np.exp(0.1 * (states - 0.35))).clip(0.05, 0.95)
                large = (large * np.exp(0.1 * (numbers - 0.3))).clip(0.03, 0.95)
                firsts.append(self.first.copy())
                seconds.append(self.second.copy())
                if step + 1 in (BURN // 3, 2 * BURN // 3):
                    self.settle(firsts[len(firsts) // 3 :], seconds[len(seconds) // 3 :])
                    firsts, seconds = [], []
            elif step % EVERY == 0:
                path = self.paths(self.state, self.numbers, self.steps + max(ahead))
                later = path[[self.steps - 1 + time for time in ahead]].reshape(
                    len(ahead), CELLS, *self.shape
                )
                found.append(later.transpose(4, 2, 3, 0, 1).astype(float))
        return np.concatenate(found)


def moments(draws):
    """The mean of draws on the last axis and a root of their cover, a little widened."""
    middle = draws.mean(axis=-1, keepdims=True)
    away = draws - middle
    cover = away @ away.swapaxes(-1, -2) / draws.shape[-1]
    return middle, np.linalg.cholesky(1.15 * cover + 0.02 * np.eye(draws.shape[-2]))


def centre(draws):
    """The point with the least mean distance to the draws, for each window and time."""
    found = draws.mean(axis=0)
    for _ in range(15):
        near = 1 / np.sqrt(((draws - found) ** 2).mean(axis=-1, keepdims=True) + 1e-4)
        found = (near * draws).sum(axis=0) / near.sum(axis=0)
    return found


def fitted(windows):
    """The likeliest numbers and states, from short beginnings of the windows to whole ones."""
    fit, steps = Fit(windows), windows.shape[2]
    for part, rounds in ((4, 5), (7, 5), (steps, 8)):
        fit.improve(part, rounds)
    for _ in range(2):
        fit.learn(steps)
        fit.improve(steps, 5)
    return fit


def forecasts_of(problem):
    """For each system and window the states at the asked times."""
    windows = np.array(problem["windows"])
    ring = find_ring(windows)
    later = np.empty((*windows.shape[:2], len(problem["ahead"]), CELLS))
    later[..., ring] = centre(Sampler(fitted(windows[..., ring])).sample(problem["ahead"]))
    return later.round(3).tolist()


def main():
    problem = json.loads(Path("problem.json").read_text())
    Path("answers.json").write_text(json.dumps({"later": forecasts_of(problem)}))


if __name__ == "__main__":
    main()
