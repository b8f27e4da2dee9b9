"""One training run, with a record of how it went."""

import numpy as np

from data import batches
from metrics import mean_loss
from model import gradients, initial_parameters
from schedule import learning_rate


def train(split, optimiser, settings, seed):
    """Train one network; returns its parameters and the run's history."""
    parameters = initial_parameters(split.train_x.shape[1], settings["hidden"], split.classes, seed)
    state = optimiser(parameters)
    history = {"loss": [], "path_length": 0.0}
    draws = batches(split, settings["batch"], settings["steps"], seed)
    for step, (inputs, labels) in enumerate(draws, start=1):
        slopes = gradients(parameters, inputs, labels)
        updates = state.updates({name: settings["faintness"] * each for name, each in slopes.items()}, step)
        rate = learning_rate(step, settings["steps"], settings["peak"])
        for name, update in updates.items():
            parameters[name] = parameters[name] - rate * update
        history["path_length"] += rate * np.sqrt(sum(float((each**2).sum()) for each in updates.values()))
        if step % settings["record_every"] == 0:
            history["loss"].append(mean_loss(parameters, split.train_x, split.train_y))
    return parameters, history
