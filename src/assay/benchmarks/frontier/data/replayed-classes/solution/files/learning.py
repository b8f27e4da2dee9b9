"""One stage of learning."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from buffer import Buffer
from head import Head
from losses import class_weights, distil_gradient, fresh_gradient, replay_gradient
from rows import Part, Settings, Stage
from scaling import Projection

ORDER, REPLAY = 2, 3


def batches(count: int, batch: int, seed: int, stage: int, epoch: int) -> Iterator[np.ndarray]:
    """The rows of each batch of an epoch."""
    order = np.random.default_rng([seed, ORDER, stage, epoch]).permutation(count)
    for first in range(0, count, batch):
        yield order[first : first + batch]


def ridge(weights: np.ndarray, penalty: float) -> np.ndarray:
    """The gradient of the penalty; the last line belongs to the ones."""
    gradient = penalty * weights
    gradient[-1] = 0.0
    return gradient


class Learner:
    """Projection, head and buffer of one study."""

    def __init__(self, settings: Settings, dimensions: int, classes: int) -> None:
        self.settings = settings
        self.projection = Projection(dimensions, settings.width, settings.seed)
        self.head = Head(settings.width + 1, classes)
        self.buffer = Buffer(settings.capacity)

    def replay_part(self, source: np.random.Generator) -> np.ndarray:
        """The gradient of the terms of kept rows."""
        settings = self.settings
        values, labels, stored, stored_known = self.buffer.everything()
        size = min(settings.replay, len(labels))
        drawn = source.choice(len(labels), size=size, replace=False)
        features = self.projection.features(values[drawn])
        logits = self.head.logits(features)
        hard = replay_gradient(logits, labels[drawn], self.head.known)
        soft = distil_gradient(logits, stored[drawn], stored_known[drawn], settings.distil_temperature)
        return features.T @ (settings.replay_weight * hard + settings.distil_weight * soft)

    def epoch(
        self, stage: Stage, features: np.ndarray, weights: np.ndarray, number: int, source, step: int
    ) -> int:
        """Go through the training rows once; return the number of steps so far."""
        settings, labels = self.settings, stage.train.labels
        for rows in batches(len(labels), settings.batch, settings.seed, stage.number, number):
            logits = self.head.logits(features[rows])
            slope = fresh_gradient(logits, labels[rows], self.head.known, weights, settings.smoothing)
            gradient = features[rows].T @ slope + ridge(self.head.weights, settings.penalty)
            if len(self.buffer):
                gradient = gradient + self.replay_part(source)
            step += 1
            rate = settings.rate / (1.0 + settings.decay * (step - 1))
            self.head.move(gradient, rate, settings.momentum)
        return step

    def valid_loss(self, parts: list[Part]) -> float:
        """The loss on validation rows of the stages so far."""
        losses = [self.head.loss(self.projection.features(part.values), part.labels) for part in parts]
        return float(np.mean(losses))

    def learn(self, stage: Stage, seen: list[Stage]) -> int:
        """Learn one stage; `seen` has the stages so far, this one included. Return the best epoch."""
        settings = self.settings
        self.projection.scale.add(stage.train.values)
        self.head.begin_stage(stage.train.labels)
        features = self.projection.features(stage.train.values)
        weights = class_weights(stage.train.labels, len(self.head.known))
        source = np.random.default_rng([settings.seed, REPLAY, stage.number])
        parts = [past.valid for past in seen]
        lowest, best, best_epoch, step = self.valid_loss(parts), self.head.state(), 0, 0
        for number in range(1, settings.epochs + 1):
            step = self.epoch(stage, features, weights, number, source, step)
            loss = self.valid_loss(parts)
            if loss < lowest:
                lowest, best, best_epoch = loss, self.head.state(), number
            elif number - best_epoch >= settings.patience:
                break
        self.head.restore(best)
        self.buffer.remember(
            stage.train.values,
            stage.train.labels,
            features,
            self.head.logits(features),
            self.head.known.copy(),
        )
        return best_epoch
