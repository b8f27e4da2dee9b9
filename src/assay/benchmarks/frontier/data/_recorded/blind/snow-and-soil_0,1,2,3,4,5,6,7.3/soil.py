"""The soil: what evaporates from it, and what runs through it."""


def evaporated(potential, wet, capacity):
    """What evaporates in one day, at most what the soil has.

    potential: what would evaporate from open water. wet: the water in the soil.
    """
    return min(wet, potential * min(1.0, wet / (0.69 * capacity)))


def passed(inflow, wet, capacity):
    """The part of one day's inflow that the soil does not keep.

    wet: the water in the soil before the inflow.
    """
    return inflow * min(1.0, (wet + 0.375 * inflow) / capacity) ** 2.46
