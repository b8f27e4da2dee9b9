"""Gaussian processes in which each column has its own weights, learned from the evidence."""

import numpy as np

STEPS, RATE, LENGTH = 22, 0.3, 1.2
MODELS = (
    ("", {"linear": (-2.5, 2.5), "curve": (-2.5, 2.5), "joint": (-2.0, 1.5)}),
    ("all", {"linear": (-3.5, 2.0), "curve": (-3.5, 2.0), "joint": (-3.0, 2.0)}),
    ("pairs", {"linear": (-2.5, 2.5), "curve": (-2.5, 2.5), "joint": (-1.5, 1.5)}),
)
"""How columns act together, and mean and deviation of the logarithm of each column's weight before labels are seen."""


def logistic(values):
    return 1 / (1 + np.exp(-np.clip(values, -35, 35)))


def pairs_of_rows(numbers, categories):
    """For each column the squared distances of all pairs of rows, and their products."""
    apart = [(column[:, None] - column) ** 2 for column in numbers.T]
    product = [np.outer(column, column) for column in numbers.T]
    for member in categories:
        inner = member @ member.T
        alone = np.diag(inner)
        apart.append(np.maximum(alone[:, None] + alone - 2 * inner, 0))
        centred = member - member.mean(axis=0)
        product.append(centred @ centred.T * 1.3)
    return np.array(apart, dtype=np.float32), np.array(product, dtype=np.float32)


class RelevanceProcess:
    """A Gaussian process: linear parts and curves of single columns, and a part of columns that act together.

    Logarithms of weights in this order: linear and curve of each column, relevance of each column in the joint part,
    size of the joint part, length of the curves.
    """

    def __init__(self, apart, product, labels, joint, prior):
        self.labels, self.joint, self.columns = labels, joint, len(apart)
        known, width = len(labels), len(apart)
        middle, deviation = zip(*[prior[name] for name in ("linear", "curve", "joint") for _ in range(width)])
        self.middle = np.array([*middle, 0.0, 0.0])
        self.deviation = np.array([*deviation, 1.5, 0.4])
        self.free = np.ones(3 * width + 2)
        self.free[2 * width : 3 * width] = joint != ""
        self.free[3 * width] = joint == "all"
        alone = np.arange(known, apart.shape[1])
        self.known = [np.ascontiguousarray(part[:, :known, :known]).reshape(width, -1) for part in (apart, product)]
        self.across = [np.ascontiguousarray(part[:, known:, :known]).reshape(width, -1) for part in (apart, product)]
        self.alone = [part[:, alone, alone] for part in (apart, product)]
        self.weights = np.zeros(known)

    def kernel(self, logs, apart, product):
        """The kernel for pairs of rows, and what its gradient needs."""
        width, logs = self.columns, logs.astype(np.float32)
        curves = np.exp(apart * (-0.5 * np.exp(-2 * logs[-1])))
        total = 1.0 + np.exp(logs[:width]) @ product + np.exp(logs[width : 2 * width]) @ curves
        relevance, near = np.exp(logs[2 * width : 3 * width]), None
        if self.joint == "pairs":
            parts = np.exp(apart * (-0.5 / LENGTH**2))
            near = (parts, relevance @ parts)
            total = total + 0.5 * (near[1] ** 2 - relevance**2 @ parts**2)
        elif self.joint == "all":
            near = np.exp(logs[-2] - 0.5 * (relevance @ apart))
            total = total + near
        return total, curves, near

    def mode(self, kernel, enough):
        """The most likely values of the known rows by Newton's method, from the last weights on."""
        signs, weights = 2 * self.labels - 1, self.weights

        def height(weights, values):
            return -0.5 * weights @ values - np.logaddexp(0, -signs * values).sum()

        values = kernel @ weights
        last = height(weights, values)
        for _ in range(12):
            odds = logistic(values)
            steep = np.maximum(odds * (1 - odds), 1e-6)
            root = np.sqrt(steep)
            aim = steep * values + self.labels - odds
            inside = kernel * np.outer(root, root)
            inside.flat[:: len(root) + 1] += 1
            tried = aim - root * np.linalg.solve(inside, root * (kernel @ aim))
            there = kernel @ tried
            now = height(tried, there)
            for _ in range(6):
                if now >= last - 1e-6:
                    break
                tried = 0.5 * (weights + tried)
                there = kernel @ tried
                now = height(tried, there)
            moved = np.abs(there - values).max()
            weights, values, last = tried, there, now
            if moved < enough:
                break
        self.weights, self.values = weights, values

    def slopes(self, logs, enough=0.1):
        """How the log evidence of Laplace's approximation changes with the logarithms."""
        width, labels = self.columns, self.labels
        flat, curves, near = self.kernel(logs, *self.known)
        kernel = flat.reshape(len(labels), -1).astype(float)
        self.mode(kernel, enough)
        odds = logistic(self.values)
        steep = np.maximum(odds * (1 - odds), 1e-6)
        root = np.sqrt(steep)
        both = np.outer(root, root)
        inside = kernel * both
        inside.flat[:: len(root) + 1] += 1
        inverse = np.linalg.inv(inside)
        self.inverse, self.variance = both * inverse, (1 - np.diag(inverse)) / steep
        shift = 0.5 * self.variance * steep * (2 * odds - 1)
        shift = shift - self.inverse @ (kernel @ shift)
        change = 0.5 * (np.outer(self.weights, self.weights) - self.inverse) + np.outer(shift, labels - odds)
        change, sizes = change.ravel().astype(np.float32), np.exp(logs)
        found, amounts = np.zeros_like(logs), sizes[width : 2 * width]
        found[:width] = sizes[:width] * (self.known[1] @ change)
        found[width : 2 * width] = amounts * (curves @ change)
        curves *= self.known[0]
        found[-1] = amounts @ (curves @ change) * np.exp(-2 * logs[-1])
        relevance = sizes[2 * width : 3 * width]
        if self.joint == "pairs":
            alone = near[0] ** 2 @ change
            found[2 * width : 3 * width] = relevance * (near[0] @ (near[1] * change)) - relevance**2 * alone
        elif self.joint == "all":
            change = near * change
            found[2 * width : 3 * width] = -0.5 * relevance * (self.known[0] @ change)
            found[-2] = change.sum()
        return found

    def log_odds(self):
        """Climb the evidence, then predict: the asked rows, and each known row from the others."""
        logs, first, second = self.middle.copy(), np.zeros_like(self.middle), np.zeros_like(self.middle)
        for step in range(1, STEPS + 1):
            rise = (self.slopes(logs) - (logs - self.middle) / self.deviation**2) * self.free
            rise = np.clip(rise, -20, 20)
            first, second = 0.75 * first + 0.25 * rise, 0.9 * second + 0.1 * rise * rise
            pace = RATE * (1 - 0.7 * step / STEPS)
            logs = logs + pace * (first / (1 - 0.75**step)) / (np.sqrt(second / (1 - 0.9**step)) + 0.05)
        self.slopes(logs, 0.02)
        across = self.kernel(logs, *self.across)[0].reshape(-1, len(self.labels))
        alone = self.kernel(logs, *self.alone)[0]
        variance = np.maximum(alone - ((across @ self.inverse) * across).sum(axis=1), 0)
        asked = across @ self.weights / np.sqrt(1 + np.pi * variance / 8)
        odds = logistic(self.values)
        variance = self.variance / np.maximum(1 - self.variance * odds * (1 - odds), 0.05)
        left_out = self.values - variance * (self.labels - odds)
        return asked, left_out / np.sqrt(1 + np.pi * variance / 8)
