"""A network with one hidden layer of tanh units, and its gradients by hand."""

import numpy as np


def initial_parameters(inputs, hidden, classes, seed):
    """Weights of shape (from, to) with variance 1/from, biases at zero."""
    generator = np.random.default_rng([seed, 2])
    return {
        "hidden_weights": generator.standard_normal((inputs, hidden)) / np.sqrt(inputs),
        "hidden_bias": np.zeros(hidden),
        "output_weights": generator.standard_normal((hidden, classes)) / np.sqrt(hidden),
        "output_bias": np.zeros(classes),
    }


def forward(parameters, inputs):
    """Hidden activations and log-probabilities of the classes."""
    hidden = np.tanh(inputs @ parameters["hidden_weights"] + parameters["hidden_bias"])
    logits = hidden @ parameters["output_weights"] + parameters["output_bias"]
    shifted = logits - logits.max(axis=1, keepdims=True)
    return hidden, shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))


def gradients(parameters, inputs, labels):
    """Gradients of the mean cross-entropy over a batch, one array for each parameter."""
    hidden, log_probabilities = forward(parameters, inputs)
    at_logits = np.exp(log_probabilities)
    at_logits[np.arange(len(labels)), labels] -= 1.0
    at_logits /= len(labels)
    at_hidden = (at_logits @ parameters["output_weights"].T) * (1.0 - hidden**2)
    return {
        "hidden_weights": inputs.T @ at_hidden,
        "hidden_bias": at_hidden.sum(axis=0),
        "output_weights": hidden.T @ at_logits,
        "output_bias": at_logits.sum(axis=0),
    }
