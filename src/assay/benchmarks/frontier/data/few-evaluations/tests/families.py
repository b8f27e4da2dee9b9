"""Families of tuned methods. Each gives the mean loss of every row, which rows fail, their cost and the noise."""

import numpy as np


def slope(value, scale):
    """Zero for negative values, and a line for large ones."""
    return scale * np.logaddexp(0, value / scale)


def valley(distance, left, right):
    """A valley with two different sides."""
    return np.where(distance < 0, left * distance**2, right * distance**2)


def gradient_training(make, source):
    """Rate of learning, size and regularisation of a network; too large a rate makes the run fail."""
    rate, decay, depth, width = make.log(), make.log(), make.whole(4, 9), make.powers()
    kinds = source.integers(2, 5)
    method = make.category(kinds)
    drop = make.real() if source.random() < 0.6 else np.full(make.rows, 0.3)
    make.idle(2)
    best = source.normal(source.uniform(0.45, 0.65), 0.12, kinds)[method]
    best = best - source.uniform(0, 0.3) * (depth - 0.5) - source.uniform(0, 0.25) * (width - 0.5)
    away = rate - best
    size = 0.5 * depth + 0.5 * width
    need = source.uniform(0.3, 0.9)
    restraint = 0.6 * decay + 0.4 * drop
    match = source.uniform(0.2, 0.6) + source.uniform(0.2, 0.6) * (size - 0.5)
    loss = valley(away, source.uniform(2, 6), source.uniform(6, 20)) + source.uniform(0.3, 1) * slope(need - size, 0.05)
    loss += source.uniform(0.3, 1.2) * (restraint - match) ** 2 + source.normal(0, 0.08, kinds)[method]
    fails = away + 0.3 * (depth - 0.5) > source.uniform(0.18, 0.4)
    return np.tanh(loss), fails, np.exp(1.2 * depth + 1.5 * width), source.uniform(0.01, 0.05)


def boosted_trees(make, source):
    """Rounds and rate act together; depth, leaves and shares of rows act weakly."""
    rate, rounds, depth, leaf = make.log(), make.powers(), make.whole(4, 10), make.log()
    share = make.real()
    make.idle(2)
    product = 1.2 * rate + 0.6 * rounds - source.uniform(0.7, 1.2)
    deep = source.uniform(0.2, 0.8)
    over = slope(product + 0.7 * (depth - deep), 0.06)
    loss = source.uniform(1, 3) * slope(-product, 0.05) + source.uniform(0.5, 2) * over * (1.2 - leaf)
    loss += source.uniform(0.2, 0.8) * (depth - deep) ** 2 + source.uniform(0.1, 0.6) * slope(rate - 0.75, 0.03)
    loss += source.uniform(0, 0.3) * (share - source.uniform(0.5, 0.9)) ** 2
    return loss, np.zeros(make.rows, bool), np.exp(2.0 * rounds + 0.8 * depth), source.uniform(0.01, 0.04)


def kernel_machine(make, source):
    """A narrow diagonal valley of two settings, a plateau of useless models, and kernels that need only one of them."""
    strength, width = make.log(), make.log()
    kinds = source.integers(2, 4)
    kernel = make.category(kinds)
    extra = make.real() if source.random() < 0.5 else np.zeros(make.rows)
    make.idle(2)
    uses = np.r_[1.0, (source.random(kinds - 1) < 0.5) * source.uniform(0.5, 1)][source.permutation(kinds)][kernel]
    tilt, middle = source.uniform(0.3, 1.2), source.uniform(0.35, 0.65)
    across = uses * (width - middle) + tilt * (strength - source.uniform(0.35, 0.65))
    along = strength - tilt * uses * (width - middle)
    loss = source.uniform(3, 10) * across**2 + source.uniform(0.3, 1.5) * (along - source.uniform(0.3, 0.8)) ** 2
    loss += source.normal(0, 0.12, kinds)[kernel] + source.uniform(0, 0.3) * extra
    plateau = source.uniform(0.4, 0.7)
    loss = plateau - slope(plateau - loss, 0.03)
    fails = (strength > source.uniform(0.85, 1.0)) & (uses < 0.5)
    return loss, fails, np.exp(1.5 * strength), source.uniform(0.01, 0.04)


