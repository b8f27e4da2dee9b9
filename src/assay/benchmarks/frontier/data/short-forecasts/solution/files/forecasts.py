"""Simple forecasts of a group of series from many origins, with their errors."""

import numpy as np

ORIGINS = 24
SMOOTH = (1.0, 0.5, 0.2, 0.06, 0.02)
HOLT = ((0.5, 0.1, 0.9), (0.3, 0.05, 0.97), (0.8, 0.3, 0.9))
PACES = 2 * np.pi / np.geomspace(13, 50, 16)


def read(group):
    """Values with one row for each series, missing before its start; and whether they were replaced by logarithms."""
    length = max(map(len, group["series"]))
    values = np.full((len(group["series"]), length), np.nan)
    for row, series in zip(values, group["series"], strict=True):
        row[length - len(series) :] = series
    there = values[~np.isnan(values)]
    whole = (there == np.round(there)).all() and np.median(there) < 30
    if there.min() < 0 or (there == 0).mean() > 0.03 or whole:
        return values, False
    return np.log(np.maximum(values, 0.02 * np.nanmedian(values, axis=1, keepdims=True))), True


def moving(values, width):
    """A centred mean that leaves out what is missing."""
    there = ~np.isnan(values)
    filled, kernel = np.where(there, values, 0.0), np.ones(width)
    if width % 2 == 0:
        kernel = np.concatenate([[0.5], np.ones(width - 1), [0.5]])

    def spread(row):
        return np.convolve(row, kernel, "same")

    return np.apply_along_axis(spread, 1, filled) / np.maximum(np.apply_along_axis(spread, 1, there * 1.0), 1e-9)


def known_parts(values, group):
    """What the season and the marks add at every step of the past and the future, shrunk to the group's mean."""
    members, length = values.shape
    steps, period = length + group["horizon"], group["period"]
    columns = [np.eye(period)[(group["first"] + np.arange(steps)) % period] - 1 / period]
    if group["marks"]:
        marks = np.array(group["marks"][-steps:], dtype=float)
        columns.append(np.column_stack([np.append(marks[1:], 0.0), marks, np.append(0.0, marks[:-1])]))
    inputs = np.concatenate(columns, axis=1)
    rest = values - moving(values, 2 * period + 1 if period < 12 else period)
    size = np.nanmean(np.abs(rest), axis=1, keepdims=True) + 1e-12
    rest = rest / size
    trend = moving(inputs[:length].T, 2 * period + 1 if period < 12 else period).T
    bent = inputs[:length] - trend
    inside, right = [], []
    for row in rest:
        there = ~np.isnan(row)
        clipped = np.clip(row[there], -4, 4)
        inside.append(bent[there].T @ bent[there])
        right.append(bent[there].T @ clipped)
    unit = np.eye(inputs.shape[1])
    common = np.linalg.solve(np.sum(inside, axis=0) + 2.0 * unit, np.sum(right, axis=0))
    found = np.empty((members, steps))
    for member in range(members):
        price = 6.0 * unit
        own = np.linalg.solve(inside[member] + price, right[member] + price @ common)
        found[member] = inputs @ own * size[member]
    return found


def smoothed(values, alpha, slope, damp):
    """Level and slope after each step."""
    members, length = values.shape
    levels, slopes = np.full((2, members, length), np.nan)
    level, trend = np.full(members, np.nan), np.zeros(members)
    seen = np.zeros(members)
    for step in range(length):
        now = values[:, step]
        rate = np.maximum(alpha, 1 / (1 + seen))
        ahead = level + damp * trend
        new = np.where(np.isnan(level), now, ahead + rate * (now - ahead))
        change = np.where(np.isnan(level), 0.0, new - level)
        trend = damp * trend + slope * (change - damp * trend) if slope else trend
        trend, level = np.where(np.isnan(new), 0.0, trend), new
        seen = seen + ~np.isnan(now)
        levels[:, step], slopes[:, step] = level, trend
    return levels, slopes


def lagged(values, lags, origins):
    """Values at each origin and before: members x origins x lags."""
    places = origins[:, None] - np.arange(lags)
    return np.where(places >= 0, values[:, np.maximum(places, 0)], np.nan)


