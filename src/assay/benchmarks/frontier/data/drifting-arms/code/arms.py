"""Arms whose mean rewards jump from time to time, one arm at a time."""

import random

ARMS = 5
NOISE = 0.3


class World:
    """Mean rewards for each round, and one noisy reward for each arm and round."""

    def __init__(self, rounds, seed):
        source = random.Random(seed * 1009 + 17)
        self.means, self.rewards, self.changes = [], [], []
        means = [round(source.uniform(0.1, 0.9), 3) for _ in range(ARMS)]
        for number in range(rounds):
            if number and source.random() < 1 / 90:
                arm = source.randrange(ARMS)
                means = list(means)
                means[arm] = round(source.uniform(0.0, 1.0), 3)
                self.changes.append((number, arm))
            self.means.append(means)
            self.rewards.append([mean + source.gauss(0.0, NOISE) for mean in means])
