"""One basin, day by day."""

from snow import fallen_snow, release
from soil import evaporated, passed
from stores import delays, outflows, percolation

CAPACITY = 140.0
BASE = 4.5


def simulate(rains, temperatures, potentials, parts, start=(0.0, 4.0, 30.0), base=BASE, capacity=CAPACITY):
    """The flow at the gauge for each day; `parts` says which parts of the basin are there.

    start: water in the soil, in the upper and in the lower store before the first day. capacity: of the soil.
    """
    ice, water = 0.0, 0.0
    wet, upper, lower = start
    leaving = []
    for rain, temperature, potential in zip(rains, temperatures, potentials):
        inflow = rain
        if "snow" in parts:
            snow, liquid = fallen_snow(rain, temperature)
            ice, water, inflow = release(ice + snow, water, liquid, temperature)
        if "soil" in parts:
            through = passed(inflow, wet, capacity)
            wet += inflow - through
            wet -= evaporated(potential, wet, capacity)
            inflow = through
        upper += inflow
        down = percolation(upper)
        upper, lower = upper - down, lower + down
        quick, slow = outflows(upper, lower)
        upper, lower = upper - quick, lower - slow
        leaving.append(quick + slow)
    if "delay" not in parts:
        return leaving
    shares = delays(base)
    return [
        sum(share * leaving[day - lag] for lag, share in enumerate(shares) if day >= lag)
        for day in range(len(leaving))
    ]
