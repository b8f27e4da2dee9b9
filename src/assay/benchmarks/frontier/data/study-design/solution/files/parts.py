"""The linear model of the measurements: its columns, in groups of equal deviation, and their rows."""

import numpy as np

ARMS, SITES, DAYS, UNITS = 4, 4, 16, 20
SIZES = {
    "level": 1,
    "site": SITES,
    "device": 1,
    "day": DAYS,
    "warming": 1,
    "ageing": 1,
    "slope": 1,
    "unit": UNITS,
}
SIZES |= {"effect": 3, "site_arm": SITES * ARMS, "unit_arm": UNITS * ARMS, "shared": 1}
NAMES = list(SIZES)
GROUP = np.repeat(np.arange(len(NAMES)), list(SIZES.values()))
"""For each column the number of its group."""
ENDS = np.cumsum(list(SIZES.values()))
FIRST = dict(zip(NAMES, [0, *ENDS[:-1].tolist()], strict=True))
COLUMNS = int(ENDS[-1])
SHARED = {False: 0.6, True: 2.0}
"""Deviation of what the effects share, without and with doses."""
SMALL, LARGE, SHARE_SMALL = 0.12, 1.5, 0.4
"""Deviations of what an effect has of its own; with doses it is always the small one."""
HALVES = np.array([0.7, 1.5, 3.0, 4.5, 6.0, 8.0, 10.0, 12.0])
"""Doses at which the curve may reach half of its limit."""


def block(name):
    """The columns of a group."""
    return slice(FIRST[name], FIRST[name] + SIZES[name])


def base_row(problem, unit, device, day, place):
    """The row of a measurement without what its arm adds."""
    row = np.zeros(COLUMNS)
    row[FIRST["level"]] = 1
    row[FIRST["site"] + problem["sites"][unit]] = 1
    row[FIRST["device"]] = device
    row[FIRST["day"] + min(day, DAYS - 1)] = 1
    row[FIRST["warming"]] = place / problem["day_size"]
    row[FIRST["ageing"]] = day
    row[FIRST["slope"]] = problem["x"][unit]
    row[FIRST["unit"] + unit] = 1
    return row


def arm_rows(problem, unit, shared):
    """For each arm what it adds to the rows of a unit; `shared` has what the three effects share."""
    rows, arms = np.zeros((ARMS, COLUMNS)), np.arange(ARMS)
    rows[arms[1:], FIRST["effect"] + arms[:-1]] = 1
    rows[arms, FIRST["site_arm"] + ARMS * problem["sites"][unit] + arms] = 1
    rows[arms, FIRST["unit_arm"] + ARMS * unit + arms] = 1
    rows[1:, FIRST["shared"]] = shared
    return rows


def asked(problem, shared):
    """The three effects as functions of the columns."""
    rows = np.mean([arm_rows(problem, unit, shared) for unit in range(len(problem["sites"]))], axis=0)
    return rows[1:] - rows[0]


def curve(doses, half):
    """The effects along the curve of a dose, 1 at the largest dose."""
    doses = np.array(doses, float)
    return doses / (doses + half) * (doses[-1] + half) / doses[-1]


def effect_laws(problem):
    """What the effects may share and which deviations they may have of their own, with log probabilities."""
    if problem["doses"] is not None:
        shared = np.array([curve(problem["doses"], half) for half in HALVES])
        return shared, np.full(shared.shape, SMALL), np.zeros(len(HALVES))
    small = np.array([[number >> arm & 1 for arm in range(3)] for number in range(8)], bool)
    chances = np.where(small, SHARE_SMALL, 1 - SHARE_SMALL)
    return np.ones((8, 3)), np.where(small, SMALL, LARGE), np.log(chances).sum(1)


def all_records(problem, plan, values):
    """Pilot and study: unit, arm, device, day, place and value (None: lost)."""
    names = ("unit", "arm", "device", "day", "place", "value")
    rows = [tuple(record[name] for name in names) for record in problem["pilot"]]
    first = 1 + max(record["day"] for record in problem["pilot"])
    for slot, (step, value) in enumerate(zip(plan, values, strict=True)):
        day, place = divmod(slot, problem["day_size"])
        rows.append((*step, first + day, place, value))
    return rows
