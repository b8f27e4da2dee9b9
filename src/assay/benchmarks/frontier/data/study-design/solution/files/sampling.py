"""Draws from the posterior law of the effects, by a Gibbs sampler for many situations at a time."""

import numpy as np
from parts import ARMS, COLUMNS, FIRST, GROUP, NAMES, SHARED, SITES
from parts import arm_rows, asked, base_row, block, effect_laws

GRID = np.exp(np.linspace(np.log(0.04), np.log(5.0), 40))
"""Possible deviations, in units of the scale; the first one stands for an absent flaw."""
SCALES = np.exp(np.linspace(-1.6, 1.6, 65))
SCALE = (0.0, 0.4)
"""Possible scales, in units of the first guess; mean and deviation of the logarithm."""
PRIORS = {"site": (0.65, 0.4, 0.27), "device": (0.5, 0.15, 0.0), "day": (0.75, 0.4, 0.3)}
PRIORS |= {"warming": (1.2, 0.4, 0.6), "ageing": (0.26, 0.35, 0.6), "slope": (0.55, 0.3, 0.05)}
PRIORS |= {"unit": (0.75, 0.42, 0.0), "site_arm": (0.4, 0.4, 0.45), "unit_arm": (0.28, 0.45, 0.5)}
"""Median, deviation of the logarithm, and chance of absence, of the deviations that are drawn."""
NOISE = ((0.8, 0.35, 0.0), (0.38, 0.45, 0.0))
"""The same for the noise of the two devices."""
LEVEL = 6.0
FACTORS = np.exp(np.linspace(np.log(0.2), np.log(6), 24))
SPREADS, SPREAD_CHANCES = np.array([0.08, 0.4, 0.65, 0.9]), np.array([0.52, 0.16, 0.16, 0.16])
"""Possible factors of the noise of a site, and possible deviations of their logarithms."""
WILD = np.array([1.0, 4.0, 8.0])
RATES, RATE_CHANCES = np.array([0.001, 0.03, 0.06, 0.1]), np.array([0.5, 0.2, 0.15, 0.15])
"""Possible shares of wild results and of wrong arms."""
POINTS, COARSE = 16, 0.05
"""Possible values behind a lost or rounded result, and half the rounding from which on they are drawn."""
STARTS, WIDTH, MOST = np.tile(np.linspace(-0.8, 2.8, 10), 2), 0.2, np.repeat([0.5, 0.85], 10)
"""Where values begin to be lost (above the median, in first guesses), how gradually, the largest chance."""
START = (0.7, 1.0)
"""Mean and deviation of where they begin, in units of the scale."""


def log_prior(median, deviation, absent):
    """The logarithm of the prior of a deviation, for each value of the grid."""
    share = np.exp(-0.5 * (np.log(GRID / median) / deviation) ** 2)
    share *= (1 - absent) / share.sum()
    share[0] += absent
    return np.log(share + 1e-12)


def draw(likelihood, source):
    """A number for each row of log probabilities on the last axis."""
    summed = np.exp(likelihood - likelihood.max(-1, keepdims=True)).cumsum(-1)
    place = source.random((*summed.shape[:-1], 1)) * summed[..., -1:]
    return np.minimum((summed < place).sum(-1), summed.shape[-1] - 1)


def loss(values, lost, start, most):
    """The log probability that values are lost or not."""
    chance = most / (1 + np.exp(np.clip((start - values) / WIDTH, -30, 30)))
    return np.log(np.where(lost, chance, 1 - chance) + 1e-9)


def site_noise_law():
    """The log probability of each factor for each spread."""
    law = np.exp(-0.5 * (np.log(FACTORS) / SPREADS[:, None]) ** 2) + 1e-12
    return np.log(law / law.sum(1, keepdims=True))


