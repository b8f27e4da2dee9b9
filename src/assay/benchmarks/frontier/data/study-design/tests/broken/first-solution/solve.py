"""A plain first solution: the cheap device, the units and the arms in turn, and differences of means."""

import numpy as np

ARMS = 4


def plan(problems):
    """For each situation the steps [unit, arm, device], in the order in which they are measured."""
    return [plan_one(problem) for problem in problems]


def plan_one(problem):
    steps, left, enrolled = [], problem["budget"], {record["unit"] for record in problem["pilot"]}
    units = len(problem["sites"])
    for number in range(2 * ARMS * units):
        turn, unit = divmod(number, units)
        price = problem["measure_cost"][0] + (0 if unit in enrolled else problem["enrol_cost"])
        if price > left:
            break
        steps.append([unit, (unit + turn) % ARMS, 0])
        enrolled.add(unit)
        left -= price
    return steps


def analyse(problems, plans, results):
    """For each situation and each of the arms 1 to 3: [estimate, low, high]."""
    return [analyse_one(*situation) for situation in zip(problems, plans, results, strict=True)]


def analyse_one(problem, steps, values):
    pilot = [record["value"] for record in problem["pilot"] if record["value"] is not None]
    found = [[value for step, value in zip(steps, values, strict=True) if step[1] == arm and value is not None] for arm in range(ARMS)]
    spread = np.std(sum(found, pilot)) + problem["rounding"][0]
    answer = []
    for arm in range(1, ARMS):
        if min(len(found[0]), len(found[arm])) < 2:
            answer.append([0.0, -3 * spread, 3 * spread])
            continue
        difference = np.mean(found[arm]) - np.mean(found[0])
        error = np.sqrt(sum(np.var(group, ddof=1) / len(group) for group in (found[0], found[arm])))
        answer.append([difference, difference - 2.2 * error, difference + 2.2 * error])
    return answer
