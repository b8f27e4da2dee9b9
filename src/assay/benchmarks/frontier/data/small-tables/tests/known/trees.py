"""Boosted trees that ask one question at each level."""

import numpy as np

BAGS, TREES, RATE, DEPTH, PRICE, CANDIDATES = 4, 60, 0.12, 3, 4.0, 0.4


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
