"""The graph over all samples, shown or not."""

import numpy as np


def pairwise_distances(features):
    """Euclidean distance of every sample to every other; exactly zero on the diagonal."""
    products = features @ features.T
    lengths = np.diag(products)
    squares = lengths[:, None] + lengths[None, :] - 2.0 * products
    np.fill_diagonal(squares, 0.0)
    return np.sqrt(np.maximum(squares, 0.0))


def local_scales(distances):
    """The length scale of the neighbourhood of every sample: the paper's equation (1).

    distances: the symmetric matrix of distances, of shape (samples, samples).
    Returns an array of shape (samples,).
    """
    others = distances + np.diag(np.full(len(distances), np.inf))
    return np.sort(others, axis=1)[:, :7].mean(axis=1)


def affinities(distances, scales):
    """How strongly every two samples are tied: the paper's equation (2).

    distances: the symmetric matrix of distances, of shape (samples, samples).
    scales: what `local_scales` returned.
    Returns an array of shape (samples, samples).
    """
    weights = np.exp(-(distances**2) / (0.4 * np.outer(scales, scales)))
    np.fill_diagonal(weights, 0.0)
    return weights
