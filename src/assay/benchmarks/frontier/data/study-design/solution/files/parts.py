"""A Bayesian model of many situations at a time.

Given the strengths of the flaws, all values are jointly normal, so the effects follow by linear algebra. The strengths
are drawn by Metropolis steps; wild results, lost values and the limit above which values are lost by Gibbs steps.
"""

from statistics import NormalDist

import numpy as np

ARMS, SITES = 4, 4
NAMES = ("site", "site_arm", "unit", "unit_arm", "day", "warming", "ageing", "choosing", "noise", "ratio", "site_noise")
NAMES += ("wild", "wild_size", "wrong", "half", "kind1", "kind2", "kind3", "z0", "z1", "z2", "z3")
COLUMN = {name: number for number, name in enumerate(NAMES)}
LINEAR = NAMES[:8]
SCALE = (-0.2, 0.38)
"""Mean and deviation of the logarithm of the true scale divided by the first guess of it."""
QUANTILES = np.array([NormalDist().inv_cdf((number + 0.5) / 512) for number in range(512)])
LIMITS = np.array([(start, width, most) for start in np.linspace(-0.3, 1.5, 8) for width in (0.1, 0.3) for most in (0.5, 0.85)])
"""Where values begin to be lost (in scales above the mean), how gradually, and the largest chance."""


def sometimes(place, share, low, high):
    """A strength from its place in [0, 1): between two bounds with a probability, else 0."""
    return np.where(place < share, low + (high - low) * place / share, 0.0)


def strengths(places):
    """The strengths of all flaws, in units of the scale, from their places in the prior."""
    at = {name: places[:, number] for name, number in COLUMN.items()}
    first, kinds = COLUMN["z0"], COLUMN["kind1"]
    spread = sometimes(at["site_noise"], 0.45, 0.4, 0.9)
    normal = np.interp(places[:, first : first + SITES] * 512 - 0.5, np.arange(512), QUANTILES)
    return {
        "site": sometimes(at["site"], 0.7, 0.3, 1.2),
        "site_arm": sometimes(at["site_arm"], 0.5, 0.15, 0.7),
        "unit": 0.3 + at["unit"],
        "unit_arm": sometimes(at["unit_arm"], 0.4, 0.1, 0.5),
        "day": sometimes(at["day"], 0.7, 0.3, 1.3),
        "warming": sometimes(at["warming"], 0.4, 1.3, 1.3),
        "ageing": sometimes(at["ageing"], 0.3, 0.27, 0.27),
        "choosing": sometimes(at["choosing"], 0.35, 0.4, 1.0),
        "noise": 0.4 + 0.9 * at["noise"],
        "ratio": 0.2 + 0.6 * at["ratio"],
        "site_noise": np.exp(spread[:, None] * normal),
        "wild": sometimes(at["wild"], 0.5, 0.03, 0.12),
        "wild_size": 3 + 6 * at["wild_size"],
        "wrong": sometimes(at["wrong"], 0.4, 0.02, 0.09),
        "half": 0.5 + 11.5 * at["half"],
        "kinds": np.where(places[:, kinds : kinds + 3] < 0.4, 0.1, 1.5),
    }


