"""The names and the hidden choices of the tasks `chain-check`."""

SPELLINGS = [
    ["tuned", "adapted", "retuned"],
    ["propose", "suggest", "candidate"],
    ["disagreement", "spread_ratio", "shrink_factor"],
    ["total_lag", "lag_sum", "memory_length"],
    ["batch_error", "mean_error", "batch_spread"],
]
CHOICES = [
    {
        "name": "tuned", "file": "sampler.py", "function": 0,
        "options": [
            ("by-root", "    return log_size + (accepted - TARGET) / math.sqrt(number)\n"),
            ("by-power", "    return log_size + 2.0 * (accepted - TARGET) / number**0.6\n"),
            ("shifted", "    return log_size + 5.0 * (accepted - TARGET) / (10.0 + number)\n"),
            ("uneven", """    change = accepted - TARGET
    return log_size + (change / (1 - TARGET) if change > 0 else change / TARGET) / number**0.7
"""),
            ("clipped", "    return log_size + max(-0.25, min(0.25, 3.0 * (accepted - TARGET) / math.sqrt(number)))\n"),
        ],
        "same": {
            "by-power": "    return log_size + (accepted - TARGET) * 2.0 * math.exp(-0.6 * math.log(number))\n",
            "shifted": "    return log_size + (accepted - TARGET) / (2.0 + number / 5.0)\n",
            "uneven": """    change = accepted - TARGET
    ratio = change / ((1 - TARGET) if change > 0 else TARGET)
    return log_size + ratio * number**-0.7
""",
            "clipped": """    change = 3.0 * (accepted - TARGET) / number**0.5
    return log_size + sorted((-0.25, change, 0.25))[1]
""",
        },
    },
    {
        "name": "propose", "file": "sampler.py", "function": 1,
        "options": [
            ("round", "    return point[0] + size * source.gauss(0.0, 1.0), point[1] + size * source.gauss(0.0, 1.0)\n"),
            ("y-first", """    second = point[1] + size * source.gauss(0.0, 1.0)
    return point[0] + size * source.gauss(0.0, 1.0), second
"""),
            ("wide-in-x", "    return point[0] + 1.5 * size * source.gauss(0.0, 1.0), point[1] + size * source.gauss(0.0, 1.0)\n"),
            ("leaning", """    first, second = source.gauss(0.0, 1.0), source.gauss(0.0, 1.0)
    return point[0] + size * first, point[1] + size * (0.6 * first + 0.8 * second)
"""),
        ],
    },
    {
        "name": "split", "file": "mixing.py", "function": 2,
        "options": [
            ("halves", """    half = len(chains[0]) // 2
    return [part for values in chains for part in (values[:half], values[half : 2 * half])]
"""),
            ("thirds", """    third = len(chains[0]) // 3
    return [values[third * number : third * (number + 1)] for values in chains for number in range(3)]
"""),
            ("first-and-last-third", """    third = len(chains[0]) // 3
    return [part for values in chains for part in (values[:third], values[-third:])]
"""),
            ("alternating", """    return [part for values in chains for part in (values[: len(values) // 2 * 2 : 2], values[1::2])]
"""),
        ],
    },
    {
        "name": "folded", "file": "mixing.py", "function": 3,
        "options": [
            ("median-of-all", """    every = sorted(value for values in chains for value in values)
    middle = every[len(every) // 2]
    return [[abs(value - middle) for value in values] for values in chains]
"""),
            ("mean-of-all", """    middle = mean([value for values in chains for value in values])
    return [[abs(value - middle) for value in values] for values in chains]
"""),
            ("squares", """    middle = mean([value for values in chains for value in values])
    return [[(value - middle) ** 2 for value in values] for values in chains]
"""),
            ("own-means", """    return [[abs(value - mean(values[:50])) for value in values] for values in chains]
"""),
        ],
    },
    {
        "name": "ratio", "file": "mixing.py", "function": 4,
        "options": [
            ("usual", "    return math.sqrt(((length - 1) / length * within + between / length) / within)\n"),
            ("without-root", "    return ((length - 1) / length * within + between / length) / within\n"),
            ("many-chains", "    return math.sqrt((length - 1) / length + (1 + 1 / len(parts)) * between / within / length)\n"),
            ("plain-sum", "    return math.sqrt(1.0 + between / within / length)\n"),
        ],
    },
    {
        "name": "lag", "file": "size.py", "function": 5,
        "options": [
            ("initial-pairs", """    total = 0.0
    for first in range(0, len(lags) - 1, 2):
        pair = lags[first] + lags[first + 1]
        if pair < 0:
            break
        total += 2.0 * pair
    return total - 1.0
"""),
            ("small-lag", """    total = 1.0
    for value in lags[1:]:
        if value < 0.05:
            break
        total += 2.0 * value
    return total
"""),
            ("small-lag-included", """    total = 1.0
    for value in lags[1:]:
        total += 2.0 * value
        if value < 0.1:
            break
    return total
"""),
            ("window", """    total = 1.0
    for lag in range(1, len(lags)):
        total += 2.0 * lags[lag]
        if lag >= 4.0 * total:
            break
    return total
"""),
            ("tapered", """    return 1.0 + 2.0 * sum((1.0 - lag / 40) * lags[lag] for lag in range(1, 40))
"""),
        ],
    },
    {
        "name": "batch", "file": "size.py", "function": 6,
        "options": [
            ("root-size", """    size = int(math.sqrt(len(values)))
    batches = [mean(values[start : start + size]) for start in range(0, len(values) - size + 1, size)]
    return math.sqrt(variance(batches) / len(batches))
"""),
            ("cube-root-size", """    size = int(len(values) ** (2 / 3))
    batches = [mean(values[start : start + size]) for start in range(0, len(values) - size + 1, size)]
    return math.sqrt(variance(batches) / len(batches))
"""),
            ("newest-batches", """    size = int(math.sqrt(len(values)))
    batches = [mean(values[end - size : end]) for end in range(len(values), size - 1, -size)]
    return math.sqrt(variance(batches) / (len(values) / size))
"""),
            ("overlapping", """    size = int(math.sqrt(len(values)))
    batches = [mean(values[start : start + size]) for start in range(len(values) - size + 1)]
    return math.sqrt(variance(batches) * size / len(values))
"""),
        ],
    },
    {
        "name": "quantile", "file": "tails.py", "function": 7,
        "options": [
            ("usual", "    place = share * (len(ordered) - 1)\n"),
            ("weibull", "    place = max(0.0, share * (len(ordered) + 1) - 1)\n"),
            ("middle", "    place = max(0.0, share * len(ordered) - 0.5)\n"),
            ("median-unbiased", "    place = max(0.0, share * (len(ordered) + 1 / 3) - 2 / 3)\n"),
        ],
    },
    {
        "name": "target", "file": "sampler.py", "function": None,
        "options": [("middle", "TARGET = 0.3\n"), ("low", "TARGET = 0.25\n"), ("high", "TARGET = 0.4\n")],
        "textbook": 0,
    },
]


# What follows is the same for every experiment of this suite: it edits the folder in which it stands.