class Data:
    """The records of many situations, padded to one length, in units of a first guess of the scale."""

    def __init__(self, problems, records):
        self.count, self.length = len(problems), max(map(len, records))
        shape = (self.count, self.length)
        self.base, self.arms = np.zeros((*shape, COLUMNS)), np.zeros((*shape, ARMS, COLUMNS))
        self.values, self.half, self.guess = np.zeros(shape), np.zeros(shape), np.ones(self.count)
        self.real, self.lost = np.zeros(shape, bool), np.zeros(shape, bool)
        self.arm, self.device, self.site, self.unit = (np.zeros(shape, int) for _ in range(4))
        for number, (problem, rows) in enumerate(zip(problems, records, strict=True)):
            self._fill(number, problem, rows)
        laws = [effect_laws(problem) for problem in problems]
        self.shared, self.own, self.law_chances = (np.stack(parts) for parts in zip(*laws, strict=True))
        self.asked = np.stack([asked(problem, 0.0) for problem in problems])
        self.shared_deviation = np.array([SHARED[problem["doses"] is not None] for problem in problems])
        common = self.shared_deviation[:, None, None] * self.shared
        law = common[..., None] * common[..., None, :] + np.eye(3) * self.own[..., None] ** 2
        self.precision, self.log_size = np.linalg.inv(law), 0.5 * np.linalg.slogdet(law)[1]
        self.used = (self.base != 0).any(1)
        self.used[:, block("effect")] = self.used[:, block("shared")] = True
        day = self.base[..., block("day")].argmax(-1)
        single = ("device", "warming", "ageing", "slope")
        self.places = {"site": self.site, "unit": self.unit, "day": day}
        self.places |= dict.fromkeys(single, np.zeros(shape, int))
        self.sizes = {name: self.base[..., FIRST[name]] for name in single}
        self.hidden = np.nonzero(self.lost | (self.half > COARSE))
        self.at_site = (self.site[..., None] == np.arange(SITES)) & self.real[..., None]

    def _fill(self, number, problem, rows):
        """Enter the records of one situation."""
        table = np.array([row[:5] for row in rows])
        size = len(rows)
        unit, self.arm[number, :size], device = table[:, :3].T
        self.unit[number, :size], self.device[number, :size] = unit, device
        self.site[number, :size] = np.array(problem["sites"])[unit]
        self.real[number, :size], self.lost[number, :size] = True, [row[5] is None for row in rows]
        self.base[number, :size] = [base_row(problem, row[0], *row[2:5]) for row in rows]
        added = {each: arm_rows(problem, each, 0.0) for each in set(unit.tolist())}
        self.arms[number, :size] = [added[each] for each in unit.tolist()]
        seen = np.array([row[5] for row in rows if row[5] is not None] or [0.0])
        guess = max(np.std(seen) / 1.7, problem["rounding"][0] / 3, 1e-3)
        centre = np.median(seen)
        self.guess[number] = guess
        self.half[number, :size] = np.array(problem["rounding"])[device] / 2 / guess
        self.values[number, :size] = [1.0 if row[5] is None else (row[5] - centre) / guess for row in rows]


