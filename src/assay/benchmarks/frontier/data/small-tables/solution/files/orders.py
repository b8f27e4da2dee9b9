"""A Gaussian process whose kernel sums over single columns, pairs and threes of columns."""

import numpy as np

STEPS, PACE = 5, 0.35
WEIGHT, MEANS, DEVIATION = (-1.0, 1.2), (-0.7, -0.7, -1.2, 0.5, -0.5, -1.5), 1.0
"""What is believed about logarithms before the labels are seen: mean and deviation of the weight of a column; means of
the amounts of linear, smooth and stepped curves and of single columns, pairs and threes of columns; their deviation."""


def likelihood(labels, values):
    return -np.logaddexp(0.0, np.where(labels > 0, -values, values)).sum()


def mode(kernel, labels, weights):
    """Laplace's approximation: weights, chances, and the inverse matrix for predictions."""
    values = kernel @ weights
    height = -0.5 * weights @ values + likelihood(labels, values)
    for _ in range(12):
        odds = 1 / (1 + np.exp(-values))
        root = np.sqrt(odds * (1 - odds) + 1e-9)
        inside = root[:, None] * kernel * root
        inside.flat[:: len(labels) + 1] += 1.0
        aim = root**2 * values + labels - odds
        step, size = aim - root * np.linalg.solve(inside, root * (kernel @ aim)) - weights, 1.0
        while True:
            tried = weights + size * step
            values = kernel @ tried
            now = -0.5 * tried @ values + likelihood(labels, values)
            if now >= height - 1e-9 or size < 0.05:
                break
            size *= 0.5
        weights, gain, height = tried, now - height, now
        if gain < 1e-2:
            break
    odds = 1 / (1 + np.exp(-values))
    root = np.sqrt(odds * (1 - odds) + 1e-9)
    inside = root[:, None] * kernel * root
    inside.flat[:: len(labels) + 1] += 1.0
    lower = np.linalg.inv(np.linalg.cholesky(inside))
    return weights, odds, root[:, None] * (lower.T @ lower) * root


def slopes(kernel, labels, weights, odds, inverse):
    """How the log evidence changes with each entry of the kernel."""
    both = kernel @ inverse
    variance = np.diag(kernel) - (both * kernel).sum(axis=1)
    shift = -0.5 * variance * odds * (1 - odds) * (1 - 2 * odds)
    shift, pull = shift - both.T @ shift, labels - odds
    implicit = np.outer(shift, pull)
    return 0.5 * (np.outer(weights, weights) - inverse) + 0.5 * (implicit + implicit.T)


class OrderProcess:
    """The process of one table; `log_odds` fits it and predicts."""

    def __init__(self, numbers, codes, labels):
        self.labels, known = labels, len(labels)
        apart = np.abs(numbers.T[:, :, None] - numbers.T[:, None, :])
        same = [(code[:, None] == code[None, :]) * 1.0 for code in codes]
        curves = (numbers.T[:, :, None] * numbers.T[:, None, :], np.exp(-0.5 * apart**2), np.exp(-apart))
        self.known, self.across, self.alone = [], [], []
        for curve in curves:
            stack = np.concatenate([curve, np.array(same).reshape(-1, *curve.shape[1:])])
            middle = stack.mean(axis=1)
            stack += stack.mean(axis=(1, 2))[:, None, None] - middle[:, :, None] - middle[:, None, :]
            size = np.trace(stack, axis1=1, axis2=2) / stack.shape[1]
            stack /= np.maximum(size, 0.02)[:, None, None]
            stack = stack.astype(np.float32)
            self.known.append(np.ascontiguousarray(stack[:, :known, :known]))
            self.across.append(np.ascontiguousarray(stack[:, known:, :known]))
            self.alone.append(np.diagonal(stack, axis1=1, axis2=2)[:, known:].copy())
        self.columns = len(stack)

    def kernel(self, logs, stacks):
        """The kernel and its parts."""
        sizes = np.exp(logs).astype(np.float32)
        weights, mixed, amounts = np.split(sizes, [self.columns, self.columns + 3])
        terms = mixed[0] * stacks[0] + mixed[1] * stacks[1] + mixed[2] * stacks[2]
        terms *= weights.reshape(-1, *[1] * (terms.ndim - 1))
        ones, squares = terms.sum(axis=0), (terms**2).sum(axis=0)
        twos = 0.5 * (ones**2 - squares)
        threes = (ones**3 - 3 * ones * squares + 2 * (terms**3).sum(axis=0)) / 6
        total = 1.0 + amounts[0] * ones + amounts[1] * twos + amounts[2] * threes
        return total.astype(float), (weights, mixed, amounts, terms, ones, twos, threes)

    def gradient(self, change, parts):
        """How the log evidence changes with the logarithms."""
        weights, mixed, amounts, terms, ones, twos, threes = parts
        change = change.astype(np.float32)
        inner = (change * (amounts[0] + amounts[1] * ones + amounts[2] * twos))[None]
        inner = inner - terms * (change * (amounts[1] + amounts[2] * ones)) + terms**2 * (change * amounts[2])
        of_columns = np.einsum("cij,cij->c", inner, terms)
        of_curves = [weights @ np.einsum("cij,cij->c", inner, stack) * share for stack, share in zip(self.known, mixed)]
        of_orders = [(change * order).sum() * amount for order, amount in zip((ones, twos, threes), amounts)]
        return np.concatenate([of_columns, of_curves, of_orders]).astype(float)

    def fitted(self, logs, start):
        kernel, parts = self.kernel(logs, self.known)
        kernel.flat[:: len(self.labels) + 1] += 1e-5
        return kernel, parts, mode(kernel, self.labels, start)

    def log_odds(self):
        """Climb the evidence for some steps, then predict the asked rows."""
        middle = np.concatenate([np.full(self.columns, WEIGHT[0]), MEANS])
        width = np.concatenate([np.full(self.columns, WEIGHT[1]), np.full(len(MEANS), DEVIATION)])
        logs, weights = middle.copy(), np.zeros(len(self.labels))
        first, second = np.zeros(len(logs)), np.zeros(len(logs))
        for step in range(1, STEPS + 1):
            kernel, parts, (weights, odds, inverse) = self.fitted(logs, weights)
            change = slopes(kernel, self.labels, weights, odds, inverse)
            rise = self.gradient(change, parts) - (logs - middle) / width**2
            first, second = 0.7 * first + 0.3 * rise, 0.9 * second + 0.1 * rise**2
            logs = logs + PACE * first / (1 - 0.7**step) / (np.sqrt(second / (1 - 0.9**step)) + 0.3)
        _, _, (weights, _, inverse) = self.fitted(logs, weights)
        across = self.kernel(logs, self.across)[0]
        variance = np.maximum(self.kernel(logs, self.alone)[0] - ((across @ inverse) * across).sum(axis=1), 0.0)
        return across @ weights / np.sqrt(1 + np.pi * variance / 8)
