"""Snow: what falls as snow, and what leaves the pack. All amounts are in mm of water."""


def fallen_snow(rain, temperature):
    """The snow and the liquid part of one day's rain, as (snow, liquid).

    rain: what the gauge caught. temperature: the mean of the day.
    """
    share = min(1.0, max(0.0, (2.06 - temperature) / 2.9))
    return 1.155 * share * rain, rain - share * rain


def release(ice, water, liquid, temperature):
    """One day of the pack: returns its ice, the water that it keeps, and the water that leaves it.

    ice, water: the pack, new snow included. liquid: the rain that fell on it.
    """
    degrees = temperature - 0.25
    melt = min(ice, 3.1 * max(0.0, degrees))
    frozen = min(water, 0.1 * 3.1 * max(0.0, -degrees))
    ice += frozen - melt
    water += liquid + melt - frozen
    kept = min(water, 0.07 * ice)
    return ice, kept, water - kept