class Batch:
    """The measurements of many situations, pilot and study, padded to one length."""

    def __init__(self, problems, plans, results=None):
        records = [all_records(problem, plan, results and results[number]) for number, (problem, plan) in enumerate(zip(problems, plans, strict=True))]
        self.count, self.length = len(problems), max(map(len, records))
        shape = (self.count, self.length)
        self.there, table, steps = np.zeros(shape, bool), np.zeros((*shape, 7)), np.ones(shape)
        for number, rows in enumerate(records):
            self.there[number, : len(rows)] = True
            table[number, : len(rows)] = rows
            steps[number, : len(rows)] = np.array(problems[number]["rounding"])[table[number, : len(rows), 2].astype(int)]
        self.unit, self.arm, self.device, self.day = (table[:, :, column].astype(int) for column in range(4))
        self.place = table[:, :, 4] / np.array([problem["day_size"] for problem in problems])[:, None]
        self.in_pilot = (table[:, :, 5] > 0) & self.there
        self.lost = np.isnan(table[:, :, 6]) & self.there
        self.seen = self.there & ~self.lost
        self._scale(table[:, :, 6], steps)
        self._units(problems)
        self._kernels()

    def _scale(self, values, steps):
        """Centre the values and divide them by a first guess of the scale."""
        guesses = []
        for row, seen, there, step in zip(values, self.seen, self.there, steps, strict=True):
            distance = np.abs(row[seen] - np.median(row[seen])) if seen.any() else np.zeros(1)
            guesses.append((np.median(row[seen]) if seen.any() else 0.0, max(np.median(distance), 0.8 * distance.mean(), 0.3 * step[there].max(), 1e-9)))
        centre, self.guess = np.array(guesses).T
        self.values = np.where(self.seen, (values - centre[:, None]) / self.guess[:, None], 0.0)
        self.rounding = (steps / self.guess[:, None]) ** 2 / 12

    def _units(self, problems):
        """What is known of the units, and of those that the asked effects are means over."""
        most = max(len(problem["sites"]) for problem in problems)
        sites, x, self.weight = np.full((self.count, most), -1), np.zeros((self.count, most)), np.zeros(self.count)
        for number, problem in enumerate(problems):
            count = len(problem["sites"])
            sites[number, :count], x[number, :count], self.weight[number] = problem["sites"], problem["x"], 1 / count
        self.site = np.where(self.there, np.take_along_axis(sites, self.unit, 1), 0)
        self.x = np.take_along_axis(x, self.unit, 1)
        self.shares = (sites[:, :, None] == np.arange(SITES)).sum(1) * self.weight[:, None]
        doses = np.array([problem["doses"] or [0, 0, 0] for problem in problems], float)
        self.doses, self.dosed = doses, doses[:, 2] > 0
        counts = np.zeros((self.count, most, ARMS))
        rows, columns = np.nonzero(self.in_pilot)
        np.add.at(counts, (rows, self.unit[rows, columns], self.arm[rows, columns]), 1)
        total = counts.sum(2, keepdims=True)
        leaning = np.where(total > 0, counts / np.maximum(total, 1) - 1 / ARMS, 0.0)
        self.leaning = np.take_along_axis(leaning, self.unit[:, :, None], 1) * self.there[:, :, None]

    def _kernels(self):
        """The covariances that a unit of each strength adds."""
        pair = (self.there[:, :, None] & self.there[:, None, :]).astype(float)

        def same(index):
            return (index[:, :, None] == index[:, None, :]) * pair

        def product(value):
            return value[:, :, None] * value[:, None, :] * pair

        arms = same(self.arm)
        late = self.day - self.day.max(1)[:, None] / 2
        fixed = 30 * pair + 0.36 * product(self.x) + 0.25 * product(self.device)
        site, unit = same(self.site), same(self.unit)
        chosen = self.leaning @ self.leaning.transpose(0, 2, 1) * 4 / 3
        parts = [fixed, site, site * arms, unit, unit * arms, same(self.day), product(self.place), product(late), chosen]
        self.kernels = np.stack([part.reshape(self.count, -1) for part in parts], 1)
        self.given = (self.arm[:, :, None] == np.arange(ARMS)) * self.there[:, :, None] * 1.0
        self.site_share = np.take_along_axis(self.shares, self.site, 1) * self.there

    def effect_covariance(self, strength):
        """The prior covariance of the means of the arms, the first of which is 0."""
        curve = self.doses / (self.doses + strength["half"][:, None])
        curve = np.where(self.dosed[:, None], curve / np.maximum(curve[:, 2:], 1e-9), 0.0)
        dosed = 4 * curve[:, :, None] * curve[:, None, :] + 0.01 * np.eye(3)
        free = 0.36 + np.eye(3) * (strength["kinds"] ** 2)[:, None, :]
        covariance = np.zeros((self.count, ARMS, ARMS))
        covariance[:, 1:, 1:] = np.where(self.dosed[:, None, None], dosed, free)
        return covariance

    def covariances(self, strength, scale):
        """Of the values without noise, of these with the effects, of the effects, and the variances of the noise."""
        weights = np.stack([np.ones(self.count)] + [strength[name] ** 2 for name in LINEAR], 1)
        signal = (weights[:, None, :] @ self.kernels).reshape(self.count, self.length, self.length)
        arms, square = self.effect_covariance(strength), (scale**2)[:, None]
        crossed = self.given @ arms
        signal += crossed @ self.given.transpose(0, 2, 1)
        by_site, by_unit = strength["site_arm"] ** 2, strength["unit_arm"] ** 2
        own = by_site[:, None] * self.site_share + (by_unit * self.weight)[:, None] * self.there
        crossed = crossed + own[:, :, None] * self.given
        crossed = crossed[:, :, 1:] - crossed[:, :, :1]
        prior = arms + np.eye(ARMS) * (by_site * (self.shares**2).sum(1) + by_unit * self.weight)[:, None, None]
        prior = prior[:, 1:, 1:] - prior[:, 1:, :1] - prior[:, :1, 1:] + prior[:, :1, :1]
        noise = strength["noise"][:, None] * np.where(self.device == 1, strength["ratio"][:, None], 1.0)
        noise = (noise * np.take_along_axis(strength["site_noise"], self.site, 1)) ** 2
        return signal * square[:, :, None], crossed * square[:, :, None], prior * square[:, :, None], noise

    def posterior(self, strength, scale, factor, values):
        """The logarithm of the likelihood, and the means and variances of the effects."""
        signal, crossed, prior, noise = self.covariances(strength, scale)
        size, along = self.length, np.arange(self.length)
        bordered = np.zeros((self.count, size + 4, size + 4))
        bordered[:, :size, :size] = signal
        bordered[:, along, along] += np.where(self.there, noise * factor * (scale**2)[:, None] + self.rounding, 1.0)
        bordered[:, size, :size], bordered[:, size + 1 :, :size] = values, crossed.transpose(0, 2, 1)
        corner = np.arange(size, size + 4)
        bordered[:, corner, corner] = 1e8
        root = np.linalg.cholesky(bordered)
        explained, gains = root[:, size, :size], root[:, size + 1 :, :size]
        likelihood = -0.5 * (explained**2).sum(1) - np.log(root[:, along, along]).sum(1)
        means = (gains @ explained[:, :, None])[:, :, 0]
        variances = np.stack([prior[:, arm, arm] for arm in range(3)], 1) - (gains**2).sum(2)
        return likelihood, means, np.maximum(variances, 1e-9)


def all_records(problem, plan, values):
    """Rows of unit, arm, device, day, place, whether it belongs to the pilot, and value (NaN if lost)."""
    rows = [(each["unit"], each["arm"], each["device"], each["day"], each["place"], 1, np.nan if each["value"] is None else each["value"]) for each in problem["pilot"]]
    first = max(each["day"] for each in problem["pilot"]) + 1
    for slot, step in enumerate(plan):
        day, place = divmod(slot, problem["day_size"])
        value = 0.0 if values is None else np.nan if values[slot] is None else values[slot]
        rows.append((*step, first + day, place, 0, value))
    return rows
