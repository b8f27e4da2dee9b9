"""Weather of a small basin, and its gauge."""

import math
import random


def weather(days, seed):
    """Rain (mm), temperature (°C) and potential evaporation (mm) of each day; day 0 is the first of October."""
    source = random.Random(seed)
    rains, temperatures, potentials = [], [], []
    wet, swing = False, 0.0
    for day in range(days):
        season = math.cos(2 * math.pi * (day - 105) / 365)
        wet = source.random() < (0.62 if wet else 0.27)
        swing = 0.7 * swing + source.gauss(0, 2.2)
        rains.append(source.expovariate(1 / 8.5) if wet else 0.0)
        temperatures.append(7.0 - 10.5 * season + swing)
        potentials.append(max(0.1, 1.9 - 1.7 * season + 0.05 * swing))
    return rains, temperatures, potentials


def gauge(rains, temperatures, seed):
    """The measured flow, by a rule that is simpler than any basin, with errors of the gauge."""
    source = random.Random(seed + 1)
    store, pack, flows = 20.0, 0.0, []
    for rain, temperature in zip(rains, temperatures):
        fallen = rain if temperature > 0.5 else 0.0
        pack += rain - fallen
        thaw = min(pack, max(0.0, 2.5 * temperature))
        pack -= thaw
        store += 0.55 * (fallen + thaw)
        flow = 0.11 * store
        store -= flow
        flows.append(flow * math.exp(source.gauss(0, 0.12)))
    return flows
