"""Plans: good regular ones and a greedy one, improved slot by slot, judged by the expected deviation of the effects."""

import numpy as np
from parts import ARMS, SITES

UNITS, LAYOUTS, PASSES = (3, 5, 8), 3, 3
VARIANCES = {"level": 30.0, "x": 0.36, "device": 0.25, "warming": 0.6, "ageing": 0.02, "site": 0.5, "site_arm": 0.08}
VARIANCES |= {"unit": 0.7, "day": 0.5, "choosing": 0.2}
"""Typical variances, in units of the squared scale."""
NOISE = (1.0, 0.28)
"""Of the two devices, with what units add to the effects of arms and what wild and lost results take away."""


class Model:
    """The linear model of one situation: its unknowns are independent beforehand, but for the effects."""

    def __init__(self, problem):
        self.problem, self.units = problem, len(problem["sites"])
        self.sites, self.pilot = np.array(problem["sites"]), problem["pilot"]
        self.free = {record["unit"] for record in self.pilot}
        self.first_day = max(record["day"] for record in self.pilot) + 1
        days = self.first_day + int(problem["budget"]) // problem["day_size"] + 1
        sizes = [("level", 1), ("x", 1), ("device", 1), ("warming", 1), ("ageing", 1), ("effect", 3), ("site", SITES)]
        sizes += [("site_arm", SITES * ARMS), ("unit", self.units), ("day", days), ("choosing", ARMS)]
        self.start, size = {}, 0
        for name, count in sizes:
            self.start[name], size = size, size + count
        prior = np.concatenate([np.full(count, VARIANCES.get(name, 1.0)) for name, count in sizes])
        self.prior = np.diag(prior)
        first = self.start["effect"]
        self.prior[first : first + 3, first : first + 3] = self._effects(problem["doses"])
        self._steps(size)
        shares = np.bincount(self.sites, minlength=SITES) / self.units
        self.asked = np.zeros((3, size))
        for arm in range(1, ARMS):
            self.asked[arm - 1, first + arm - 1] = 1.0
            for site in range(SITES):
                self.asked[arm - 1, self.start["site_arm"] + site * ARMS + arm] = shares[site]
                self.asked[arm - 1, self.start["site_arm"] + site * ARMS] = -shares[site]
        self.moments = self._slots()
        rows = np.array([self.row(self.number(record["unit"], record["arm"], record["device"]), record["day"], record["place"]) for record in self.pilot])
        lost = np.array([record["value"] is None for record in self.pilot])
        weights = np.where(lost, 0.2, 1.0) / np.array([NOISE[record["device"]] for record in self.pilot])
        self.precision = np.linalg.inv(self.prior) + (rows * weights[:, None]).T @ rows

    def _effects(self, doses):
        if doses is None:
            return 0.36 + np.eye(3) * 1.35
        curve = np.array(doses) / (np.array(doses) + 4.0)
        curve = curve / curve[-1]
        return 4 * np.outer(curve, curve) + 0.04 * np.eye(3)

    def _steps(self, size):
        """One row for each unit, arm and device; what the day and the place add comes later."""
        self.steps = np.array([(unit, arm, device) for unit in range(self.units) for arm in range(ARMS) for device in (0, 1)])
        unit, arm, device = self.steps.T
        every, rows = np.arange(len(unit)), np.zeros((len(unit), size))
        rows[:, self.start["level"]], rows[:, self.start["x"]] = 1.0, np.array(self.problem["x"])[unit]
        rows[:, self.start["device"]] = device
        treated = arm > 0
        rows[every[treated], self.start["effect"] + arm[treated] - 1] = 1.0
        rows[every, self.start["site"] + self.sites[unit]] = 1.0
        rows[every, self.start["site_arm"] + self.sites[unit] * ARMS + arm] = 1.0
        rows[every, self.start["unit"] + unit] = 1.0
        leaning = np.zeros((self.units, ARMS))
        for record in self.pilot:
            leaning[record["unit"], record["arm"]] += 1
        total = leaning.sum(1, keepdims=True)
        leaning = np.where(total > 0, leaning / np.maximum(total, 1) - 1 / ARMS, 0.0)
        rows[:, self.start["choosing"] : self.start["choosing"] + ARMS] = leaning[unit]
        self.rows, self.noise = rows, np.array(NOISE)[device]
        self.prices = np.array(self.problem["measure_cost"])[device]

    def number(self, unit, arm, device):
        """The row of a step."""
        return (unit * ARMS + arm) * 2 + device

    def moment(self, day, place):
        """What the day and the place add to a row."""
        row = np.zeros(self.rows.shape[1])
        row[self.start["warming"]] = place / self.problem["day_size"]
        row[self.start["ageing"]] = day - self.first_day
        row[self.start["day"] + day] = 1.0
        return row

    def row(self, number, day, place):
        return self.rows[number] + self.moment(day, place)

    def _slots(self):
        """The moments of all slots of the longest plan."""
        moments = [divmod(slot, self.problem["day_size"]) for slot in range(int(self.problem["budget"]) + 1)]
        return np.array([self.moment(self.first_day + day, place) for day, place in moments])

    def covariance(self, plan):
        """The posterior covariance of all unknowns after a plan."""
        rows = self.rows[plan] + self.moments[: len(plan)]
        return np.linalg.inv(self.precision + (rows / self.noise[plan][:, None]).T @ rows)

    def deviation(self, covariance):
        """The mean posterior deviation of the effects."""
        return np.sqrt(((self.asked @ covariance) * self.asked).sum(1)).mean()

    def deviations(self, covariance, slot):
        """The mean deviation after each possible step in a slot."""
        moment = self.moments[slot]
        spread = self.rows @ covariance + moment @ covariance
        total = (spread * (self.rows + moment)).sum(1) + self.noise
        asked = ((self.asked @ covariance) * self.asked).sum(1)
        return np.sqrt(np.maximum(asked - (spread @ self.asked.T) ** 2 / total[:, None], 1e-12)).mean(1)

    def with_step(self, covariance, slot, number, sign):
        """The covariance after a step is added (1) or taken away (-1)."""
        row = self.rows[number] + self.moments[slot]
        spread = covariance @ row
        return covariance - np.outer(spread, spread) / (row @ spread + sign * self.noise[number])

    def full_prices(self, plan):
        """What each possible step costs beside a plan; infinite if the plan has it twice."""
        enrolled = self.free | {int(self.steps[number][0]) for number in plan}
        new = np.array([unit not in enrolled for unit in range(self.units)])
        prices = self.prices + self.problem["enrol_cost"] * new[self.steps[:, 0]]
        return np.where(np.bincount(plan, minlength=len(prices)) >= 2, np.inf, prices) if plan else prices

    def cost(self, plan):
        enrolled = {int(self.steps[number][0]) for number in plan} - self.free
        return self.prices[plan].sum() + self.problem["enrol_cost"] * len(enrolled)


