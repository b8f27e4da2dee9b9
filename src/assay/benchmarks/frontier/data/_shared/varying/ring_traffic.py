"""The names and the hidden choices of the task `ring-traffic`."""

SPELLINGS = [
    ["wanted_gap", "desired_gap", "safe_gap"],
    ["perceived", "seen_value", "noticed"],
    ["softened", "smooth_push", "eased"],
    ["limit_at", "free_speed", "allowed"],
    ["jammed", "jam_share", "stuck"],
]
CHOICES = [
    {
        "name": "gap", "file": "driver.py", "function": 0,
        "options": [
            ("may-be-smaller", "    return 2.3 + 1.25 * speed + speed * closing / (2 * math.sqrt(1.1 * 1.9))\n"),
            ("usual", "    return 2.3 + max(0.0, 1.25 * speed + speed * closing / (2 * math.sqrt(1.1 * 1.9)))\n"),
            ("closer", "    return 1.8 + max(0.0, 1.15 * speed + speed * closing / (2 * math.sqrt(1.1 * 1.9)))\n"),
        ],
    },
    {
        "name": "push", "file": "driver.py", "function": 1,
        "options": [
            ("fourth-power", "    return 1.1 * (1 - (speed / limit) ** 4 - (wanted / gap) ** 2)\n"),
            ("lower-power", "    return 1.1 * (1 - (speed / limit) ** 3.5 - (wanted / gap) ** 2)\n"),
            ("low-power", "    return 1.1 * (1 - (speed / limit) ** 2.5 - (wanted / gap) ** 2)\n"),
        ],
    },
    {
        "name": "eyes", "file": "body.py", "function": 2,
        "options": [
            ("two-steps", "    late = values[-3] if len(values) >= 3 else values[0]\n    return 0.65 * late + 0.35 * values[-1]\n"),
            ("three-steps", "    late = values[-4] if len(values) >= 4 else values[0]\n    return 0.65 * late + 0.35 * values[-1]\n"),
            ("less-late", "    late = values[-4] if len(values) >= 4 else values[0]\n    return 0.45 * late + 0.55 * values[-1]\n"),
            ("present-at-first", "    late = values[-4] if len(values) >= 4 else values[-1]\n    return 0.65 * late + 0.35 * values[-1]\n"),
        ],
        "same": {"three-steps": "    return 0.65 * values[max(-4, -len(values))] + 0.35 * values[-1]\n"},
    },
    {
        "name": "comfort", "file": "body.py", "function": 3,
        "options": [
            ("alike", "    change = min(1.5 * step, max(-1.5 * step, wanted - before))\n    return max(-3.6, before + change)\n"),
            ("brakes-faster", "    change = min(1.5 * step, max(-4.5 * step, wanted - before))\n    return max(-3.6, before + change)\n"),
            ("brakes-much-faster", "    change = min(1.2 * step, max(-5.5 * step, wanted - before))\n    return max(-3.2, before + change)\n"),
        ],
    },
    {
        "name": "moves", "file": "body.py", "function": 4,
        "options": [
            ("stays", "    if speed + force * step < 0:\n        return place, 0.0\n"),
            ("stops-on-the-way", "    if speed + force * step < 0:\n        return place + speed**2 / (-2 * force), 0.0\n"),
        ],
        "textbook": 1,
    },
    {
        "name": "zone", "file": "road.py", "function": 5,
        "options": [
            ("sharp", "        slow = 0.0\n    elif place < end:\n        slow = 1.0\n    else:\n        slow = 0.0\n    return 14.5 - 8.0 * slow\n"),
            ("ramps", "        slow = max(0.0, 1 - (start - place) / 35.0)\n    elif place < end:\n        slow = 1.0\n    else:\n        slow = max(0.0, 1 - (place - end) / 12.0)\n    return 14.5 - 8.0 * slow\n"),
            ("longer-ramps", "        slow = max(0.0, 1 - (start - place) / 45.0)\n    elif place < end:\n        slow = 1.0\n    else:\n        slow = max(0.0, 1 - (place - end) / 18.0)\n    return 13.5 - 6.5 * slow\n"),
        ],
    },
    {
        "name": "jam", "file": "measures.py", "function": 6,
        "options": [
            ("one-speed", "        inside = speed < 2.2\n"),
            ("two-speeds", "        if speed < 2.2:\n            inside = True\n        elif speed > 4.0:\n            inside = False\n"),
            ("two-lower-speeds", "        if speed < 1.7:\n            inside = True\n        elif speed > 3.5:\n            inside = False\n"),
        ],
    },
    {
        "name": "pace", "file": "measures.py", "function": 7,
        "options": [
            ("plain-mean", "    return sum(speeds) / len(speeds)\n"),
            ("floor", "    return len(speeds) / sum(1 / max(speed, 0.8) for speed in speeds)\n"),
            ("lower-floor", "    return len(speeds) / sum(1 / max(speed, 0.4) for speed in speeds)\n"),
        ],
    },
]
