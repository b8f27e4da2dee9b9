"""Kept rows as one list of records."""

import numpy as np


def quotas(labels, capacity):
    result = dict.fromkeys(sorted(labels), 0)
    for turn in range(capacity):
        result[sorted(labels)[turn % len(labels)]] += 1
    return result


def _typical(features, count):
    left, chosen = list(range(len(features))), []
    target = features.mean(axis=0)
    while left and len(chosen) < count:
        distances = [
            float(np.linalg.norm(features[[*chosen, row]].mean(axis=0) - target)) for row in left
        ]
        chosen.append(left.pop(distances.index(min(distances))))
    return chosen


class Buffer:
    """Records (label, values, scores, known), sorted by label."""

    def __init__(self, capacity):
        self.capacity = capacity
        self.records = []

    def __len__(self):
        return len(self.records)

    def remember(self, values, labels, features, logits, known):
        present = sorted(set(labels.tolist()))
        allowed = quotas({*present, *(record[0] for record in self.records)}, self.capacity)
        kept = []
        for label, count in allowed.items():
            if label in present:
                rows = np.flatnonzero(labels == label)
                chosen = rows[_typical(features[rows], count)]
                kept += [(label, values[row].copy(), logits[row].copy(), known.copy()) for row in chosen]
            else:
                kept += [record for record in self.records if record[0] == label][:count]
        self.records = kept

    def everything(self):
        labels, values, logits, known = zip(*self.records)
        return np.array(values), np.array(labels), np.array(logits), np.array(known)
