"""The names and the hidden choices of the task `mixed-contexts`."""

SPELLINGS = [
    ["observed", "seen", "counted"],
    ["estimated", "chance_of_one", "share_of_ones"],
    ["trusted", "reliance", "standing"],
    ["learned", "moved_weights", "taught"],
    ["refined", "corrected", "repaired"],
    ["adjusted", "updated_table", "shifted"],
]
CHOICES = [
    {
        "name": "counts", "file": "counts.py", "function": 0,
        "options": [
            ("nothing-forgotten", "    same = min(same + 1, 40.0)\n"),
            ("excess-shrinks", "    same = min(same + 1, 40.0)\n    if other > 2.5:\n        other = 2.5 + 0.45 * (other - 2.5)\n"),
            ("excess-shrinks-less", "    same = min(same + 1, 30.0)\n    if other > 1.8:\n        other = 1.8 + 0.65 * (other - 1.8)\n"),
            ("all-shrinks", "    same = min(same + 1, 40.0)\n    if other > 2.5:\n        other = 0.45 * other\n"),
            ("no-limit", "    same = same + 1\n    if other > 2.5:\n        other = 2.5 + 0.45 * (other - 2.5)\n"),
        ],
    },
    {
        "name": "estimate", "file": "counts.py", "function": 1,
        "options": [
            ("half", "    return (ones + 0.5) / (zeros + ones + 1.0)\n"),
            ("third", "    return (ones + 0.35) / (zeros + ones + 0.7)\n"),
            ("fifth", "    return (ones + 0.22) / (zeros + ones + 0.44)\n"),
        ],
        "same": {"third": "    return 1 - (zeros + 0.35) / (zeros + ones + 0.7)\n"},
    },
    {
        "name": "trust", "file": "counts.py", "function": 2,
        "options": [
            ("one", "    return total / (total + 1.0)\n"),
            ("more", "    return total / (total + 1.4)\n"),
            ("much-more", "    return total / (total + 2.3)\n"),
        ],
    },
    {
        "name": "mix", "file": "mixing.py", "function": 3,
        "options": [
            ("not-cut", "    return squash(total)\n"),
            ("cut", "    return squash(min(3.2, max(-3.2, total)))\n"),
            ("cut-early", "    return squash(min(2.7, max(-2.7, total)))\n"),
        ],
    },
    {
        "name": "learning", "file": "mixing.py", "function": 4,
        "options": [
            ("in-bits", "    rate = max(0.014, 0.09 / math.sqrt(1 + time / 40)) / math.log(2)\n"),
            ("falling", "    rate = max(0.014, 0.09 / math.sqrt(1 + time / 40))\n"),
            ("falling-later", "    rate = max(0.018, 0.07 / math.sqrt(1 + time / 60))\n"),
            ("no-floor", "    rate = 0.09 / math.sqrt(1 + time / 40)\n"),
        ],
    },
    {
        "name": "refinement", "file": "refining.py", "function": 5,
        "options": [
            ("half", "    return 0.5 * chance + 0.5 * found\n"),
            ("more-table", "    return 0.3 * chance + 0.7 * found\n"),
            ("more-forecast", "    return 0.6 * chance + 0.4 * found\n"),
        ],
    },
    {
        "name": "table", "file": "refining.py", "function": 6,
        "options": [
            ("nearest-only", "    for number, share in ((node + (part > 0.5), 1.0),):\n        table[number] += 0.035 * share * (bit - table[number])\n"),
            ("by-share", "    for number, share in ((node, 1 - part), (node + 1, part)):\n        table[number] += 0.035 * share * (bit - table[number])\n"),
            ("faster", "    for number, share in ((node, 1 - part), (node + 1, part)):\n        table[number] += 0.055 * share * (bit - table[number])\n"),
        ],
    },
]