def neighbours(make, source):
    """Steps and flat parts in whole numbers, with categories that change the best number."""
    count, parts = make.whole(8, 20), make.whole(4, 10)
    kinds = source.integers(3, 6)
    metric, weighting = make.category(kinds), make.category(2)
    power = make.real() if source.random() < 0.5 else np.zeros(make.rows)
    make.idle(3)
    best = source.uniform(0.1, 0.9, kinds)[metric] + source.uniform(0, 0.3) * weighting
    loss = source.uniform(0.3, 1.5) * np.abs(count - best) ** source.uniform(0.6, 1.5)
    loss += source.uniform(0.2, 1) * slope(source.uniform(0.3, 0.7) - parts, 0.04)
    loss += source.normal(0, 0.2, kinds)[metric] + source.normal(0, 0.1, 2)[weighting]
    loss += source.uniform(0, 0.4) * power * (weighting == 0)
    return np.round(loss, 2), np.zeros(make.rows, bool), np.exp(1.0 * parts), source.uniform(0.03, 0.1)


def chosen_pipeline(make, source):
    """The choice of the method decides which other settings act."""
    kinds = source.integers(3, 5)
    method = make.category(kinds)
    loss = source.uniform(0, 0.5, kinds)[method]
    cost = np.exp(source.normal(0, 0.7, kinds))[method]
    fails = np.zeros(make.rows, bool)
    for kind in range(kinds):
        setting = source.choice([make.real, make.log, make.whole])()
        best, steep = source.uniform(0, 1), source.uniform(0.5, 2.5)
        loss += (method == kind) * (np.tanh(steep * (setting - best) ** 2) + source.uniform(0, 0.2))
        if source.random() < 0.3:
            fails |= (method == kind) & (setting > source.uniform(0.8, 0.95))
    shared = make.log()
    loss += source.uniform(0.2, 1) * (shared - source.uniform(0.1, 0.9)) ** 2
    make.idle(1)
    return loss, fails, cost, source.uniform(0.01, 0.05)


def learned_control(make, source):
    """Nothing works outside a region of several settings; inside it the noise is large."""
    rate, discount, spread, steps = make.log(), make.real(), make.log(), make.whole(4, 8)
    twist = make.category(2)
    make.idle(2)
    best = source.uniform(0.3, 0.7, 4)
    weights = source.uniform(0.4, 1.0, 4)
    away = weights[0] * (rate - best[0] - source.uniform(-0.2, 0.2) * twist) ** 2 + weights[1] * (discount - best[1]) ** 2
    away += weights[2] * (spread - best[2]) ** 2 + weights[3] * (steps - best[3]) ** 2
    away += source.uniform(0, 0.5) * (rate - best[0]) * (spread - best[2])
    inside = 1 / (1 + np.exp((away - source.uniform(0.1, 0.25)) / 0.04))
    loss = 1 - inside * (1 - source.uniform(1, 3) * away) - source.uniform(0, 0.2) * twist * inside
    fails = source.random(make.rows) < source.uniform(0, 0.06)
    return loss, fails, np.exp(1.0 * steps), (0.03 + 0.22 * inside) * source.uniform(0.3, 1)


def many_dials(make, source):
    """Many settings that act one by one; few of them matter much."""
    loss, acting = np.zeros(make.rows), source.integers(4, 7)
    places = []
    for number in range(acting):
        setting = source.choice([make.real, make.log, make.real])()
        best = source.uniform(-0.1, 1.1)
        loss += 1.2 * 0.6**number * np.abs(setting - best) ** source.uniform(1, 2.5)
        places.append(setting)
    loss += source.uniform(-0.6, 0.6) * (places[0] - 0.5) * (places[1] - 0.5)
    if source.random() < 0.5:
        loss += source.normal(0, 0.1, 3)[make.category(3)]
    make.idle(8 - len(make.columns))
    return np.exp(loss), np.zeros(make.rows, bool), np.exp(source.uniform(0, 1.5) * places[0]), source.uniform(0.03, 0.12)


FAMILIES = (
    gradient_training,
    boosted_trees,
    kernel_machine,
    neighbours,
    chosen_pipeline,
    learned_control,
    many_dials,
)