def ridge(inputs, aims, asked, price):
    """A regression with a price on large weights, from the complete rows, for the asked rows."""
    there = ~np.isnan(inputs).any(axis=1) & ~np.isnan(aims)
    if there.sum() < 8:
        return np.zeros(len(asked))
    rows, aim = inputs[there], aims[there]
    size = np.sqrt((rows**2).mean(axis=0)) + 1e-9
    rows = rows / size
    weights = np.linalg.solve(rows.T @ rows + price * np.eye(rows.shape[1]), rows.T @ aim)
    return np.nan_to_num(asked / size) @ weights


def remembered(values, origins, horizon, lags=8):
    """Direct regressions on past changes and on the distance from the mean, with weights that the group shares."""
    members, length = values.shape
    size = np.nanmean(np.abs(np.diff(values, axis=1)), axis=1)[:, None] + 1e-9
    scaled = values / size
    every = np.arange(length)
    past = lagged(scaled, lags + 1, every)
    mean = np.nancumsum(scaled, axis=1) / np.maximum(np.cumsum(~np.isnan(scaled), axis=1), 1)
    inputs = np.concatenate([-np.diff(past, axis=2), (scaled - mean)[:, :, None]], axis=2)
    slow = smoothed(scaled, 0.1, 0.0, 1.0)[0]
    inputs = np.concatenate([inputs, (scaled - slow)[:, :, None]], axis=2)
    inputs[:, :, :-2] = np.where(np.isnan(inputs[:, :, :-2]) & ~np.isnan(scaled)[:, :, None], 0.0, inputs[:, :, :-2])
    found = np.empty((members, len(origins), horizon))
    flat = inputs.reshape(members * length, -1)
    asked = inputs[:, origins].reshape(members * len(origins), -1)
    for step in range(1, horizon + 1):
        aims = np.full((members, length), np.nan)
        aims[:, :-step] = scaled[:, step:] - scaled[:, :-step]
        found[:, :, step - 1] = ridge(flat, np.clip(aims.ravel(), -30, 30), asked, 10.0).reshape(members, -1)
    return values[:, origins, None] + size[:, :, None] * found


def followed(values, origins, horizon, most=11):
    """Forecasts from members that move earlier: changes of each other member, moved by its best delay."""
    members, length = values.shape
    found = np.repeat(values[:, origins, None], horizon, axis=2)
    size = np.nanmean(np.abs(np.diff(values, axis=1)), axis=1)[:, None] + 1e-9
    scaled = values / size
    moves = np.nan_to_num(np.diff(scaled, axis=1))
    moves = np.clip(moves, -4, 4) - np.clip(moves, -4, 4).mean(axis=1, keepdims=True)
    norm = np.sqrt((moves**2).sum(axis=1)) + 1e-9
    every = np.arange(length)
    slow = smoothed(scaled, 0.1, 0.0, 1.0)[0]
    own = np.stack([scaled - slow, scaled - smoothed(scaled, 0.5, 0.0, 1.0)[0]], axis=2)
    for one in range(members):
        delays = []
        for other in range(members):
            match = [moves[one, by:] @ moves[other, : moves.shape[1] - by] for by in range(most + 1)]
            match = np.abs(match) / norm[one] / norm[other]
            by = int(match.argmax())
            if other != one and by > 0 and match[by] > 2.2 / np.sqrt(length):
                delays.append((match[by], other, by))
        delays = sorted(delays, reverse=True)[:4]
        if not delays:
            continue
        for step in range(1, horizon + 1):
            columns = []
            for _, other, by in delays:
                late, early = every + min(step - by, 0), every - by
                there = early >= 0
                columns.append(
                    np.where(there, scaled[other, np.maximum(late, 0)] - scaled[other, np.maximum(early, 0)], np.nan)
                )
            inputs = np.column_stack([*columns, own[one]])
            aims = np.full(length, np.nan)
            aims[:-step] = scaled[one, step:] - scaled[one, :-step]
            found[one, :, step - 1] += size[one] * ridge(inputs, aims, inputs[origins], 4.0)
    return found


