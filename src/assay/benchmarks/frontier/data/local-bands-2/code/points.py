"""Points in the order of time: a wave whose noise depends on the place and grows slowly."""

import math
import random

LOW, HIGH = -1.6, 1.6


def draw(count, seed):
    """Lists of features and targets."""
    source = random.Random(seed * 6007 + 3)
    features, targets = [], []
    for number in range(count):
        feature = source.random()
        noise = (0.08 + 0.45 * feature * feature) * (0.8 + 0.6 * number / count)
        target = math.sin(7.0 * feature) + source.gauss(0.0, noise)
        features.append(feature)
        targets.append(max(LOW, min(HIGH, target)))
    return features, targets