class Chain:
    """One Markov chain for each situation of a batch."""

    def __init__(self, problems, records, source):
        self.data, self.source = Data(problems, records), source
        data, count = self.data, self.data.count
        self.tables = {name: log_prior(*law) for name, law in PRIORS.items()}
        self.noise_tables, self.spread_law = [log_prior(*law) for law in NOISE], site_noise_law()
        self.deviation = {name: np.full(count, law[0]) for name, law in PRIORS.items()}
        self.device_noise = np.tile([law[0] for law in NOISE], (count, 1))
        self.site_noise, self.scale = np.ones((count, SITES)), np.ones(count)
        self.wild_rate, self.wrong_rate = np.full(count, 0.02), np.full(count, 0.02)
        self.wild, self.arm, self.values = np.ones(data.real.shape), data.arm.copy(), data.values.copy()
        self.law, self.limit = np.full(count, 2), np.full(count, 3)
        self.any_lost = data.lost.any()
        self.all, self.along = np.arange(count), np.arange(data.length)
        self.rows = data.base + data.arms[self.all[:, None], self.along, self.arm]

    def run(self, iterations, left_out):
        """Means and variances of the effects, given draws of everything else."""
        means, variances = [], []
        for number in range(iterations):
            mean, variance = self.draw_columns()
            if number >= left_out:
                means.append(mean)
                variances.append(variance)
            self.predict()
            self.draw_states()
            self.draw_values()
            if self.any_lost:
                self.draw_limit()
            self.draw_deviations()
            self.draw_noise()
            self.draw_scale()
            self.draw_law()
        guess = self.data.guess[:, None]
        return np.array(means) * guess, np.array(variances) * guess**2

    def shared_effects(self):
        """What each arm has of the shared part of the effects."""
        return np.pad(self.data.shared[self.all, self.law], ((0, 0), (1, 0)))

    def column_deviations(self):
        """The prior deviation of each column."""
        each = np.ones((self.data.count, len(NAMES)))
        for name, deviation in self.deviation.items():
            each[:, NAMES.index(name)] = deviation
        each[:, NAMES.index("level")], each[:, NAMES.index("shared")] = LEVEL, self.data.shared_deviation
        columns = each[:, GROUP]
        columns[:, block("effect")] = self.data.own[self.all, self.law]
        return columns * self.scale[:, None]

    def noise(self):
        """The deviation of the noise of each record, if it is not wild."""
        by_site = np.take_along_axis(self.site_noise, self.data.site, 1)
        return np.take_along_axis(self.device_noise, self.data.device, 1) * by_site * self.scale[:, None]

    def draw_columns(self):
        """Draw all columns together; the means and variances of the effects before that."""
        data, source = self.data, self.source
        shared = self.shared_effects()
        self.rows[..., FIRST["shared"]] = np.take_along_axis(shared, self.arm, 1) * data.real
        wanted = data.asked.copy()
        wanted[..., FIRST["shared"]] = shared[:, 1:]
        prior = self.column_deviations()
        variance = np.where(data.real, (self.noise() * self.wild) ** 2, 1e4)
        rows, wanted = self.rows * prior[:, None, :], wanted * prior[:, None, :]
        total = rows @ rows.transpose(0, 2, 1)
        total[:, self.along, self.along] += variance
        crossed = rows @ wanted.transpose(0, 2, 1)
        start = source.standard_normal(prior.shape)
        noise = np.sqrt(variance) * source.standard_normal(variance.shape)
        rest = self.values - (rows @ start[..., None])[..., 0] - noise
        known = np.concatenate([rest[..., None], self.values[..., None], crossed], -1)
        solved = np.linalg.solve(total, known)
        self.columns = prior * (start + (rows.transpose(0, 2, 1) @ solved[..., :1])[..., 0])
        means = (crossed * solved[..., 1:2]).sum(1)
        variances = (wanted**2).sum(-1) - (crossed * solved[..., 2:]).sum(1)
        return means, np.maximum(variances, 1e-12)

    def predict(self):
        """The value that each record would have with each arm, without noise."""
        data, columns = self.data, self.columns
        site_arm = columns[:, block("site_arm")].reshape(data.count, SITES, ARMS)
        unit_arm = columns[:, block("unit_arm")].reshape(data.count, -1, ARMS)
        effects = self.shared_effects() * columns[:, FIRST["shared"], None]
        effects[:, 1:] += columns[:, block("effect")]
        self.effects = effects[:, 1:]
        own = site_arm[self.all[:, None], data.site] + unit_arm[self.all[:, None], data.unit]
        self.predicted = data.base @ columns[..., None] + effects[:, None] + own

    def draw_states(self):
        """Draw which results are wild and which arms are wrong, and how many are."""
        data, noise = self.data, self.noise()
        deviation = (noise[..., None] * WILD)[..., None, :]
        rest = (self.values[..., None] - self.predicted)[..., None]
        wrong, wild = self.wrong_rate[:, None, None], self.wild_rate[:, None]
        arms = np.where(np.arange(ARMS) == data.arm[..., None], 1 - wrong, wrong / 3)
        kinds = np.concatenate([1 - wild, wild / 2, wild / 2], 1)
        likelihood = -0.5 * (rest / deviation) ** 2 - np.log(WILD)
        likelihood += np.log(arms)[..., None] + np.log(kinds)[:, None, None, :]
        state = draw(likelihood.reshape(*data.real.shape, -1), self.source)
        arm, kind = np.divmod(state, len(WILD))
        arm, kind = np.where(data.real, arm, data.arm), np.where(data.real, kind, 0)
        changed = arm != self.arm
        self.rows[changed] = data.base[changed] + data.arms[changed, arm[changed]]
        self.arm, self.wild = arm, WILD[kind]
        self.wild_rate = self._draw_rate((kind > 0).sum(1))
        self.wrong_rate = self._draw_rate((arm != data.arm).sum(1))

    def _draw_rate(self, events):
        """Draw a share given how many records have it."""
        others = self.data.real.sum(1) - events
        likelihood = events[:, None] * np.log(RATES) + others[:, None] * np.log(1 - RATES)
        return RATES[draw(likelihood + np.log(RATE_CHANCES), self.source)]

    def draw_values(self):
        """Draw the values behind lost and rounded results."""
        data, source = self.data, self.source
        middle = np.take_along_axis(self.predicted, self.arm[..., None], 2)[..., 0]
        deviations, lost = (self.noise() * self.wild)[data.hidden], data.lost[data.hidden]
        means, half = middle[data.hidden], data.half[data.hidden]
        low = np.where(lost, means - 4 * deviations, data.values[data.hidden] - half)
        width = np.where(lost, 8 * deviations, 2 * half)
        places = (np.arange(POINTS) + source.random((len(low), 1))) / POINTS
        points = low[:, None] + width[:, None] * places
        likelihood = -0.5 * ((points - means[:, None]) / deviations[:, None]) ** 2
        if self.any_lost:
            limit = self.limit[data.hidden[0], None]
            likelihood += loss(points, lost[:, None], STARTS[limit], MOST[limit])
        self.values[data.hidden] = points[np.arange(len(points)), draw(likelihood, source)]
        self.rest = (self.values - middle) * data.real

    def draw_limit(self):
        """Draw the limit above which values are lost."""
        data = self.data
        likelihood = loss(self.values[..., None], data.lost[..., None], STARTS, MOST) * data.real[..., None]
        prior = -0.5 * ((STARTS / self.scale[:, None] - START[0]) / START[1]) ** 2
        self.limit = draw(likelihood.sum(1) + prior, self.source)

    def draw_deviations(self):
        """Draw the deviation of each group given its columns, then together with them given their ratios."""
        weight = np.where(self.data.real, 1 / (self.noise() * self.wild) ** 2, 0.0)
        self.used = self.used_columns()
        for name, table in self.tables.items():
            part, used = block(name), self.used[:, block(name)]
            columns = self.columns[:, part] * used
            squares = (columns**2).sum(1) / self.scale**2
            likelihood = table - used.sum(1)[:, None] * np.log(GRID) - 0.5 * squares[:, None] / GRID**2
            middle = GRID[draw(likelihood, self.source)]
            ratios = columns / middle[:, None]
            sizes = self.data.sizes.get(name, self.data.real)
            share = np.take_along_axis(ratios, self.places[name], 1) * sizes
            rest = self.rest + share * middle[:, None]
            linear, square = (weight * share * rest).sum(1), (weight * share**2).sum(1)
            likelihood = table + linear[:, None] * GRID - 0.5 * square[:, None] * GRID**2
            self.deviation[name] = GRID[draw(likelihood, self.source)]
            self.rest = rest - share * self.deviation[name][:, None]
            self.columns[:, part] = ratios * self.deviation[name][:, None]

    def used_columns(self):
        """Which columns matter for the records; for each group the place of the column of each record."""
        data, used = self.data, self.data.used.copy()
        self.places = dict(data.places)
        number, record = np.nonzero(data.real)
        for name, place in (("site_arm", data.site), ("unit_arm", data.unit)):
            self.places[name] = ARMS * place + self.arm
            used[number, FIRST[name] + self.places[name][number, record]] = True
        return used

    def draw_noise(self):
        """Draw the noise of the sites, with its spread, and of the devices."""
        data = self.data
        device = np.take_along_axis(self.device_noise, data.device, 1) * self.scale[:, None]
        squares = (self.rest / self.wild) ** 2
        at_site = ((squares / device**2)[..., None] * data.at_site).sum(1)
        likelihood = -data.at_site.sum(1)[..., None] * np.log(FACTORS) - 0.5 * at_site[..., None] / FACTORS**2
        joint = likelihood[:, None] + self.spread_law[None, :, None]
        top = joint.max(-1, keepdims=True)
        spread = (np.log(np.exp(joint - top).sum(-1)) + top[..., 0]).sum(2) + np.log(SPREAD_CHANCES)
        spread = draw(spread, self.source)
        self.site_noise = FACTORS[draw(likelihood + self.spread_law[spread][:, None], self.source)]
        site = np.take_along_axis(self.site_noise, data.site, 1) * self.scale[:, None]
        for number, table in enumerate(self.noise_tables):
            chosen = (data.device == number) & data.real
            total = (squares / site**2 * chosen).sum(1)
            likelihood = table - chosen.sum(1)[:, None] * np.log(GRID) - 0.5 * total[:, None] / GRID**2
            self.device_noise[:, number] = GRID[draw(likelihood, self.source)]

    def draw_scale(self):
        """Draw the scale given all columns and the noise."""
        deviation = self.noise() * self.wild / self.scale[:, None]
        total = ((self.rest / deviation) ** 2).sum(1)
        prior = self.column_deviations() / self.scale[:, None]
        total += ((self.columns / prior) ** 2 * self.used).sum(1)
        count = self.data.real.sum(1) + self.used.sum(1)
        logs = np.log(SCALES)
        likelihood = (
            -count[:, None] * logs
            - 0.5 * total[:, None] / SCALES**2
            - 0.5 * ((logs - SCALE[0]) / SCALE[1]) ** 2
        )
        self.scale = SCALES[draw(likelihood, self.source)]

    def draw_law(self):
        """Draw what the effects share and which of them are small, given the effects."""
        data, effects = self.data, self.effects / self.scale[:, None]
        squares = (np.einsum("slij,sj->sli", data.precision, effects) * effects[:, None]).sum(2)
        self.law = draw(data.law_chances - data.log_size - 0.5 * squares, self.source)


def normal_share(values):
    """The distribution function of the normal law, to seven digits."""
    values = np.clip(values, -8, 8)
    near = 1 / (1 + 0.2316419 * np.abs(values))
    sums = -1.821255978 + near * 1.330274429
    for number in (1.781477937, -0.356563782, 0.319381530):
        sums = number + near * sums
    tail = 0.3989422804 * np.exp(-values * values / 2) * near * sums
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
