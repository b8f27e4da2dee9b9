"""Two sparse Gaussian processes and boosted trees, averaged. Run: `python solve.py`."""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import json
from pathlib import Path
from statistics import NormalDist

import numpy as np

STEPS, PACE = 5, 0.35
PRIORS = (
    ((-1.0, 1.2), (-0.7, -0.7, -1.2, 0.5, -0.5, -1.5), 1.0),
    ((-3.0, 3.0), (-0.7, -0.7, -1.2, 1.0, 0.0, -1.0), 1.5),
)
"""What is believed about logarithms before the labels are seen: mean and deviation of the weight of a column; means of
the amounts of linear, smooth and stepped curves and of single columns, pairs and threes of columns; their deviation."""
SHARES, SHARPER = (1.5, 1.5, 1.0), 1.12
BAGS, TREES, RATE, DEPTH, PRICE, CANDIDATES = 4, 60, 0.12, 3, 4.0, 0.4
QUANTILES = np.array([NormalDist().inv_cdf((place + 0.5) / 4000) for place in range(4000)])


def normal_scores(numbers):
    """Numbers replaced by what a normal variable has at their rank; missing ones stay missing."""
    found, there = np.full(len(numbers), np.nan), ~np.isnan(numbers)
    _, inverse, counts = np.unique(numbers[there], return_inverse=True, return_counts=True)
    upper = np.cumsum(counts)
    rank = (upper - counts / 2) / max(upper[-1], 1)
    found[there] = QUANTILES[np.minimum((rank * 4000).astype(int), 3999)][inverse]
    return found


def fill(numbers, codes):
    """Replace missing numbers by what the other columns say about them."""
    holes = np.isnan(numbers)
    numbers = np.where(holes, 0.0, numbers)
    groups = [np.eye(code.max() + 2)[code + 1][:, 1:] for code in codes]
    others = np.column_stack([np.zeros((len(numbers), 0)), *groups])
    others = others - others.mean(axis=0)
    for _ in range(4):
        for column in np.flatnonzero(holes.any(axis=0)):
            inputs, there = np.column_stack([np.delete(numbers, column, 1), others]), ~holes[:, column]
            inside = inputs[there].T @ inputs[there] + 10 * np.eye(inputs.shape[1])
            weights = np.linalg.solve(inside, inputs[there].T @ numbers[there, column])
            numbers[~there, column] = inputs[~there] @ weights
    return numbers, holes


def read(table):
    """All rows: numbers as normal scores, and codes of categories and of which numbers are missing."""
    rows, numbers, codes = table["known"] + table["asked"], [], []
    for place, kind in enumerate(table["kinds"]):
        values = [row[place] for row in rows]
        if kind == "number":
            numbers.append(normal_scores(np.array([np.nan if value is None else value for value in values], float)))
        else:
            levels = sorted(set(values) - {None})
            codes.append(np.array([-1 if value is None else levels.index(value) for value in values]))
    filled, holes = fill(np.column_stack(numbers), codes)
    return filled, codes + [hole.astype(int) for hole in holes.T if hole.sum() > 3]


def likelihood(labels, values):
    return -np.logaddexp(0.0, np.where(labels > 0, -values, values)).sum()


def mode(kernel, labels, weights):
    """Laplace's approximation: weights, chances, the inverse matrix for predictions, and the log evidence."""
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


class Process:
    """A Gaussian process whose kernel sums over single columns, pairs and threes of columns."""

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
        of_curves = [
            weights @ np.einsum("cij,cij->c", inner, stack) * share for stack, share in zip(self.known, mixed)
        ]
        of_orders = [(change * order).sum() * amount for order, amount in zip((ones, twos, threes), amounts)]
        return np.concatenate([of_columns, of_curves, of_orders]).astype(float)

    def fitted(self, logs, start):
        kernel, parts = self.kernel(logs, self.known)
        kernel.flat[:: len(self.labels) + 1] += 1e-5
        return kernel, parts, mode(kernel, self.labels, start)

    def log_odds(self, weight, means, deviation):
        """Climb the evidence for some steps, then predict the asked rows."""
        middle = np.concatenate([np.full(self.columns, weight[0]), means])
        width = np.concatenate([np.full(self.columns, weight[1]), np.full(len(means), deviation)])
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


def questions(numbers, codes):
    """Yes-or-no questions about a row: is a number larger, is a category this one."""
    found = []
    for column in numbers.T:
        found += [column > cut for cut in np.unique(np.quantile(column, np.linspace(0, 1, 14)[1:-1]))]
    found += [code == level for code in codes for level in range(-1, code.max() + 1)]
    return np.array([one for one in found if 3 < one.sum() < len(one) - 3]).T * 1.0


def boosted(numbers, codes, labels, random):
    """Log odds of boosted trees that ask one question at each level, averaged over weighted copies of the rows."""
    asked, count = questions(numbers, codes), len(labels)
    total, unit = np.zeros(len(asked)), np.eye(2**DEPTH)
    for _ in range(BAGS):
        weight = 0.5 + 0.5 * random.multinomial(count, np.full(count, 1 / count))
        values = np.full(len(asked), np.log(labels.mean() / (1 - labels.mean())))
        for _ in range(TREES):
            odds = 1 / (1 + np.exp(-values[:count]))
            pull, steep = weight * (labels - odds), weight * odds * (1 - odds)
            tried = random.permutation(asked.shape[1])[: max(2, int(CANDIDATES * asked.shape[1]))]
            inputs, leaf = asked[:count, tried], np.zeros(len(asked), dtype=int)
            for level in range(DEPTH):
                size = 2**level
                member = unit[leaf[:count], :size].T
                member = np.concatenate([member * pull, member * steep])
                yes, all_rows = member @ inputs, member.sum(axis=1)[:, None]
                no = all_rows - yes
                gain = yes[:size] ** 2 / (yes[size:] + PRICE) + no[:size] ** 2 / (no[size:] + PRICE)
                leaf = 2 * leaf + (asked[:, tried[gain.sum(axis=0).argmax()]] > 0)
            member = unit[leaf[:count]].T
            values += RATE * ((member @ pull) / (member @ steep + PRICE))[leaf]
        total += values / BAGS
    return total[count:]


def chances_of(table, random):
    """The chance of yes for each asked row."""
    labels = np.array(table["labels"], dtype=float)
    numbers, codes = read(table)
    process = Process(numbers, codes, labels)
    opinions = [process.log_odds(*prior) for prior in PRIORS]
    opinions.append(boosted(numbers, codes, labels, random))
    return 1 / (1 + np.exp(-SHARPER * np.average(opinions, axis=0, weights=SHARES)))


def main():
    random = np.random.default_rng(1)
    tables = json.loads(Path("problem.json").read_text())["tables"]
    answers = {"chances": [chances_of(table, random).round(5).tolist() for table in tables]}
    Path("answers.json").write_text(json.dumps(answers))


if __name__ == "__main__":
    main()
