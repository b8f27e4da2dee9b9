"""More steps, each over four short problems of like length: little padding."""

import random

from training import train
from tuning import load, problems, save

STEPS, PARTS, PART, RATE = 21, 2, 2, 1.5e-4
LONGEST = 600
"""Characters of a problem with its solution; short ones take less time."""


def size(problem):
    return len(problem["question"] + problem["answer"])


def batches():
    """Problems chosen at random, in batches of like length, in random order."""
    choice, batch = random.Random(0), PARTS * PART
    short = [each for each in problems() if size(each) <= LONGEST]
    chosen = sorted(choice.sample(short, STEPS * batch), key=size)
    found = [[chosen[at : at + PART] for at in range(start, start + batch, PART)]
             for start in range(0, len(chosen), batch)]  # fmt: skip
    choice.shuffle(found)
    return found


def main():
    model = load()
    train(model, batches(), RATE)
    save(model)


if __name__ == "__main__":
    main()
