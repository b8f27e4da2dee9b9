"""Snow: what falls as snow, and what leaves the pack. All amounts are in mm of water."""


def fallen_snow(rain, temperature):
    """The snow and the liquid part of one day's rain, as (snow, liquid).

    rain: what the gauge caught. temperature: the mean of the day.
    """
    share = min(1.0, max(0.0, (2.2 - temperature) / 3.4))
    return 1.15 * share * rain, (1.0 - share) * rain


def release(ice, water, liquid, temperature):
    """One day of the pack: returns its ice, the water that it keeps, and the water that leaves it.

    ice, water: the pack, new snow included. liquid: the rain that fell on it.
    """
    thaw = min(ice, 3.1 * max(0.0, temperature - 0.3))
    frozen = min(water, 0.06 * 3.1 * max(0.0, 0.3 - temperature))
    ice += frozen - thaw
    water += thaw - frozen + liquid
    kept = min(water, 0.08 * ice)
    return ice, kept, water - kept