def choose_units(model, count):
    """Cheap units of all sites, in turn."""
    sites, chosen = model.sites, []
    sizes, got = np.bincount(sites), np.zeros(sites.max() + 1)
    for _ in range(min(count, model.units)):
        rest = [unit for unit in range(model.units) if unit not in chosen]
        price = {unit: (unit not in model.free) * 0.5 * model.problem["enrol_cost"] + (got[sites[unit]] + 1) / sizes[sites[unit]] for unit in rest}
        chosen.append(min(rest, key=price.__getitem__))
        got[sites[chosen[-1]]] += 1
    return chosen


def regular_plan(model, count, device, layout):
    """Units and arms in a regular order: all arms of a unit together, one arm of each unit in turn, or two."""
    units = list(enumerate(choose_units(model, count)))
    if layout == 0:
        order = [(unit, (arm if (i + turn) % 2 == 0 else 3 - arm) + i + turn) for turn in range(2) for i, unit in units for arm in range(ARMS)]
    elif layout == 1:
        order = [(unit, i + turn) for turn in range(8) for i, unit in units]
    else:
        order = [(unit, 2 * half + arm + i + turn) for turn in range(2) for half in range(2) for i, unit in units for arm in range(2)]
    plan, left, known, problem = [], model.problem["budget"], set(model.free), model.problem
    for unit, arm in order:
        price = problem["measure_cost"][device] + (0 if unit in known else problem["enrol_cost"])
        if price > left + 1e-9:
            break
        plan.append(model.number(unit, arm % ARMS, device))
        known.add(unit)
        left -= price
    return plan


def fill(model, plan, covariance, power=1.0):
    """Append the steps with the best gain for their price, as long as the budget lasts."""
    plan, left = list(plan), model.problem["budget"] - model.cost(plan) if plan else model.problem["budget"]
    while True:
        prices = model.full_prices(plan)
        gains = model.deviation(covariance) - model.deviations(covariance, len(plan))
        gains = np.where(prices <= left + 1e-9, gains / prices**power, -np.inf)
        best = int(np.argmax(gains))
        if not np.isfinite(gains[best]):
            return plan, covariance
        covariance = model.with_step(covariance, len(plan), best, 1)
        left -= prices[best]
        plan.append(best)


def improve(model, plan):
    """Replace the step of each slot by the best one that the budget allows, several times."""
    covariance = model.covariance(plan)
    for _ in range(PASSES):
        before = list(plan)
        for slot, number in enumerate(before):
            without = model.with_step(covariance, slot, number, -1)
            others = plan[:slot] + plan[slot + 1 :]
            left = model.problem["budget"] - model.cost(others)
            found = np.where(model.full_prices(others) <= left + 1e-9, model.deviations(without, slot), np.inf)
            plan[slot] = int(np.argmin(found))
            covariance = model.with_step(without, slot, plan[slot], 1)
        plan, covariance = fill(model, plan, model.covariance(plan))
        if plan == before:
            break
    return plan, model.deviation(covariance)


def best_plan(problem):
    """The best plan that was found for one situation."""
    model = Model(problem)
    regular = [regular_plan(model, count, device, layout) for count in UNITS for device in (0, 1) for layout in range(LAYOUTS)]
    regular.sort(key=lambda plan: model.deviation(model.covariance(plan)))
    greedy, _ = fill(model, [], np.linalg.inv(model.precision))
    plan, _ = min((improve(model, list(start)) for start in (regular[0], greedy)), key=lambda pair: pair[1])
    return model.steps[plan].tolist()
