"""Prune step by step by what each unit's deviation from its mean does to the loss, then fit the biases.

Each step removes a few units whose replacement by their mean activation changes the loss least (second-order
Taylor estimate on the calibration images), moves the mean into the biases behind them, and adjusts all biases
by gradient descent. Weights between units that are kept are those of the base.
"""

import numpy as np

INPUTS, FIRST, SECOND = 46, 64, 46
RNG = np.random.default_rng(0)


def forward(p, x):
    h1 = np.maximum(x @ p["w1"] + p["b1"], 0)
    h2 = np.maximum(h1 @ p["w2"] + p["b2"], 0)
    return h1, h2, h2 @ p["w3"] + p["b3"]


def at_logits(z, soft):
    e = np.exp(z - z.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True) - soft


def slopes(p, x, soft):
    """Gradients at the inputs, both hidden layers and the logits, one row for each image."""
    h1, h2, z = forward(p, x)
    g3 = at_logits(z, soft)
    g2 = g3 @ p["w3"].T
    s2 = g2 * (h2 > 0)
    g1 = s2 @ p["w2"].T
    s1 = g1 * (h1 > 0)
    return h1, h2, g1, g2, s1, s2, g3, s1 @ p["w1"].T


def fit_biases(p, x, soft, steps, rate=0.01):
    mean = {k: np.zeros_like(p[k]) for k in ("b1", "b2", "b3")}
    square = {k: np.zeros_like(p[k]) for k in mean}
    for step in range(1, steps + 1):
        rows = RNG.choice(len(x), min(400, len(x)), replace=False)
        _, _, _, _, s1, s2, g3, _ = slopes(p, x[rows], soft[rows])
        for key, gradient in (("b1", s1.mean(0)), ("b2", s2.mean(0)), ("b3", g3.mean(0))):
            mean[key] = 0.9 * mean[key] + 0.1 * gradient
            square[key] = 0.99 * square[key] + 0.01 * gradient**2
            step_size = rate * min(1.0, 2 * (1 - step / (steps + 1)))
            p[key] = p[key] - step_size * (mean[key] / (1 - 0.9**step)) / (
                np.sqrt(square[key] / (1 - 0.99**step)) + 1e-8
            )


def harm(p, x, soft, teacher):
    """Estimated change of the squared error of the logits when a unit is replaced by its mean."""
    h1, h2, z = forward(p, x)
    d2 = h2 - h2.mean(0)
    harm2 = (d2**2).mean(0) * (p["w3"] ** 2).sum(1)
    d1 = h1 - h1.mean(0)
    open2 = (h2 > 0).astype(float)
    # Through the open second units to the logits: E[d1^2 * sum_k open_k (w2_jk |w3_k|)^2].
    through = p["w2"] ** 2 * (p["w3"] ** 2).sum(1)
    harm1 = ((d1**2) * (open2 @ through.T)).mean(0)
    d0 = x - x.mean(0)
    open1 = (h1 > 0).astype(float)
    value1 = through.sum(1)
    harm0 = ((d0**2) * (open1 @ ((p["w1"] ** 2) * value1).T)).mean(0)
    return harm0, harm1, harm2


def true_harm(p, x, soft, layer, candidates):
    """The loss with each candidate replaced by its mean."""
    h1, h2, z = forward(p, x)
    losses = []
    for unit in candidates:
        if layer == 2:
            new = z - np.outer(h2[:, unit] - h2[:, unit].mean(), p["w3"][unit])
        elif layer == 1:
            before = h1 @ p["w2"] + p["b2"] - np.outer(h1[:, unit] - h1[:, unit].mean(), p["w2"][unit])
            new = np.maximum(before, 0) @ p["w3"] + p["b3"]
        else:
            first = x @ p["w1"] + p["b1"] - np.outer(x[:, unit] - x[:, unit].mean(), p["w1"][unit])
            new = np.maximum(np.maximum(first, 0) @ p["w2"] + p["b2"], 0) @ p["w3"] + p["b3"]
        shifted = new - new.max(1, keepdims=True)
        losses.append(-(soft * (shifted - np.log(np.exp(shifted).sum(1, keepdims=True)))).sum(1).mean())
    return np.array(losses)


def remove(p, x, keep, layer, units):
    h1, h2, _ = forward(p, x)
    stay = np.setdiff1d(np.arange(len(keep[layer])), units)
    if layer == 2:
        p["b3"] = p["b3"] + h2[:, units].mean(0) @ p["w3"][units]
        p["w3"], p["w2"], p["b2"] = p["w3"][stay], p["w2"][:, stay], p["b2"][stay]
    elif layer == 1:
        p["b2"] = p["b2"] + h1[:, units].mean(0) @ p["w2"][units]
        p["w2"], p["w1"], p["b1"] = p["w2"][stay], p["w1"][:, stay], p["b1"][stay]
    else:
        p["b1"] = p["b1"] + x[:, units].mean(0) @ p["w1"][units]
        p["w1"] = p["w1"][stay]
    keep[layer] = keep[layer][stay]


def main():
    base = np.load("base.npz")
    calibration = np.load("calibration.npz")
    names = sorted(calibration.files)
    images = calibration[next(n for n in names if calibration[n].ndim > 1)].astype(float)
    labels = calibration[next(n for n in names if calibration[n].ndim == 1)].astype(int)
    x = images.reshape(len(images), -1) / 255.0
    p = {f"{a}{i}": base[f"{b}{i}"].astype(float) for i in (1, 2, 3) for a, b in (("w", "weights"), ("b", "biases"))}
    z = forward(p, x)[2]
    e = np.exp(z - z.max(1, keepdims=True))
    soft = 0.5 * e / e.sum(1, keepdims=True) + 0.5 * np.eye(10)[labels]
    keep = [np.arange(64), np.arange(256), np.arange(128)]
    goal = (INPUTS, FIRST, SECOND)
    full = (64, 256, 128)
    rounds = 26
    for number in range(1, rounds + 1):
        share = number / rounds
        for layer in (1, 2, 0):
            target = round(full[layer] * (goal[layer] / full[layer]) ** share)
            count = len(keep[layer]) - target
            if count <= 0:
                continue
            estimate = harm(p, x, soft, z)[layer]
            candidates = np.argsort(estimate)[: min(len(estimate), 4 * count + 8)]
            losses = true_harm(p, x, soft, layer, candidates)
            units = candidates[np.argsort(losses)[:count]]
            remove(p, x, keep, layer, units)
            if layer == 0:
                x = x[:, np.setdiff1d(np.arange(x.shape[1]), units)]
            fit_biases(p, x, soft, 25)
    fit_biases(p, x, soft, 1200, 0.02)
    inputs, units1, units2 = keep
    np.savez(
        "pruned.npz",
        inputs=inputs,
        units1=units1,
        units2=units2,
        weights1=base["weights1"][np.ix_(inputs, units1)],
        biases1=p["b1"].astype(np.float32),
        weights2=base["weights2"][np.ix_(units1, units2)],
        biases2=p["b2"].astype(np.float32),
        weights3=base["weights3"][units2],
        biases3=p["b3"].astype(np.float32),
    )


if __name__ == "__main__":
    main()
