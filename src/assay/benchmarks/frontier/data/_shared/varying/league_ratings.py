"""The names and the hidden choices of the task `league-ratings`."""

SPELLINGS = [
    ["damping", "doubt_factor", "shrinkage"],
    ["emphasis", "game_weight", "importance"],
    ["sharpened", "after_game", "narrowed"],
    ["rested", "after_rest", "widened"],
    ["carried", "after_summer", "brought_over"],
]
CHOICES = [
    {
        "name": "damping", "file": "expect.py", "function": 0,
        "options": [
            ("other-only", "    return 1 / math.sqrt(1 + 3 * scale**2 * other**2 / math.pi**2)\n"),
            ("both", "    return 1 / math.sqrt(1 + 3 * scale**2 * (deviation**2 + other**2) / math.pi**2)\n"),
        ],
        "same": {"both": "    return (1 + 3 * (scale / math.pi) ** 2 * (deviation**2 + other**2)) ** -0.5\n"},
    },
    {
        "name": "expected", "file": "expect.py", "function": 1,
        "options": [
            ("advantage-shrunk", "    gap = damping(home_deviation, away_deviation) * (home - away + 48.0)\n"),
            ("advantage-kept", "    gap = damping(home_deviation, away_deviation) * (home - away) + 48.0\n"),
            ("smaller-advantage", "    gap = damping(home_deviation, away_deviation) * (home - away) + 37.0\n"),
        ],
    },
    {
        "name": "emphasis", "file": "update.py", "function": 2,
        "options": [
            ("usual", "    return math.log(margin + 1) * 1.9 / (1.9 + 0.0015 * lead)\n"),
            ("moved", "    return math.log(margin + 1.6) * 1.9 / (1.9 + 0.0015 * lead)\n"),
            ("moved-more", "    return math.log(margin + 1.8) * 2.4 / (2.4 + 0.0011 * lead)\n"),
            ("absolute-lead", "    return math.log(margin + 1.6) * 1.9 / (1.9 + 0.0015 * abs(lead))\n"),
        ],
    },
    {
        "name": "step", "file": "update.py", "function": 3,
        "options": [
            ("own-only", "    return 46.0 * deviation**2 / (deviation**2 + 70.0**2)\n"),
            ("part-of-the-other", "    return 46.0 * deviation**2 / (deviation**2 + 0.5 * other**2 + 70.0**2)\n"),
            ("larger", "    return 58.0 * deviation**2 / (deviation**2 + 0.7 * other**2 + 85.0**2)\n"),
        ],
    },
    {
        "name": "sharpened", "file": "update.py", "function": 4,
        "options": [
            ("all-alike", "    return max(71.0, 1 / math.sqrt(1 / deviation**2 + 1 / 310.0**2))\n"),
            ("by-variance", "    return max(71.0, 1 / math.sqrt(1 / deviation**2 + 4 * chance * (1 - chance) / 310.0**2))\n"),
            ("lower-floor", "    return max(60.0, 1 / math.sqrt(1 / deviation**2 + 4 * chance * (1 - chance) / 310.0**2))\n"),
            ("faster", "    return max(74.0, 1 / math.sqrt(1 / deviation**2 + 4 * chance * (1 - chance) / 270.0**2))\n"),
        ],
    },
    {
        "name": "rested", "file": "update.py", "function": 5,
        "options": [
            ("deviation-grows", "    return min(96.0, deviation + 1.2 * days)\n"),
            ("variance-grows", "    return min(96.0, math.sqrt(deviation**2 + 7.5**2 * days))\n"),
            ("higher-ceiling", "    return min(120.0, math.sqrt(deviation**2 + 7.5**2 * days))\n"),
            ("slower", "    return min(99.0, math.sqrt(deviation**2 + 6.2**2 * days))\n"),
        ],
    },
    {
        "name": "carried", "file": "season.py", "function": 6,
        "options": [
            ("fixed-share", "    pull = 0.2\n"),
            ("by-doubt", "    pull = 0.3 * deviation / (deviation + 60.0)\n"),
            ("by-doubt-more", "    pull = 0.45 * deviation / (deviation + 80.0)\n"),
        ],
    },
    {
        "name": "surprise", "file": "measures.py", "function": 7,
        "options": [
            ("not-kept-away", "        chance = min(0.999999, max(0.000001, chance))\n"),
            ("kept-away", "        chance = min(0.86, max(0.14, chance))\n"),
        ],
    },
    {
        "name": "unevenness", "file": "measures.py", "function": 8,
        "options": [
            ("equal-widths", "        members = [number for number in order if int(chances[number] * 8) == group]\n        if not members:\n            continue\n"),
            ("equal-sizes", "        members = order[group * len(order) // 8 : (group + 1) * len(order) // 8]\n"),
        ],
    },
]
