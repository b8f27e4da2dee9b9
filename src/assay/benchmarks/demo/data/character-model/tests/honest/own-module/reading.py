"""Reads the training text."""

import numpy as np

from predict import LENGTH


def windows(text, place):
    """The codes of the characters before each character, and its own; nothing of the entry before is seen."""
    before, after = [], []
    for entry in text.splitlines(keepends=True):
        codes = [place["\n"]] * LENGTH + [place[each] for each in entry]
        before += [codes[at : at + LENGTH] for at in range(len(entry))]
        after += codes[LENGTH:]
    return np.array(before, dtype=np.int16), np.array(after, dtype=np.int16)
