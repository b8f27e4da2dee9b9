"""Sequences of bits with a memory of several lengths, which changes now and then."""

import random

LENGTHS = (1, 3, 6)


def sequence(length, seed):
    """A sequence of bits."""
    source = random.Random(seed)
    rules = [{} for _ in LENGTHS]
    bits = [0] * max(LENGTHS)
    active = 0
    for _ in range(length):
        if source.random() < 0.004:
            active = source.randrange(len(LENGTHS))
        if source.random() < 0.001:
            rules[source.randrange(len(LENGTHS))].clear()
        context = tuple(bits[-LENGTHS[active] :])
        chance = rules[active].setdefault(context, source.betavariate(0.35, 0.35))
        bits.append(int(source.random() < chance))
    return bits[max(LENGTHS) :]
