"""Quantiles of twelve simple forecasts, mixed by small networks that learned from the examples."""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import json
from pathlib import Path

import numpy as np
from mixing import prepare
from weights import MIDDLE, NETWORKS, SPREAD, TRUST_GROUP, TRUST_OWN


def mixed(network, features, experts, trust):
    """Quantiles of one network: the experts' mean with weights, moved and widened a little."""
    first, bias, second, shift = network
    outputs = np.tanh((features - MIDDLE) / SPREAD @ first + bias) @ second + shift
    count = experts.shape[3]
    logs = outputs[:, :, :count] + trust
    weights = np.exp(logs - logs.max(axis=2, keepdims=True))
    weights /= weights.sum(axis=2, keepdims=True)
    low, middle, high = np.moveaxis((weights[:, :, None] * experts).sum(axis=3), 2, 0)
    below, above = np.maximum(middle - low, 0) + 0.02, np.maximum(high - middle, 0) + 0.02
    move, narrow, wide = np.moveaxis(np.tanh(outputs[:, :, count:]), 2, 0)
    middle = middle + move * (below + above) / 2
    return np.stack([middle - below * np.exp(narrow), middle, middle + above * np.exp(wide)], axis=2)


def unit_of(group):
    """The step of values that are counts, or 0."""
    values = np.concatenate([np.array(series) for series in group["series"]])
    if (values != np.round(values)).any() or np.median(values) >= 30:
        return 0
    return int(np.gcd.reduce(values.astype(int)))


def quantiles_of(group):
    """For each series of the group and each step ahead the three quantiles."""
    features, losses, experts, offset, size, is_log = prepare(group)
    trust = -TRUST_GROUP * losses[0] - TRUST_OWN * losses[1]
    found = np.mean([mixed(network, features, experts, trust) for network in NETWORKS], axis=0)
    found = offset[:, :, None] + size[:, :, None] * found
    if is_log:
        found = np.exp(np.minimum(found, 25))
    if min(map(min, group["series"])) >= 0:
        found = np.maximum(found, 0.0)
    unit = unit_of(group)
    return (np.round(found / unit) * unit if unit else found).round(5).tolist()


def main():
    groups = json.loads(Path("problem.json").read_text())["groups"]
    Path("answers.json").write_text(json.dumps({"quantiles": [quantiles_of(group) for group in groups]}))