def aged(values, origins, horizon):
    """Forecasts from what older members did at the same age."""
    members, length = values.shape
    start = np.isnan(values).sum(axis=1)
    level, _ = smoothed(values, 0.5, 0.0, 1.0)
    base, trend = smoothed(values, 0.5, 0.1, 0.9)
    found = np.full((members, len(origins), horizon), np.nan)
    steps = np.arange(1, horizon + 1)
    damp = np.cumsum(0.9**steps)
    found[:] = base[:, origins, None] + trend[:, origins, None] * damp
    if (start == start[0]).all():
        return found
    for one in range(members):
        total, weight = np.zeros((2, len(origins), horizon))
        for other in range(members):
            for shift in (-4, -2, 0, 2, 4) if other != one else ():
                at = start[other] + origins - start[one] + shift
                ahead = at[:, None] + steps
                there = ((at >= start[other]) & (at < origins))[:, None] & (ahead <= origins[:, None])
                at, ahead, near = (
                    np.clip(at, start[other], length - 1),
                    np.clip(ahead, 0, length - 1),
                    np.exp(-(shift**2) / 8),
                )
                total += np.where(there, near * (values[other, ahead] - level[other, at][:, None]), 0.0)
                weight += near * there
        change = level[one, origins][:, None] + total / np.maximum(weight, 1e-9)
        found[one] += weight / (weight + 1.0) * (change - found[one])
    return found


def waving(values, origins, horizon):
    """Forecasts from one slow wave whose pace the group shares; members have their own heights and phases."""
    members, length = values.shape
    steps = np.arange(1, horizon + 1)
    found = np.empty((members, len(origins), horizon))
    for place, origin in enumerate(origins):
        past = np.arange(max(0, origin - 70), origin + 1) - origin
        turns = PACES[:, None] * np.concatenate([past, steps])
        line = np.broadcast_to(np.concatenate([past, steps]) / 40, turns.shape)
        basis = np.stack([np.ones_like(turns), line, np.sin(turns), np.cos(turns)], axis=2)
        ahead, basis = basis[:, len(past) :], basis[:, : len(past)]
        seen = values[:, past + origin]
        weight = np.where(np.isnan(seen), 0.0, 0.97**-past)
        seen = np.nan_to_num(seen)
        with np.errstate(invalid="ignore"):
            middle = (weight * seen).sum(axis=1, keepdims=True) / weight.sum(axis=1, keepdims=True)
        seen = seen - middle
        products = (basis[:, :, :, None] * basis[:, :, None]).reshape(len(PACES), len(past), 16)
        inside = (weight @ products).reshape(len(PACES), members, 4, 4) + np.diag([0.01, 2.0, 0.5, 0.5])
        right = (weight * seen) @ basis
        weights = np.linalg.solve(inside, right[..., None])[..., 0]
        rest = (weight * seen**2).sum(axis=1) - (weights * right).sum(axis=2)
        best = np.log(np.maximum(rest, 1e-9)).sum(axis=1).argmin()
        left = (weight * (seen - weights[best] @ basis[best].T))[:, -3:].mean(axis=1, keepdims=True)
        found[:, place] = middle + weights[best] @ ahead[best].T + 0.7 * left * 0.8**steps
    return found


def all_forecasts(values, horizon, origins):
    """Forecasts of each method: methods x members x origins x steps."""
    steps, found = np.arange(1, horizon + 1), []
    for alpha in SMOOTH:
        level, _ = smoothed(values, alpha, 0.0, 1.0)
        found.append(np.repeat(level[:, origins, None], horizon, axis=2))
    for alpha, slope, damp in HOLT:
        level, trend = smoothed(values, alpha, slope, damp)
        found.append(level[:, origins, None] + trend[:, origins, None] * np.cumsum(damp**steps))
    found.append(remembered(values, origins, horizon))
    found.append(followed(values, origins, horizon))
    found.append(aged(values, origins, horizon))
    found.append(waving(values, origins, horizon))
    return np.array(found)
