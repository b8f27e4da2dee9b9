"""How the base learning rate changes over a run."""

import math


def learning_rate(step, steps, peak):
    """The base learning rate of one step: the paper's equation (5).

    step: the number of the step, counted from 1.
    steps: how many steps the run has.
    peak: the highest rate.
    Returns a float.
    """
    warm = math.ceil(0.15 * steps)
    if step <= warm:
        return peak * step / warm
    done = (step - warm) / (steps - warm)
    return peak * (0.5 * (1.0 + math.cos(math.pi * done)))
