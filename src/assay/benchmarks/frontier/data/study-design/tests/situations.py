"""Draws situations: what a program is told, every result that any plan could get, and the true effects."""

import numpy as np
from measure import ARMS, REPEATS, result

SLOTS = 40
"""Measurements of the longest plan, and more."""
CHOOSING = ("at-random", "by-day", "by-site", "by-x", "by-value")
"""How the arms of a pilot were chosen."""


def draw_situation(seed):
    """One situation, as (problem, tables, truth)."""
    source = np.random.default_rng(seed)
    flaws = draw_flaws(source)
    units = draw_units(source, flaws)
    values = draw_values(source, flaws, units)
    raw, limits = draw_results(source, flaws, units, values)
    pilot_days, day_size = int(source.integers(2, 4)), int(source.integers(4, 9))
    offsets = draw_offsets(source, flaws, pilot_days + -(-SLOTS // day_size), day_size)
    scale, level = np.exp(source.uniform(np.log(0.5), np.log(30))), source.normal(0, 5)
    digits = int(np.ceil(-np.log10(scale * 0.01)))
    raw, limits, offsets = (raw + level) * scale, (limits + level) * scale, offsets * scale
    problem = {
        "doses": flaws["doses"],
        "sites": units["site"].tolist(),
        "x": units["x"].tolist(),
        "day_size": day_size,
        "rounding": [float(f"{step * scale:.2g}") for step in flaws["rounding"]],
        "measure_cost": [1.0, float(source.choice([1.5, 2.0, 3.0, 4.0]))],
        "enrol_cost": float(source.choice([0.5, 1.0, 2.0, 3.0])),
        "budget": float(source.integers(16, 37)),
    }
    shift = pilot_days * day_size
    tables = {"raw": raw, "limits": limits, "offsets": offsets[shift : shift + SLOTS]}
    tables = rounded(tables, digits + 1)
    pilot = rounded({"raw": raw, "limits": limits, "offsets": offsets[:shift]}, digits + 1)
    problem["pilot"] = draw_pilot(source, units, values, pilot, problem)
    for name in ("raw", "limits"):
        tables[name] = [[[results[:REPEATS] for results in devices] for devices in arms] for arms in tables[name]]
    effects = (values[:, 1:] - values[:, :1]).mean(axis=0) * scale
    truth = {"effects": np.round(effects, digits + 2).tolist(), "scale": round(float(scale), digits + 2)}
    return problem, tables, truth


def rounded(tables, digits):
    """Tables for JSON; None is a limit that is never reached."""
    limits = np.round(tables["limits"], digits)
    return {
        "raw": np.round(tables["raw"], digits).tolist(),
        "limits": np.where(np.isfinite(limits), limits, None).tolist(),
        "offsets": np.round(tables["offsets"], digits).tolist(),
    }


def sometimes(source, share, low, high):
    """A strength between two bounds, or 0 if the situation does not have the flaw."""
    present, strength = source.random() < share, source.uniform(low, high)
    return strength if present else 0.0


def draw_flaws(source):
    """The strengths of all flaws of one situation, in units of its scale."""
    flaws = {
        "site": sometimes(source, 0.7, 0.3, 1.2),
        "site_arm": sometimes(source, 0.5, 0.15, 0.7),
        "site_noise": sometimes(source, 0.45, 0.4, 0.9),
        "slope": source.normal(0, 0.6),
        "unit": source.uniform(0.3, 1.3),
        "unit_arm": sometimes(source, 0.4, 0.1, 0.5),
        "day": sometimes(source, 0.7, 0.3, 1.3),
        "warming": sometimes(source, 0.4, 0.5, 2.0) * source.choice([-1, 1]),
        "ageing": sometimes(source, 0.3, 0.1, 0.4) * source.choice([-1, 1]),
        "device": source.normal(0, 0.5),
        "wild": sometimes(source, 0.5, 0.03, 0.12),
        "wild_size": source.uniform(3, 9),
        "wrong_arm": sometimes(source, 0.4, 0.03, 0.12),
        "lost": sometimes(source, 0.5, 0.4, 1.0),
        "lost_from": source.uniform(0.0, 1.2),
        "lost_width": source.uniform(0.05, 0.4),
    }
    coarse = source.uniform(0.4, 1.3)
    flaws["noise"] = [coarse, coarse * source.uniform(0.2, 0.8)]
    fine = np.exp(source.uniform(np.log(0.003), np.log(0.05)))
    flaws["rounding"] = [max(sometimes(source, 0.45, 0.3, 1.5), fine), fine]
    flaws["doses"] = sorted(source.choice([1, 2, 3, 4, 6, 8, 10], 3, replace=False).tolist()) if source.random() < 0.5 else None
    flaws["effects"] = draw_effects(source, flaws["doses"])
    return flaws


def draw_effects(source, doses):
    """The effects of the three arms against the first: along a curve of the dose, or each for itself."""
    if doses is None:
        sizes = np.where(source.random(3) < 0.4, 0.1, 1.5)
        return source.normal(0, 1, 3) * sizes + source.normal(0, 0.6)
    half, strength = source.uniform(0.5, 12), source.normal(0, 2)
    curve = np.array(doses) / (np.array(doses) + half)
    return strength * curve / curve[-1] + source.normal(0, 0.1, 3)


def draw_units(source, flaws):
    """The sites and the numbers x of the units, and what nobody records of them."""
    sites, count = int(source.integers(2, 5)), int(source.integers(10, 21))
    shares = source.dirichlet(np.full(sites, 3.0))
    site = np.sort(np.r_[np.arange(sites), source.choice(sites, count - sites, p=shares)])
    return {
        "site": site,
        "x": np.round(source.normal(0, 1, count) + 0.5 * source.normal(0, 1, sites)[site], 2),
        "own": source.normal(0, flaws["unit"], count) + flaws["site"] * source.normal(0, 1, sites)[site],
        "noise": np.exp(flaws["site_noise"] * source.normal(0, 1, sites))[site],
    }


def draw_values(source, flaws, units):
    """The flawless value of each unit with each arm."""
    sites, count = units["site"].max() + 1, len(units["site"])
    varied = flaws["site_arm"] * source.normal(0, 1, (sites, ARMS))[units["site"]]
    varied = varied + flaws["unit_arm"] * source.normal(0, 1, (count, ARMS))
    return (units["own"] + flaws["slope"] * units["x"])[:, None] + np.r_[0.0, flaws["effects"]] + varied


def draw_results(source, flaws, units, values):
    """What each measurement gives before rounding, and from which value on it is lost."""
    count = len(values)
    shape = (count, ARMS, 2, REPEATS + 1)
    given = np.broadcast_to(np.arange(ARMS)[None, :, None, None], shape)
    given = np.where(source.random(shape) < flaws["wrong_arm"], source.integers(0, ARMS, shape), given)
    noise = np.array(flaws["noise"])[None, None, :, None] * units["noise"][:, None, None, None]
    noise = np.where(source.random(shape) < flaws["wild"], flaws["wild_size"], 1.0) * noise
    raw = values[np.arange(count)[:, None, None, None], given] + noise * source.normal(0, 1, shape)
    raw = raw + flaws["device"] * np.array([0, 1])[None, None, :, None]
    chance = source.random(shape) / max(flaws["lost"], 1e-9)
    with np.errstate(divide="ignore", invalid="ignore"):
        from_here = np.where(chance < 1, flaws["lost_from"] + flaws["lost_width"] * np.log(chance / (1 - chance)), np.inf)
    return raw, values.mean() + from_here


def draw_offsets(source, flaws, days, day_size):
    """What the day and the place within the day add to a measurement."""
    day, place = np.divmod(np.arange(days * day_size), day_size)
    steps = flaws["day"] * source.normal(0, 1, days)
    return steps[day] + flaws["warming"] * place / day_size + flaws["ageing"] * day


def choose_arms(source, units, values, chosen, days):
    """The arms of the pilot, which follow the day, the site, x or the value of the unit, or nothing."""
    leaning = {
        "at-random": np.zeros(len(chosen)),
        "by-day": days - days.mean(),
        "by-site": source.permutation(units["site"].max() + 1)[units["site"][chosen]] - units["site"].max() / 2,
        "by-x": units["x"][chosen],
        "by-value": (values[chosen, 0] - values[:, 0].mean()) / values[:, 0].std(),
    }[CHOOSING[source.integers(len(CHOOSING))]]
    spots = source.permutation(ARMS)
    return np.array([spots[np.argmax(1.5 * lean * np.linspace(-1, 1, ARMS) + source.gumbel(0, 1, ARMS))] for lean in leaning])


def draw_pilot(source, units, values, tables, problem):
    """The records of the pilot: some units, each at most once with an arm, measured with one device."""
    some, slots = source.choice(len(values), int(source.integers(5, 10)), replace=False), len(tables["offsets"])
    chosen = some[np.sort(source.integers(0, len(some), slots))] if source.random() < 0.4 else source.choice(some, slots)
    days = np.arange(slots) // problem["day_size"]
    arms = choose_arms(source, units, values, chosen, days)
    devices = (source.random(slots) < source.choice([0.0, 0.5, 1.0])).astype(int)
    records, seen = [], set()
    for slot, (unit, arm, device) in enumerate(zip(chosen.tolist(), arms.tolist(), devices.tolist(), strict=True)):
        if (unit, arm) not in seen:
            seen.add((unit, arm))
            value = result(tables, problem["rounding"], slot, (unit, arm, device), REPEATS)
            day, place = divmod(slot, problem["day_size"])
            records.append({"unit": unit, "arm": arm, "device": device, "day": day, "place": place, "value": value})
    return records
