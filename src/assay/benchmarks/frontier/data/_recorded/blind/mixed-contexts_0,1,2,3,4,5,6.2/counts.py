"""What one context has seen: a pair of numbers, for zeros and for ones."""


def observed(zeros, ones, bit):
    """The pair after one more bit.

    Old numbers for the bit that did not come are partly forgotten.
    """
    same, other = (ones, zeros) if bit else (zeros, ones)
    same = min(same + 1, 40)
    if other > 2.5:
        other = 2.5 + 0.45 * (other - 2.5)
    return (other, same) if bit else (same, other)


def estimated(zeros, ones):
    """The chance of a one."""
    return (ones + 0.35) / (zeros + ones + 2 * 0.35)


def trusted(zeros, ones):
    """How much the estimate of this context counts, between 0 and 1."""
    total = zeros + ones
    return total / (total + 1.4)
