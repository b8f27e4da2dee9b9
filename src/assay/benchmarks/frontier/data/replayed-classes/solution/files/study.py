"""All stages of one study."""

from __future__ import annotations

import numpy as np
from calibration import best_temperature, calibration_error, pooled, worst_class_error
from learning import Learner
from measures import accuracy, average_path, balanced_recall, forgetting, transfer
from rows import Study


def final_numbers(learner: Learner, study: Study, temperature: float) -> dict[str, float]:
    """Numbers of the last model on the test rows of all stages."""
    rows = pooled([stage.test for stage in study.stages])
    features = learner.projection.features(rows.values)
    head = learner.head
    plain, calibrated = head.chances(features), head.chances(features, temperature)
    return {
        "temperature": temperature,
        "loss": head.loss(features, rows.labels),
        "loss_calibrated": head.loss(features, rows.labels, temperature),
        "error": calibration_error(plain, rows.labels, study.settings.bins),
        "error_calibrated": calibration_error(calibrated, rows.labels, study.settings.bins),
        "worst_class": worst_class_error(calibrated, rows.labels, head.known),
        "recall": balanced_recall(plain, rows.labels),
    }


def buffer_numbers(learner: Learner) -> dict[str, float]:
    """What the buffer has at the end."""
    values, labels, logits, known = learner.buffer.everything()
    sizes = np.bincount(labels)
    return {
        "rows": float(len(labels)),
        "smallest": float(sizes[sizes > 0].min()),
        "mean_value": float(np.mean(values[:, 0])),
        "mean_score": float(np.mean(logits[known])),
    }


def analyse(study: Study) -> dict[str, object]:
    """All numbers of one study."""
    learner = Learner(study.settings, study.dimensions, study.classes)
    count = len(study.stages)
    matrix = np.zeros((count, count))
    temperatures, epochs, losses = [], [], []
    for number, stage in enumerate(study.stages):
        seen = study.stages[: number + 1]
        epochs.append(learner.learn(stage, seen))
        losses.append(learner.valid_loss([past.valid for past in seen]))
        for past, earlier in enumerate(seen):
            matrix[number, past] = accuracy(learner.head, learner.projection, earlier.test)
        temperatures.append(
            best_temperature(
                learner.head, learner.projection, [past.valid for past in seen], study.settings.temperatures
            )
        )
    return {
        "accuracy": {
            "last": float(matrix[-1].mean()),
            "learned": float(np.mean(np.diag(matrix))),
            "path": average_path(matrix),
            "forgetting": forgetting(matrix),
            "transfer": transfer(matrix),
        },
        "training": {
            "epochs": float(np.mean(epochs)),
            "valid_first": losses[0],
            "valid_last": losses[-1],
            "temperatures": float(np.mean(temperatures)),
            "size": float(np.sqrt(np.mean(learner.head.weights[:-1] ** 2))),
            "ones": float(np.sqrt(np.mean(learner.head.weights[-1] ** 2))),
        },
        "final": final_numbers(learner, study, temperatures[-1]),
        "buffer": buffer_numbers(learner),
    }
