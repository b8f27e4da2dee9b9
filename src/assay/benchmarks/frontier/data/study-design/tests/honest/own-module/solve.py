"""Plans small studies and analyses them; the plans are made in this file too."""

import itertools

import numpy as np
from parts import ARMS, DAYS, FIRST, GROUP, NAMES, all_records, arm_rows, base_row, block, curve
from sampling import Chain, quantile

TYPICAL = {"level": 6.0, "site": 0.6, "device": 0.6, "day": 0.6, "warming": 0.7, "ageing": 0.25, "slope": 0.5}
TYPICAL |= {"unit": 0.8, "effect": 1.0, "site_arm": 0.3, "unit_arm": 0.35, "shared": 0.1}
"""Typical deviations, in units of the scale."""
DOSED, HALF = {"effect": 0.35, "shared": 1.5}, 4.0
"""What differs with doses, where effects lie near a curve, and the typical dose of half its limit."""
NOISE = np.array([1.2, 0.3])
"""Typical variances of the noise of the two devices."""
PILOT = 1.3
"""By how much more the noise of the pilot counts."""
ENROLMENT = 0.4
"""The part of the cost of a new unit that its first step has to be worth: later steps use the unit too."""
PASSES = 3


def prior_variances(problem):
    """The typical variance of each column."""
    deviations = TYPICAL | (DOSED if problem["doses"] is not None else {})
    return np.array([deviations[name] for name in NAMES])[GROUP] ** 2


class Design:
    """A plan of one situation, and the covariance of all columns after it."""

    def __init__(self, problem):
        self.problem, self.units = problem, len(problem["sites"])
        shared = np.ones(3) if problem["doses"] is None else curve(problem["doses"], HALF)
        self.steps = list(itertools.product(range(self.units), range(ARMS), (0, 1)))
        self.unit, arm, self.device = np.array(self.steps).T
        arms = np.array([arm_rows(problem, unit, shared) for unit in range(self.units)])
        arms[:, 0] = 0.0  # what varies without treatment counts as the level of the unit
        base = [base_row(problem, unit, device, 0, 0) for unit, _, device in self.steps]
        self.rows = np.array(base) + arms[self.unit, arm]
        self.rows[:, block("day")] = 0.0
        moving = [NAMES.index(name) for name in ("day", "warming", "ageing")]
        self.kept = np.nonzero(self.rows.any(0) | np.isin(GROUP, moving))[0]
        self.asked = arms.mean(0)[1:, self.kept]
        self.noise, self.price = NOISE[self.device], np.array(problem["measure_cost"])[self.device]
        self.first_day = 1 + max(record["day"] for record in problem["pilot"])
        self.plan, self.used, self.left = [], np.zeros(len(self.steps), int), problem["budget"]
        self.enrolled = np.zeros(self.units, int)
        self.covariance = np.diag(prior_variances(problem)[self.kept])
        for record in problem["pilot"]:
            self.enrolled[record["unit"]] += 1
            if record["value"] is not None:
                row = base_row(problem, record["unit"], record["device"], record["day"], record["place"])
                row += arms[record["unit"]][record["arm"]]
                self.update(row[self.kept], PILOT * NOISE[record["device"]])

    def update(self, row, noise):
        """Add a measurement; with negative noise take it away."""
        spread = self.covariance @ row
        self.covariance = self.covariance - np.outer(spread, spread) / (noise + row @ spread)

    def rows_at(self, slot):
        """The rows of all steps in a slot."""
        rows, (day, place) = self.rows.copy(), divmod(slot, self.problem["day_size"])
        rows[:, FIRST["day"] + min(self.first_day + day, DAYS - 1)] = 1
        rows[:, FIRST["warming"]] = place / self.problem["day_size"]
        rows[:, FIRST["ageing"]] = self.first_day + day
        return rows[:, self.kept]

    def gains(self, rows):
        """By how much each step would lower the sum of the variances of the effects."""
        spread = self.covariance @ rows.T
        return ((self.asked @ spread) ** 2).sum(0) / (self.noise + (rows.T * spread).sum(0))

    def costs(self):
        """What each step would cost now; infinite if the plan has it twice."""
        costs = self.price + self.problem["enrol_cost"] * (self.enrolled == 0)[self.unit]
        return np.where(self.used < 2, costs, np.inf)

    def change(self, step, row, sign):
        """Add a step to the plan's accounts (1) or take it away (-1)."""
        self.update(row, sign * self.noise[step])
        if sign > 0:
            self.left -= self.costs()[step]
        self.used[step] += sign
        self.enrolled[self.unit[step]] += sign
        if sign < 0:
            self.left += self.costs()[step]

    def fill(self):
        """Append the steps with the best gain for their price, as long as the budget lasts."""
        while True:
            costs = self.costs()
            possible = costs <= self.left + 1e-9
            if not possible.any():
                return
            rows = self.rows_at(len(self.plan))
            worth = self.gains(rows) / (self.price + ENROLMENT * (costs - self.price))
            best = int(np.where(possible, worth, -1.0).argmax())
            self.plan.append(best)
            self.change(best, rows[best], 1)

    def exchange(self):
        """Replace the step of each slot by the best one that the budget allows; whether any changed."""
        before = list(self.plan)
        for slot, old in enumerate(before):
            rows = self.rows_at(slot)
            self.change(old, rows[old], -1)
            gains = np.where(self.costs() <= self.left + 1e-9, self.gains(rows), -1.0)
            new = int(gains.argmax())
            self.plan[slot] = new if gains[new] > gains[old] * 1.0001 else old
            self.change(self.plan[slot], rows[self.plan[slot]], 1)
        return self.plan != before


def plan_one(problem):
    """A good plan for one situation."""
    design = Design(problem)
    design.fill()
    for _ in range(PASSES):
        if not design.exchange():
            break
        design.fill()
    return [list(design.steps[step]) for step in design.plan]


TOGETHER, ITERATIONS, LEFT_OUT = 40, 420, 60
"""Situations of one batch, iterations of its chain, and how many of the first do not count."""


def groups(sizes):
    """Numbers of situations of similar size, together."""
    order = sorted(range(len(sizes)), key=sizes.__getitem__)
    return [order[first : first + TOGETHER] for first in range(0, len(order), TOGETHER)]


def plan(problems):
    """For each situation the steps [unit, arm, device], in the order in which they are measured."""
    return [plan_one(problem) for problem in problems]


def analyse(problems, plans, results):
    """For each situation and each of the arms 1 to 3: [estimate, low, high]."""
    source, answers = np.random.default_rng(1), [[] for _ in problems]
    records = [all_records(*situation) for situation in zip(problems, plans, results, strict=True)]
    sizes = [(any(row[-1] is None for row in rows), len(rows)) for rows in records]
    for group in groups(sizes):
        chain = Chain([problems[each] for each in group], [records[each] for each in group], source)
        means, variances = chain.run(ITERATIONS, LEFT_OUT)
        low, middle, high = (quantile(means, variances, share) for share in (0.025, 0.5, 0.975))
        low, high = np.minimum(low, middle), np.maximum(high, middle)
        for row, number in enumerate(group):
            answers[number] = np.stack([middle[row], low[row], high[row]], 1).tolist()
    return answers
