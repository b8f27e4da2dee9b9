"""Few steps, large ones, over two problems each."""

import random

from training import train
from tuning import load, problems, save

STEPS, BATCH, RATE = 12, 2, 2e-4


def main():
    model, given = load(), problems()
    random.Random(0).shuffle(given)
    train(model, [[given[step * BATCH : (step + 1) * BATCH]] for step in range(STEPS)], RATE)
    save(model)


if __name__ == "__main__":
    main()
