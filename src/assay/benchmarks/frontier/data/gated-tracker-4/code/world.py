"""Tracks, and measurements of them of which some are far off."""

import random


def simulate(length, step, seed):
    """True positions, true velocities and measured positions, one after each step."""
    source = random.Random(seed * 7919 + 5)
    position, velocity = source.gauss(0.0, 2.0), source.gauss(0.0, 1.0)
    positions, velocities, measured = [], [], []
    for number in range(length):
        push = source.gauss(0.0, 0.35)
        position += velocity * step + 0.5 * push * step**2
        velocity += push * step
        spread = 0.4 if number < length // 2 else 0.8
        noise = source.gauss(0.0, spread)
        if source.random() < 0.06:
            noise += source.choice([-1.0, 1.0]) * source.uniform(3.0, 8.0)
        positions.append(position)
        velocities.append(velocity)
        measured.append(position + noise)
    return positions, velocities, measured
