"""The names and the hidden choices of the tasks `gated-tracker`."""

SPELLINGS = [
    ["disturbance", "added_covariance", "shake"],
    ["begin", "start_state", "first_state"],
    ["believed", "trusted_variance", "doubt"],
    ["update_level", "learn_noise", "adapt_level"],
    ["improve", "look_back", "refine"],
]
GAINS = """    a, b, c = covariance
    p, q, r = predicted_covariance
    across = (a + step * b, b, b + step * c, c)
    size = p * r - q * q
    gains = (
        (across[0] * r - across[1] * q) / size,
        (across[1] * p - across[0] * q) / size,
        (across[2] * r - across[3] * q) / size,
        (across[3] * p - across[2] * q) / size,
    )
"""
CHOICES = [
    {
        "name": "disturbance", "file": "motion.py", "function": 0,
        "options": [
            ("constant-push", "    return strength * step**4 / 4, strength * step**3 / 2, strength * step**2\n"),
            ("continuous", "    return strength * step**3 / 3, strength * step**2 / 2, strength * step\n"),
            ("at-the-end", "    return 0.0, 0.0, strength * step\n"),
            ("at-the-start", "    return strength * step**3, strength * step**2, strength * step\n"),
            ("in-the-middle", "    return strength * step**3 / 4, strength * step**2 / 2, strength * step\n"),
        ],
        "same": {
            "continuous": """    for_velocity = strength * step
    return for_velocity * step * step / 3.0, 0.5 * for_velocity * step, for_velocity
""",
            "at-the-end": "    return (0.0, 0.0) + (step * strength,)\n",
            "at-the-start": "    return tuple(strength * step**power for power in (3, 2, 1))\n",
            "in-the-middle": "    return tuple(strength * step * (step / 2) ** power for power in (2, 1, 0))\n",
        },
    },
    {
        "name": "begin", "file": "motion.py", "function": 1,
        "options": [
            ("usual", "    return state, (level, level / step, 2 * level / step**2)\n"),
            ("without-both", "    return state, (level, 0.0, 2 * level / step**2)\n"),
            ("doubled", "    return state, (2 * level, 2 * level / step, 4 * level / step**2)\n"),
            ("velocity-plus-one", "    return state, (level, level / step, 2 * level / step**2 + 1.0)\n"),
        ],
    },
    {
        "name": "believed", "file": "gate.py", "function": 2,
        "options": [
            ("hard-gate", "    return level if score <= 2.5 else 1e6 * level\n"),
            ("linear", "    return level if score <= 1.8 else level * score / 1.8\n"),
            ("quadratic", "    return level if score <= 2.2 else level * (score / 2.2) ** 2\n"),
            ("whole-spread", "    return level if score <= 2.4 else level + spread**2 * (score / 2.4 - 1.0)\n"),
            ("heavy-tail", "    return level if score <= 1.6 else level * (1.0 + (score - 1.6) ** 2)\n"),
        ],
    },
    {
        "name": "level", "file": "noise.py", "function": 3,
        "options": [
            ("innovation", """    says = innovation**2 - before
    return max(0.01, level + 0.05 * (says - level))
"""),
            ("residual", """    says = residual**2 + after
    return max(0.01, level + 0.04 * (says - level))
"""),
            ("product", """    says = innovation * residual
    return max(0.02, level + 0.06 * (says - level))
"""),
            ("clipped-innovation", """    says = min(innovation**2, 9.0 * (before + level)) - before
    return max(0.02, level + 0.05 * (says - level))
"""),
            ("clipped-residual", """    says = min(residual**2 + after, 4.0 * level)
    return max(0.01, level + 0.08 * (says - level))
"""),
        ],
    },
    {
        "name": "improve", "file": "smooth.py", "function": 4,
        "options": [
            ("full", GAINS + """    off = later[0] - predicted[0], later[1] - predicted[1]
    return state[0] + gains[0] * off[0] + gains[1] * off[1], state[1] + gains[2] * off[0] + gains[3] * off[1]
"""),
            ("damped", GAINS + """    off = 0.8 * (later[0] - predicted[0]), 0.8 * (later[1] - predicted[1])
    return state[0] + gains[0] * off[0] + gains[1] * off[1], state[1] + gains[2] * off[0] + gains[3] * off[1]
"""),
            ("velocity-damped", GAINS + """    off = later[0] - predicted[0], 0.7 * (later[1] - predicted[1])
    return state[0] + gains[0] * off[0] + gains[1] * off[1], state[1] + gains[2] * off[0] + gains[3] * off[1]
"""),
            ("limited", GAINS + """    limit = 2.0 * a**0.5
    off = max(-limit, min(limit, later[0] - predicted[0])), later[1] - predicted[1]
    return state[0] + gains[0] * off[0] + gains[1] * off[1], state[1] + gains[2] * off[0] + gains[3] * off[1]
"""),
        ],
    },
    {
        "name": "consistency", "file": "measures.py", "function": 5,
        "options": [
            ("mean-of-squares", """    scores = [(innovation / spread) ** 2 for innovation, spread in zip(innovations, spreads)]
    return sum(scores) / len(scores)
"""),
            ("ratio-of-sums", """    return sum(innovation**2 for innovation in innovations[10:]) / sum(spread**2 for spread in spreads[10:])
"""),
            ("mean-magnitude", """    scores = [abs(innovation) / spread for innovation, spread in zip(innovations, spreads)][10:]
    return sum(scores) / len(scores) * math.sqrt(math.pi / 2)
"""),
            ("late-mean", """    scores = [(innovation / spread) ** 2 for innovation, spread in zip(innovations, spreads)][20:]
    return sum(scores) / (len(scores) - 1)
"""),
        ],
    },
    {
        "name": "likelihood", "file": "measures.py", "function": 6,
        "options": [
            ("all", "    return sum(terms) / len(terms)\n"),
            ("after-ten", "    return sum(terms[10:]) / len(terms[10:])\n"),
            ("after-twenty", "    return sum(terms[20:]) / len(terms[20:])\n"),
            ("floored", "    return sum(max(term, -6.0) for term in terms) / len(terms)\n"),
        ],
    },
    {
        "name": "strength", "file": "run.py", "function": None,
        "options": [("middle", "STRENGTH = 0.15\n"), ("weak", "STRENGTH = 0.1\n"), ("strong", "STRENGTH = 0.25\n")],
        "textbook": 0,
    },
]


# What follows is the same for every experiment of this suite: it edits the folder in which it stands.
