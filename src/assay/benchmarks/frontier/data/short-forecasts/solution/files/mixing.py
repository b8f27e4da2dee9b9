"""What the networks get to know about a group: features, and quantiles of each forecast."""

import numpy as np
from forecasts import ORIGINS, all_forecasts, known_parts, read

LEVELS = np.array([0.1, 0.5, 0.9])


def pinball(above):
    return np.maximum(LEVELS * above, (LEVELS - 1) * above)


def quantiles_of_some(values):
    """The quantiles of the last axis without what is missing; missing where nothing is there."""
    ordered, count = np.sort(values, axis=-1), (~np.isnan(values)).sum(axis=-1)
    found = []
    for level in LEVELS:
        place = level * np.maximum(count - 1, 0)
        low = np.floor(place).astype(int)
        high = np.minimum(low + 1, np.maximum(count - 1, 0))
        below = np.take_along_axis(ordered, low[..., None], -1)[..., 0]
        above = np.take_along_axis(ordered, high[..., None], -1)[..., 0]
        found.append(below + (place - low) * (above - below))
    return np.stack(found, axis=-1)


def error_quantiles(errors):
    """Quantiles of scaled errors (methods x members x origins x steps): of the group and of each member, mixed."""
    methods, members, _, horizon = errors.shape
    found = np.empty((methods, members, horizon, 3))
    for step in range(horizon):
        near = errors[:, :, :, max(step - 1, 0) : step + 2]
        pooled = np.nan_to_num(quantiles_of_some(near.reshape(methods, -1)))[:, None]
        own = quantiles_of_some(near.reshape(methods, members, -1))
        found[:, :, step] = 0.6 * pooled + 0.4 * np.where(np.isnan(own), pooled, own)
    return found


def describe(group, plain, experts, lost_group, lost_own, nearest, is_log):
    """Features of each series and step."""
    (members, length), horizon = plain.shape, group["horizon"]
    moves = np.abs(np.diff(plain, axis=1))
    rough = np.log(np.nanmean(moves[:, -8:], axis=1) + 0.05)
    centred = np.nan_to_num(np.diff(plain, axis=1))
    memory = (centred[:, 1:] * centred[:, :-1]).sum(axis=1) / ((centred**2).sum(axis=1) + 1e-9)
    there = ~np.isnan(plain)
    zero = np.array([(np.array(series) == 0).mean() for series in group["series"]])
    shared = [
        *(3 * np.log(lost_group / lost_group.mean())),
        np.log(lost_group.mean() + 1e-3),
        rough.mean(),
        memory.mean(),
        is_log,
        bool(group["marks"]),
        group["period"] == 4,
        group["period"] == 7,
        np.log(length / 60),
        members / 6 - 1,
    ]
    own = np.column_stack(
        [
            2 * np.log(lost_own / lost_own.mean(axis=0)).T,
            rough,
            memory,
            np.log(there.sum(axis=1) / 60),
            zero,
            np.log(lost_own.mean(axis=0) + 1e-3),
            nearest,
        ]
    )
    features = np.empty((members, horizon, len(shared) + own.shape[1] + 4))
    features[:, :, : len(shared)] = shared
    features[:, :, len(shared) : -4] = own[:, None]
    features[:, :, -4] = (np.arange(horizon) - 5) / 5
    wide = experts[:, :, :, 2] - experts[:, :, :, 0]
    features[:, :, -3] = np.log(wide.mean(axis=0) + 0.05)
    features[:, :, -2] = np.log(experts[:, :, :, 1].std(axis=0) + 0.05)
    features[:, :, -1] = np.log(np.median(wide, axis=0) + 0.05) - np.log(wide[:3].mean(axis=0) + 0.05)
    return np.clip(features, -6, 6)


def prepare(group):
    """Everything that the last step needs about a group."""
    values, is_log = read(group)
    horizon, length = group["horizon"], values.shape[1]
    parts = known_parts(values, group)
    plain = values - parts[:, :length]
    size = np.nanmean(np.abs(np.diff(plain, axis=1)), axis=1)[:, None] + 1e-9
    plain = plain / size
    origins = np.arange(max(length - 1 - ORIGINS, min(17, length - 6)), length)
    forecasts = all_forecasts(plain, horizon, origins)
    errors = np.full(forecasts.shape, np.nan)
    for place, origin in enumerate(origins[:-1]):
        ahead = min(horizon, length - 1 - origin)
        errors[:, :, place, :ahead] = plain[:, origin + 1 : origin + 1 + ahead] - forecasts[:, :, place, :ahead]
    quantiles = error_quantiles(errors)
    lost = pinball(errors[..., None] - quantiles[:, :, None])
    total, count = np.nansum(lost, axis=(2, 3, 4)), (~np.isnan(lost)).sum(axis=(2, 3, 4))
    lost_group = total.sum(axis=1) / count.sum(axis=1)
    lost_own = np.where(count > 0, total / np.maximum(count, 1), lost_group[:, None])
    last = forecasts[1, :, -1, 0]
    experts = forecasts[:, :, -1, :, None] + quantiles - last[None, :, None, None]
    features = describe(group, plain, experts, lost_group, lost_own, plain[:, -1] - last, is_log)
    offset = parts[:, length:] + (last * size[:, 0])[:, None]
    losses = (np.log(lost_group / lost_group.mean()), np.log(lost_own / lost_own.mean(axis=0)).T[:, None])
    return features, losses, np.moveaxis(experts, 0, 3), offset, size, is_log
