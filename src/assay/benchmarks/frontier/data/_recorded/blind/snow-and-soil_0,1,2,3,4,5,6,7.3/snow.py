"""Snow: what falls as snow, and what leaves the pack. All amounts are in mm of water."""


def fallen_snow(rain, temperature):
    """The snow and the liquid part of one day's rain, as (snow, liquid).

    rain: what the gauge caught. temperature: the mean of the day.
    """
    share = min(1.0, max(0.0, (2.25 - temperature) / 3.35))
    return 1.15 * rain * share, rain * (1 - share)


def release(ice, water, liquid, temperature):
    """One day of the pack: returns its ice, the water that it keeps, and the water that leaves it.

    ice, water: the pack, new snow included. liquid: the rain that fell on it.
    """
    degrees = temperature - 0.25
    thaw = min(ice, max(0.0, 3.0 * degrees))
    frozen = min(water, max(0.0, -3.0 * 0.022 * degrees))
    ice += frozen - thaw
    water += thaw - frozen + liquid
    kept = min(water, 0.1 * ice)
    return ice, kept, water - kept
