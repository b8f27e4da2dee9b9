"""The rules of plans, the results that a plan gets, and the score of the answers."""

import math

ARMS, REPEATS = 4, 2
"""Arms of each situation, and how often a plan may measure one unit with one arm and one device."""
LEVEL = 0.95
LARGEST = 1e12
MOST = 20.0
"""The most that one effect can cost, in units of the scale: one bad miss must not decide a whole attempt."""


def check_plan(problem, plan):
    """The plan as a list of (unit, arm, device); ValueError if it breaks a rule."""
    if not isinstance(plan, list):
        raise ValueError("a plan is a list of [unit, arm, device]")
    bounds, counts = (len(problem["sites"]), ARMS, 2), {}
    for step in plan:
        if not isinstance(step, list) or len(step) != 3 or any(type(part) is not int for part in step):
            raise ValueError("each step of a plan is a list of three integers: [unit, arm, device]")
        if any(not 0 <= part < bound for part, bound in zip(step, bounds, strict=True)):
            raise ValueError(f"the step {step} is out of range: there are {bounds} units, arms and devices")
        counts[tuple(step)] = counts.get(tuple(step), 0) + 1
        if counts[tuple(step)] > REPEATS:
            raise ValueError(f"the step {step} is in the plan more than {REPEATS} times")
    if cost(problem, plan) > problem["budget"] + 1e-9:
        raise ValueError(f"the plan costs {cost(problem, plan):g}, the budget is {problem['budget']:g}")
    return [tuple(step) for step in plan]


def cost(problem, plan):
    """What a plan costs: each measurement, and once each unit that the pilot did not have."""
    known = {record["unit"] for record in problem["pilot"]}
    new = {step[0] for step in plan} - known
    return sum(problem["measure_cost"][step[2]] for step in plan) + problem["enrol_cost"] * len(new)


def result(tables, rounding, slot, step, repeat):
    """What one measurement gives; None if it is lost."""
    unit, arm, device = step
    value = tables["raw"][unit][arm][device][repeat] + tables["offsets"][slot]
    limit = tables["limits"][unit][arm][device][repeat]
    if limit is not None and value > limit:
        return None
    size = rounding[device]
    return round(round(value / size) * size, 6)


def results(problem, tables, plan):
    """What all measurements of a plan give, in their order."""
    counts, found = {}, []
    for slot, step in enumerate(plan):
        repeat = counts.get(step, 0)
        counts[step] = repeat + 1
        found.append(result(tables, problem["rounding"], slot, step, repeat))
    return found


def interval_scores(answer, truth):
    """The interval scores of the three effects, in units of the scale of the situation; ValueError if not valid."""
    if not isinstance(answer, list) or len(answer) != ARMS - 1:
        raise ValueError(f"an answer is a list of {ARMS - 1} lists [estimate, low, high]")
    scores = []
    for numbers, effect in zip(answer, truth["effects"], strict=True):
        if not isinstance(numbers, list) or len(numbers) != 3:
            raise ValueError("the answer for an effect is a list of three numbers: [estimate, low, high]")
        if any(isinstance(number, bool) or not isinstance(number, int | float) for number in numbers):
            raise ValueError("the answer for an effect is a list of three numbers: [estimate, low, high]")
        if not all(math.isfinite(number) and abs(number) <= LARGEST for number in numbers):
            raise ValueError(f"numbers of an answer are finite and at most {LARGEST:g} in size")
        estimate, low, high = numbers
        if not low <= estimate <= high:
            raise ValueError(f"the interval from {low:g} to {high:g} does not contain the estimate {estimate:g}")
        miss = max(low - effect, effect - high, 0.0)
        scores.append(min((high - low + 2 / (1 - LEVEL) * miss) / truth["scale"], MOST))
    return scores


def compare(yours, known):
    """The score of each situation from the mean interval scores: percent by which yours are better than the known ones."""
    mean = sum(known) / len(known)
    return [100 * (other - own) / mean for own, other in zip(yours, known, strict=True)]
