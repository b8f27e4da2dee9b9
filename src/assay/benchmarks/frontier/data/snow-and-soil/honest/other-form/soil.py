"""The soil: what evaporates from it, and what runs through it."""


def evaporated(potential, wet, capacity):
    """What evaporates in one day, at most what the soil has.

    potential: what would evaporate from open water. wet: the water in the soil.
    """
    full = 0.65 * capacity
    return min(wet, potential if wet >= full else potential * wet / full)


def passed(inflow, wet, capacity):
    """The part of one day's inflow that the soil does not keep.

    wet: the water in the soil before the inflow.
    """
    filled = min(1.0, (wet + inflow / 2) / capacity)
    return inflow * filled**2.3
