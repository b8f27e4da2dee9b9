"""The linear model of a situation: columns, prior groups, rows."""
import numpy as np

# groups of parameters
MU, SITE, DEV, DAY, SLOPE, TREND, BX, UNIT, EFF, SA, UA, DOSE = range(12)
NS, ND, NU = 4, 16, 20
SIZES = [1, NS, 1, ND, 1, 1, 1, NU, 3, NS * 3, NU * 3, 2]
STARTS = np.concatenate([[0], np.cumsum(SIZES)])
K = int(STARTS[-1])
GROUP = np.repeat(np.arange(12), SIZES)
# nominal standard deviations relative to the scale
NOMINAL = np.array([6.0, 0.6, 0.6, 0.6, 0.12, 0.25, 0.5, 0.8, 1.0, 0.3, 0.35, 1.0])


def centre_x(problem):
    return np.array(problem["x"], float)


def base_row(problem, unit, device, day, place):
    row = np.zeros(K)
    row[STARTS[MU]] = 1
    row[STARTS[SITE] + problem["sites"][unit]] = 1
    row[STARTS[DEV]] = device - 0.5
    row[STARTS[DAY] + min(day, ND - 1)] = 1
    row[STARTS[SLOPE]] = place - (problem["day_size"] - 1) / 2
    row[STARTS[TREND]] = day
    row[STARTS[BX]] = problem["x"][unit]
    row[STARTS[UNIT] + unit] = 1
    return row


def dose_basis(problem):
    """(3, 2): how the effects follow two coefficients of a smooth curve."""
    if problem["doses"] is None:
        return np.zeros((3, 2))
    d = np.array(problem["doses"], float)
    d = d / d[-1]
    return np.stack([d, 1.6 * (np.sqrt(d) - d) * 1.0], axis=1)


def arm_rows(problem, unit):
    """(4, K): what an arm adds to the row."""
    rows = np.zeros((4, K))
    for a in range(3):
        rows[a + 1, STARTS[EFF] + a] = 1
        rows[a + 1, STARTS[SA] + 3 * problem["sites"][unit] + a] = 1
        rows[a + 1, STARTS[UA] + 3 * unit + a] = 1
    rows[1:, STARTS[DOSE]:STARTS[DOSE] + 2] = dose_basis(problem)
    return rows


def target(problem):
    """(3, K): the effects as functions of the parameters."""
    n = len(problem["sites"])
    return np.mean([arm_rows(problem, u)[1:] for u in range(n)], axis=0)


def records(problem, plan, values):
    """All measurements of the pilot and the study: unit, arm, device, day, place, value."""
    rows = [(r["unit"], r["arm"], r["device"], r["day"], r["place"], r["value"]) for r in problem["pilot"]]
    first = 1 + max([r["day"] for r in problem["pilot"]], default=-1)
    for i, (step, v) in enumerate(zip(plan, values)):
        rows.append((step[0], step[1], step[2], first + i // problem["day_size"], i % problem["day_size"], v))
    return rows
