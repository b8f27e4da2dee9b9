"""The names and the hidden choices of the tasks `drifting-arms`."""

SPELLINGS = [
    ["fade", "remember", "take_in"],
    ["estimate", "opinion", "belief"],
    ["width", "margin", "hope"],
    ["listen", "hear", "accumulate"],
    ["cut", "trim", "reduce_memory"],
]
CHOICES = [
    {
        "name": "fade", "file": "memory.py", "function": 0,
        "options": [
            ("all-alike", """    totals = [total * decay for total in totals]
    plays = [count * decay for count in plays]
    totals[arm] += reward
    plays[arm] += 1.0
    return totals, plays
"""),
            ("played-arm-only", """    totals, plays = list(totals), list(plays)
    totals[arm] = totals[arm] * decay + reward
    plays[arm] = plays[arm] * decay + 1.0
    return totals, plays
"""),
            ("resting-arms-slower", """    rates = [decay if number == arm else decay**0.25 for number in range(len(totals))]
    totals = [total * rate for total, rate in zip(totals, rates)]
    plays = [count * rate for count, rate in zip(plays, rates)]
    totals[arm] += reward
    plays[arm] += 1.0
    return totals, plays
"""),
            ("new-reward-fades-too", """    totals, plays = list(totals), list(plays)
    totals[arm] = (totals[arm] + reward) * decay
    plays[arm] = (plays[arm] + 1.0) * decay
    return totals, plays
"""),
            ("resting-arms-by-root", """    root = decay**0.5
    totals = [total * (decay if number == arm else root) for number, total in enumerate(totals)]
    plays = [count * (decay if number == arm else root) for number, count in enumerate(plays)]
    totals[arm] += reward
    plays[arm] += 1.0
    return totals, plays
"""),
        ],
        "same": {
            "played-arm-only": """    kept = [1.0] * len(totals)
    kept[arm] = decay
    gain = [float(number == arm) for number in range(len(totals))]
    return (
        [old * keep + new * reward for old, keep, new in zip(totals, kept, gain)],
        [old * keep + new for old, keep, new in zip(plays, kept, gain)],
    )
""",
            "new-reward-fades-too": """    both = []
    for values, gain in ((totals, reward), (plays, 1.0)):
        both.append([decay * (old + gain) if number == arm else old for number, old in enumerate(values)])
    return both[0], both[1]
""",
            "resting-arms-slower": """    both = []
    for values, gain in ((totals, reward), (plays, 1.0)):
        both.append([decay * old + gain if number == arm else old * decay**0.25 for number, old in enumerate(values)])
    return both[0], both[1]
""",
            "resting-arms-by-root": """    both = []
    for values, gain in ((totals, reward), (plays, 1.0)):
        both.append([decay * old + gain if number == arm else old * decay**0.5 for number, old in enumerate(values)])
    return both[0], both[1]
""",
        },
    },
    {
        "name": "estimate", "file": "memory.py", "function": 1,
        "options": [
            ("plain-mean", "    return total / count if count > 0 else 0.5\n"),
            ("pull-to-half", "    return (total + 0.5 * 0.8) / (count + 0.8)\n"),
            ("pull-to-low", "    return (total + 0.35 * 1.2) / (count + 1.2)\n"),
            ("pull-to-zero", "    return total / (count + 0.6)\n"),
            ("pull-to-high", "    return (total + 0.65 * 0.7) / (count + 0.7)\n"),
        ],
    },
    {
        "name": "width", "file": "explore.py", "function": 2,
        "options": [
            ("usual", "    return 0.42 * math.sqrt(2.0 * math.log(1.0 + sum(plays)) / max(count, 1e-9))\n"),
            ("one-more-play", "    return 0.38 * math.sqrt(math.log(1.0 + sum(plays)) / (1.0 + count))\n"),
            ("root-of-total", "    return 0.16 * math.sqrt(math.sqrt(sum(plays)) / (0.5 + count))\n"),
            ("log-ratio", "    return 0.34 * math.sqrt(math.log(1.0 + sum(plays) / (1.0 + count)) / (1.0 + count))\n"),
            ("without-root", "    return 0.55 * math.log(1.0 + sum(plays)) / (2.0 + count)\n"),
        ],
    },
    {
        "name": "best", "file": "explore.py", "function": 3,
        "options": [
            ("first-of-equals", "    return max(range(len(values)), key=lambda arm: values[arm])\n"),
            ("last-of-equals", "    return max(range(len(values)), key=lambda arm: (values[arm], arm))\n"),
            ("middle-of-equals", "    return max(range(len(values)), key=lambda arm: (values[arm], -abs(arm - 2), arm))\n"),
        ],
    },
    {
        "name": "listen", "file": "alarm.py", "function": 4,
        "options": [
            ("usual-sums", "    return max(0.0, level[0] + surprise - 0.1), max(0.0, level[1] - surprise - 0.1)\n"),
            ("other-side-is-emptied", """    rise = max(0.0, level[0] + surprise - 0.12)
    fall = max(0.0, level[1] - surprise - 0.12)
    return (rise, 0.0) if surprise > 0 else (0.0, fall)
"""),
            ("weighted-by-plays", """    share = count / (count + 3.0)
    return max(0.0, level[0] + share * surprise - 0.08), max(0.0, level[1] - share * surprise - 0.08)
"""),
            ("fades-before", """    rise, fall = 0.9 * level[0] + surprise, 0.9 * level[1] - surprise
    return max(0.0, rise - 0.05), max(0.0, fall - 0.05)
"""),
            ("large-surprises-are-clipped", """    heard = max(-0.5, min(0.5, surprise))
    return max(0.0, level[0] + heard - 0.09), max(0.0, level[1] - heard - 0.09)
"""),
        ],
    },
    {
        "name": "cut", "file": "alarm.py", "function": 5,
        "options": [
            ("to-nothing", """    totals, plays = list(totals), list(plays)
    totals[arm], plays[arm] = 0.0, 0.0
    return totals, plays
"""),
            ("to-a-quarter", """    totals, plays = list(totals), list(plays)
    totals[arm], plays[arm] = totals[arm] * 0.25, plays[arm] * 0.25
    return totals, plays
"""),
            ("to-two-plays", """    totals, plays = list(totals), list(plays)
    share = 2.0 / plays[arm]
    totals[arm], plays[arm] = totals[arm] * share, plays[arm] * share
    return totals, plays
"""),
            ("all-arms-a-little", """    rates = [0.1 if number == arm else 0.7 for number in range(len(totals))]
    return [total * rate for total, rate in zip(totals, rates)], [count * rate for count, rate in zip(plays, rates)]
"""),
        ],
    },
    {
        "name": "regret", "file": "score.py", "function": 6,
        "options": [
            ("of-means", "    return max(means) - means[arm]\n"),
            ("of-reward", "    return max(means) - reward\n"),
            ("over-the-mean-arm", "    return (max(means) - means[arm]) / (max(means) - sum(means) / len(means))\n"),
            ("squared-gap", "    return (max(means) - means[arm]) ** 2\n"),
        ],
    },
    {
        "name": "threshold", "file": "alarm.py", "function": None,
        "options": [
            ("high", "    return max(level) > 1.6\n"),
            ("low", "    return max(level) > 1.1\n"),
            ("higher", "    return max(level) > 1.9\n"),
        ],
        "textbook": 0,
    },
    {
        "name": "decay", "file": "run.py", "function": None,
        "options": [("slow", "DECAY = 0.97\n"), ("slower", "DECAY = 0.98\n"), ("faster", "DECAY = 0.95\n")],
        "textbook": 0,
    },
]


# What follows is the same for every experiment of this suite: it edits the folder in which it stands.
