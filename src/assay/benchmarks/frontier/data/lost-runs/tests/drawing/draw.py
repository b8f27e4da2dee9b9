"""One problem: a job with a high loss is more likely to overflow, and then it leaves no line."""

from __future__ import annotations

import math
import random
from statistics import NormalDist
from typing import Any

GRID = [NormalDist().inv_cdf((step + 0.5) / 400) for step in range(400)]


def fails(latent: float, place: float, steepness: float) -> float:
    """The chance that a job overflows."""
    return 1 / (1 + math.exp(-steepness * (latent - place)))


def place_for(share: float, steepness: float) -> float:
    """Where the failures must begin so that this share of the jobs fails."""
    low, high = -6.0, 6.0
    for _ in range(18):
        middle = (low + high) / 2
        if sum(fails(latent, middle, steepness) for latent in GRID[::5]) / len(GRID[::5]) > share:
            low = middle
        else:
            high = middle
    return low


def median_of(level: float, spread: float, place: float, steepness: float) -> float:
    """The median loss where jobs that fail are worse than all others."""
    reached, before = 0.0, GRID[0]
    for latent in GRID:
        more = (1 - fails(latent, place, steepness)) / len(GRID)
        if reached + more >= 0.5:
            return level * math.exp(spread * (before + latent) / 2)
        reached, before = reached + more, latent
    raise ValueError("more than half of the jobs fail")


def study(source: random.Random, settings: dict[str, Any]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    size, failing = source.choice(("few", "many")), source.choice(("seldom", "often"))
    planned = source.randint(*settings["jobs"][size])
    spread, steepness = settings["spread"], settings["steepness"]
    hopeless = source.random() < settings["hopeless"]
    bold = source.uniform(0.72, 0.85) if hopeless else source.choice(settings["failing"][failing])
    shares = {"calm": source.uniform(0.0, 0.04), "bold": bold}
    levels = {"calm": source.uniform(1.0, 1.4)}
    levels["bold"] = levels["calm"] * math.exp(source.uniform(-0.55, 0.35))
    rows: list[dict[str, Any]] = []
    medians = {}
    for name, share in shares.items():
        place = place_for(share, steepness)
        if not (hopeless and name == "bold"):
            medians[name] = median_of(levels[name], spread, place, steepness)
        for seed in range(1, planned + 1):
            latent = source.gauss(0, 1)
            row = {"job": 0, "optimiser": name, "seed": seed, "planned": planned, "status": "done", "loss": None}
            if source.random() < settings["node_share"]:
                rows.append({**row, "status": "node"})
            elif source.random() >= fails(latent, place, steepness):
                rows.append({**row, "loss": levels[name] * math.exp(spread * latent)})
    source.shuffle(rows)
    for number, row in enumerate(rows, 1):
        row["job"] = number
    if hopeless:
        return rows, {"undecidable": True}
    return rows, {"effect": medians["bold"] - medians["calm"], "kind": f"{size}, {failing}"}
