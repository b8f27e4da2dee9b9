"""The names and the hidden choices of the tasks `local-bands`."""

SPELLINGS = [
    ["difficulty", "local_scale", "hardness"],
    ["ages", "recency", "freshness"],
    ["cut", "threshold", "quantile"],
    ["interval_score", "band_score", "penalty"],
    ["worst_coverage", "weakest_group", "lowest_coverage"],
]
NEAR = """    order = sorted(range(len(features)), key=lambda number: abs(features[number] - place))
"""
WALK = """    running = 0.0
    for value, weight in sorted(zip(scores, weights)):
        running += weight
        if running >= share * total:
            return value
    return max(scores)
"""
CHOICES = [
    {
        "name": "weight", "file": "smooth.py", "function": 0,
        "options": [
            ("gaussian", "    return math.exp(-0.5 * (distance / bandwidth) ** 2)\n"),
            ("without-half", "    return math.exp(-((distance / bandwidth) ** 2))\n"),
            ("exponential", "    return math.exp(-distance / bandwidth)\n"),
            ("cauchy", "    return 1.0 / (1.0 + (distance / bandwidth) ** 2) ** 2\n"),
            ("quartic", "    return math.exp(-0.5 * (distance / bandwidth) ** 4) + 0.001\n"),
        ],
        "same": {
            "without-half": """    ratio = distance / bandwidth
    return 1.0 / math.exp(ratio * ratio)
""",
            "exponential": "    return math.e ** -(distance / bandwidth)\n",
            "cauchy": """    ratio = distance * distance / bandwidth / bandwidth
    return (1.0 + ratio) ** -2.0
""",
            "quartic": """    squared = distance * distance / bandwidth / bandwidth
    return 0.001 + math.exp(-squared * squared / 2.0)
""",
        },
    },
    {
        "name": "difficulty", "file": "places.py", "function": 1,
        "options": [
            ("mean-of-fifteen", NEAR + """    near = [abs(residuals[number]) for number in order[:15]]
    return sum(near) / len(near) + 0.02
"""),
            ("root-mean-square", NEAR + """    near = [residuals[number] ** 2 for number in order[:18]]
    return math.sqrt(sum(near) / (len(near) - 1) + 0.003)
"""),
            ("median", NEAR + """    near = sorted(abs(residuals[number]) for number in order[:21])
    return 1.483 * near[10] + 0.04
"""),
            ("weighted-by-rank", NEAR + """    near = [(abs(residuals[number]), 12 - rank) for rank, number in enumerate(order[:12])]
    return sum(size * share for size, share in near) / sum(share for _, share in near) + 0.03
"""),
            ("trimmed", NEAR + """    near = sorted(abs(residuals[number]) for number in order[:20])[2:-2]
    return sum(near) / len(near) + 0.05
"""),
        ],
    },
    {
        "name": "score", "file": "calibrate.py", "function": 2,
        "options": [
            ("ratio", "    return abs(residual) / scale\n"),
            ("root-scale", "    return abs(residual) / math.sqrt(scale)\n"),
            ("shrunk-scale", "    return abs(residual) / (scale + 0.1)\n"),
            ("squared", "    return (residual / scale) ** 2\n"),
        ],
    },
    {
        "name": "ages", "file": "calibrate.py", "function": 3,
        "options": [
            ("all-alike", "    return [1.0] * count\n"),
            ("geometric", "    return [0.985 ** (count - 1 - number) for number in range(count)]\n"),
            ("linear", "    return [(number + 1) / count for number in range(count)]\n"),
            ("half-life", "    return [0.5 ** ((count - 1 - number) / 40) for number in range(count)]\n"),
            ("root", "    return [math.sqrt((number + 1) / count) for number in range(count)]\n"),
        ],
    },
    {
        "name": "cut", "file": "calibrate.py", "function": 4,
        "options": [
            ("usual", "    total = sum(weights) + 1.0\n" + WALK),
            ("without-new-point", "    total = sum(weights)\n" + WALK),
            ("newest-weight", "    total = sum(weights) + sum(weights) / len(weights)\n" + WALK),
            ("between-two", """    total = sum(weights) + 1.0
    running, before = 0.0, 0.0
    for value, weight in sorted(zip(scores, weights)):
        if running + weight >= share * total:
            return before + (value - before) * (share * total - running) / weight
        running, before = running + weight, value
    return max(scores)
"""),
            ("strictly-above", """    total = sum(weights) + 1.0
    running = 0.0
    for value, weight in sorted(zip(scores, weights)):
        if running > share * total:
            return value
        running += weight
    return max(scores)
"""),
        ],
    },
    {
        "name": "interval", "file": "bands.py", "function": 5,
        "options": [
            ("usual", "    return (high - low) + 2.0 / miss * (below + above)\n"),
            ("one-over", "    return (high - low) + (below + above) / miss\n"),
            ("squared-penalty", "    return (high - low) + 2.0 / miss * (below**2 + above**2)\n"),
            ("relative-to-width", "    return (high - low) * (1.0 + 2.0 / miss * (below + above))\n"),
        ],
    },
    {
        "name": "worst", "file": "bands.py", "function": 6,
        "options": [
            ("blocks-of-fifteen", """    groups = [order[start : start + 15] for start in range(0, len(order), 15)]
    return min(sum(inside[number] for number in group) / len(group) for group in groups)
"""),
            ("sliding-twelve", """    groups = [order[start : start + 12] for start in range(len(order) - 11)]
    return min(sum(inside[number] for number in group) / len(group) for group in groups)
"""),
            ("sliding-twenty", """    groups = [order[start : start + 20] for start in range(len(order) - 19)]
    return min(sum(inside[number] for number in group) / len(group) for group in groups)
"""),
            ("shrunk-blocks-of-ten", """    groups = [order[start : start + 10] for start in range(0, len(order), 10)]
    return min((sum(inside[number] for number in group) + 1) / (len(group) + 2) for group in groups)
"""),
        ],
    },
    {
        "name": "bandwidth", "file": "run.py", "function": None,
        "options": [("middle", "BANDWIDTH = 0.06\n"), ("narrow", "BANDWIDTH = 0.05\n"), ("wide", "BANDWIDTH = 0.08\n")],
        "textbook": 0,
    },
]


# What follows is the same for every experiment of this suite: it edits the folder in which it stands.
