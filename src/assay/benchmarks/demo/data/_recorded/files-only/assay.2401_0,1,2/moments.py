"""What the optimisers remember of past gradients."""

import numpy as np


def gradient_energy(gradient):
    """How strong the gradient of one parameter array is: the paper's equation (1).

    gradient: a weight matrix's gradient of shape (from, to), or a bias vector's of shape (to,).
    Returns an array that broadcasts against `gradient`.
    """
    if gradient.ndim == 1:
        return gradient**2
    return np.mean(gradient**2, axis=0, keepdims=True)


def moving_average(average, value, decay, step):
    """Take one more value into a debiased moving average: the paper's equation (2).

    average: what this function returned at the step before; zeros at the first step.
    value: the new array, of the same shape.
    decay: how much of the past is kept, between 0 and 1.
    step: the number of this step, counted from 1.
    Returns the new average, of the same shape.
    """
    # The weights of the mean sum to (1 - decay**step) / (1 - decay), of which the new value has one.
    share = (1.0 - decay) / (1.0 - decay**step)
    return average + share * (value - average)
