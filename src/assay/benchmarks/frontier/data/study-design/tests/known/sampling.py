"""Draws from the posterior law of the effects."""

import numpy as np
from parts import LIMITS, NAMES, SCALE, strengths

CANDIDATES = 20


class Chain:
    """One Markov chain for each situation of a batch."""

    def __init__(self, batch, source):
        self.batch, self.source = batch, source
        self.places, self.logarithm = source.random((batch.count, len(NAMES))), np.full(batch.count, SCALE[0])
        self.factor, self.values = np.ones((batch.count, batch.length)), batch.values.copy()
        self.limit, self.centre = LIMITS[source.integers(0, len(LIMITS), batch.count)], np.zeros(batch.count)
        most = max(int(batch.lost.sum(1).max()), 1)
        order = np.argsort(~batch.lost, 1, kind="stable")[:, :most]
        self.order, self.counts = order, np.take_along_axis(batch.lost, order, 1)
        self.state = self.judge(self.places, self.logarithm)

    def judge(self, places, logarithm):
        """Likelihood, means and variances; the prior of the scale is part of the likelihood."""
        found = self.batch.posterior(strengths(places), np.exp(logarithm), self.factor, self.values)
        return found[0] - 0.5 * ((logarithm - SCALE[0]) / SCALE[1]) ** 2, *found[1:]

    def move(self):
        """Propose other strengths: a few of them, by a small or a large step around the circle of places."""
        source, count = self.source, self.batch.count
        ranks = source.random(self.places.shape).argsort(1)
        size = np.where(source.random((count, 1)) < 0.5, 1.0, 0.12)
        places = (self.places + size * source.uniform(-1, 1, self.places.shape)) % 1.0
        places = np.where(ranks < source.integers(1, 4, (count, 1)), places, self.places)
        logarithm = self.logarithm + np.where(source.random(count) < 0.5, 0.15, 0.0) * source.normal(size=count)
        state = self.judge(places, logarithm)
        accepted = np.log(source.random(count)) < state[0] - self.state[0]
        self.places = np.where(accepted[:, None], places, self.places)
        self.logarithm = np.where(accepted, logarithm, self.logarithm)
        self.state = tuple(
            np.where(accepted if new.ndim == 1 else accepted[:, None], new, old) for new, old in zip(state, self.state, strict=True)
        )

    def redraw(self):
        """Draw the lost values, the limit, and which results are wild or come from another arm."""
        batch, source, along = self.batch, self.source, np.arange(self.batch.length)
        strength, scale = strengths(self.places), np.exp(self.logarithm)
        signal, _, _, noise = batch.covariances(strength, scale)
        square = (scale**2)[:, None]
        variance = np.where(batch.there, noise * self.factor * square + batch.rounding, 1.0)
        padded = signal.copy()
        padded[:, along, along] += np.where(batch.there, 1e-6 * square, 1.0)
        root = np.linalg.cholesky(padded)
        total = signal.copy()
        total[:, along, along] += variance
        if batch.lost.any():
            self._draw_together(total, signal, root, variance, scale)
            self._draw_in_turn(total, scale)
        clean = (root @ source.normal(size=(*variance.shape, 1)))[:, :, 0]
        rest = np.where(batch.there, self.values - clean - np.sqrt(variance) * source.normal(size=variance.shape), 0.0)
        clean = clean + (signal @ np.linalg.solve(total, rest[:, :, None]))[:, :, 0]
        self._draw_wild(strength, noise, clean, square)
        if batch.lost.any():
            self._draw_limit(clean, scale)
        self.state = self.judge(self.places, self.logarithm)

    def _draw_wild(self, strength, noise, clean, square):
        batch, source = self.batch, self.source
        wild, wrong = strength["wild"][:, None], strength["wrong"][:, None]
        factors = (np.ones_like(noise), (strength["wild_size"] ** 2)[:, None] * np.ones_like(noise), 1 + 1 / noise)
        chances = []
        for factor, chance in zip(factors, (1 - wild - wrong, wild, wrong), strict=True):
            variance = noise * factor * square + batch.rounding
            density = np.exp(-0.5 * (self.values - clean) ** 2 / variance) / np.sqrt(variance)
            chances.append(chance * np.where(batch.lost, 1.0, density + 1e-300))
        draw = source.random(noise.shape) * sum(chances)
        self.factor = np.where(draw < chances[0], 1.0, np.where(draw < chances[0] + chances[1], factors[1], factors[2]))

    def chance(self, values, limit, scale, centre):
        """The chance that a value is lost."""
        beyond = ((values - centre) / scale - limit[..., 0]) / limit[..., 1]
        return limit[..., 2] / (1 + np.exp(-np.clip(beyond, -30, 30)))

    def _draw_together(self, total, signal, root, variance, scale):
        """All lost values and the limit from a few candidates, one of which is the present state."""
        batch, source, along = self.batch, self.source, np.arange(self.batch.length)
        lost, shape = batch.lost[:, :, None], (*variance.shape, CANDIDATES)
        wide = total.copy()
        wide[:, along, along] += np.where(batch.lost, 1e6 * (scale**2)[:, None], 0.0)
        clean, noise = root @ source.normal(size=shape), np.sqrt(variance)[:, :, None] * source.normal(size=shape)
        hidden = 1e3 * scale[:, None, None] * source.normal(size=shape)
        rest = np.where(batch.seen, self.values, 0.0)[:, :, None] - clean - np.where(lost, hidden, noise)
        clean = clean + signal @ np.linalg.solve(wide, np.where(batch.there[:, :, None], rest, 0.0))
        drawn = np.take_along_axis(clean + noise, self.order[:, :, None], 1)
        drawn[:, :, 0] = np.take_along_axis(self.values, self.order, 1)
        sizes, centres = scale[:, None, None], self.centre[:, None, None]
        kept = np.log1p(-0.999 * self.chance(self.values[:, :, None], LIMITS, sizes, centres))
        kept = np.where(batch.seen[:, :, None], kept, 0.0).sum(1)
        gone = np.log(self.chance(drawn[..., None], LIMITS, sizes[..., None], centres[..., None]) + 1e-9)
        likelihood = np.where(self.counts[:, :, None, None], gone, 0.0).sum(1) + kept[:, None, :]
        candidate, limit = np.divmod(self._choose(likelihood.reshape(batch.count, -1)), len(LIMITS))
        self.limit = LIMITS[limit]
        chosen = drawn[np.arange(batch.count), :, candidate]
        rows, columns = np.nonzero(self.counts)
        self.values[rows, self.order[rows, columns]] = chosen[rows, columns]

    def _choose(self, likelihood):
        summed = np.exp(likelihood - likelihood.max(1, keepdims=True)).cumsum(1)
        draw = self.source.random((len(summed), 1)) * summed[:, -1:]
        return (summed < draw).sum(1).clip(0, summed.shape[1] - 1)

    def _draw_in_turn(self, total, scale):
        """Each lost value, given all other values."""
        inverse, rows = np.linalg.inv(total), np.arange(self.batch.count)
        product = (inverse @ np.where(self.batch.there, self.values, 0.0)[:, :, None])[:, :, 0]
        for number in range(self.order.shape[1]):
            at = self.order[:, number]
            precision = inverse[rows, at, at]
            mean = self.values[rows, at] - product[rows, at] / precision
            drawn = mean[:, None] + self.source.normal(size=(len(rows), 16)) / np.sqrt(precision)[:, None]
            chances = self.chance(drawn, self.limit[:, None, :], scale[:, None], self.centre[:, None])
            new = drawn[rows, self._choose(np.log(chances + 1e-9))]
            change = np.where(self.counts[:, number], new - self.values[rows, at], 0.0)
            self.values[rows, at] += change
            product += inverse[rows, :, at] * change[:, None]

    def _draw_limit(self, clean, scale):
        batch = self.batch
        self.centre = np.where(batch.there, clean, 0.0).sum(1) / batch.there.sum(1)
        chance = self.chance(self.values[:, :, None], LIMITS, scale[:, None, None], self.centre[:, None, None])
        likelihood = np.where(batch.lost[:, :, None], np.log(chance + 1e-12), np.log1p(-0.999 * chance))
        self.limit = LIMITS[self._choose((likelihood * batch.there[:, :, None]).sum(1))]


def draw_effects(batch, source, steps, left_out, redraw_every=3):
    """Means and variances of the effects, given draws of everything else."""
    chain, means, variances = Chain(batch, source), [], []
    for step in range(steps):
        chain.move()
        if step % redraw_every == redraw_every - 1:
            chain.redraw()
        if step >= left_out and step % 2:
            means.append(chain.state[1])
            variances.append(chain.state[2])
    return np.array(means), np.array(variances)


def normal_share(values):
    """The distribution function of the normal law, to seven digits."""
    values = np.clip(values, -8, 8)
    near = 1 / (1 + 0.2316419 * np.abs(values))
    sums = near * (0.319381530 + near * (-0.356563782 + near * (1.781477937 + near * (-1.821255978 + near * 1.330274429))))
    tail = 0.3989422804 * np.exp(-values * values / 2) * sums
    return np.where(values > 0, 1 - tail, tail)


def quantile(means, variances, share):
    """The quantile of equal mixtures of normal laws, by halving."""
    deviations = np.sqrt(variances)
    low, high = (means - 8 * deviations).min(0), (means + 8 * deviations).max(0)
    for _ in range(40):
        middle = (low + high) / 2
        below = normal_share((middle - means) / deviations).mean(0) < share
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return (low + high) / 2
