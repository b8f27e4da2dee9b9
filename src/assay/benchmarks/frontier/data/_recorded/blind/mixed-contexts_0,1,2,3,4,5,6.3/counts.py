"""What one context has seen: a pair of numbers, for zeros and for ones."""


def observed(zeros, ones, bit):
    """The pair after one more bit.

    Old numbers for the bit that did not come are partly forgotten.
    """
    def forget(number):
        return 2.5 + 0.45 * (number - 2.5) if number > 2.5 else number

    if bit:
        return forget(zeros), min(40.0, ones + 1)
    return min(40.0, zeros + 1), forget(ones)


def estimated(zeros, ones):
    """The chance of a one."""
    return (ones + 0.35) / (zeros + ones + 0.7)


def trusted(zeros, ones):
    """How much the estimate of this context counts, between 0 and 1."""
    return (zeros + ones) / (zeros + ones + 1.4)
