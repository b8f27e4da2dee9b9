"""A pruned classifier: how it answers, and how much memory it needs. The evaluator uses a copy of this file."""

import tracemalloc

import numpy as np

BATCH = 16


def forward(arrays, images):
    """The ten values for each image; `images` holds all 64 pixels, of which `inputs` are used."""
    values = images[:, arrays["inputs"]]
    for layer in (1, 2, 3):
        values = values @ arrays[f"weights{layer}"]
        values += arrays[f"biases{layer}"]
        if layer < 3:
            np.maximum(values, 0, out=values)
    return values


def answers(arrays, images):
    """The digit for each image, and the peak of memory, in bytes, over holding the arrays and answering by batches."""
    found = np.empty(len(images), dtype=np.int64)
    forward(arrays, np.zeros((BATCH, 64), dtype=np.float32))  # what numpy sets up once is not the model's memory
    tracemalloc.start()
    try:
        held = {name: np.array(array) for name, array in arrays.items()}
        for start in range(0, len(images), BATCH):
            batch = images[start : start + BATCH].astype(np.float32)
            batch /= np.float32(255)
            values = forward(held, batch)
            found[start : start + BATCH] = np.where(np.isfinite(values).all(axis=1), values.argmax(axis=1), -1)
        return found, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
