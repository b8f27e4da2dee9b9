"""The names and the hidden choices of the task `snow-and-soil`."""

SPELLINGS = [
    ["fallen_snow", "split_rain", "phases"],
    ["release", "pack_day", "let_go"],
    ["evaporated", "taken_up", "drying"],
    ["passed", "run_through", "excess"],
    ["percolation", "seepage", "sinking"],
]
CHOICES = [
    {
        "name": "snow", "file": "snow.py", "function": 0,
        "options": [
            ("usual-limits", "    share = min(1.0, max(0.0, (2.0 - temperature) / 4.0))\n    return 1.15 * share * rain, (1 - share) * rain\n"),
            ("wide-limits", "    share = min(1.0, max(0.0, (2.2 - temperature) / 3.4))\n    return 1.15 * share * rain, (1 - share) * rain\n"),
            ("low-limits", "    share = min(1.0, max(0.0, (1.6 - temperature) / 3.0))\n    return 1.15 * share * rain, (1 - share) * rain\n"),
            ("all-is-corrected", "    share = min(1.0, max(0.0, (2.2 - temperature) / 3.4))\n    return 1.15 * share * rain, 1.15 * (1 - share) * rain\n"),
        ],
        "textbook": 1,
        "same": {"wide-limits": "    share = (2.2 - max(-1.2, min(2.2, temperature))) / 3.4\n    return share * rain * 1.15, rain - share * rain\n"},
    },
    {
        "name": "pack", "file": "snow.py", "function": 1,
        "options": [
            ("share-before-thaw", "    keeps = 0.08 * ice\n    if temperature > 0.3:\n        thaw = min(ice, 3.1 * (temperature - 0.3))\n    else:\n        thaw = -min(water, 0.06 * 3.1 * (0.3 - temperature))\n    ice, water = ice - thaw, water + thaw + liquid\n    leaving = max(0.0, water - keeps)\n"),
            ("right", "    if temperature > 0.3:\n        thaw = min(ice, 3.1 * (temperature - 0.3))\n    else:\n        thaw = -min(water, 0.06 * 3.1 * (0.3 - temperature))\n    ice, water = ice - thaw, water + thaw + liquid\n    leaving = max(0.0, water - 0.08 * ice)\n"),
            ("warmer", "    if temperature > -0.4:\n        thaw = min(ice, 2.7 * (temperature + 0.4))\n    else:\n        thaw = -min(water, 0.08 * 2.7 * (-0.4 - temperature))\n    ice, water = ice - thaw, water + thaw + liquid\n    leaving = max(0.0, water - 0.11 * ice)\n"),
            ("rain-freezes", "    water += liquid\n    if temperature > 0.3:\n        thaw = min(ice, 3.1 * (temperature - 0.3))\n    else:\n        thaw = -min(water, 0.06 * 3.1 * (0.3 - temperature))\n    ice, water = ice - thaw, water + thaw\n    leaving = max(0.0, water - 0.08 * ice)\n"),
        ],
    },
    {
        "name": "evaporation", "file": "soil.py", "function": 2,
        "options": [
            ("usual", "    return min(wet, potential * min(1.0, wet / capacity))\n"),
            ("from-two-thirds", "    return min(wet, potential * min(1.0, wet / (0.65 * capacity)))\n"),
            ("from-four-fifths", "    return min(wet, potential * min(1.0, wet / (0.8 * capacity)))\n"),
        ],
        "same": {"from-two-thirds": "    full = 0.65 * capacity\n    return min(wet, potential if wet >= full else potential * wet / full)\n"},
    },
    {
        "name": "passed", "file": "soil.py", "function": 3,
        "options": [
            ("filling-before", "    filled = min(1.0, wet / capacity)\n    return inflow * filled**2.3\n"),
            ("filling-at-the-middle", "    filled = min(1.0, (wet + inflow / 2) / capacity)\n    return inflow * filled**2.3\n"),
            ("flatter", "    filled = min(1.0, (wet + inflow / 2) / capacity)\n    return inflow * filled**1.7\n"),
            ("filling-after", "    filled = min(1.0, (wet + inflow) / capacity)\n    return inflow * filled**2.3\n"),
        ],
    },
    {
        "name": "percolation", "file": "stores.py", "function": 4,
        "options": [
            ("amount-only", "    return min(1.4, upper)\n"),
            ("share-and-amount", "    return min(1.4, 0.3 * upper)\n"),
            ("smaller", "    return min(1.1, 0.25 * upper)\n"),
        ],
    },
    {
        "name": "outlets", "file": "stores.py", "function": 5,
        "options": [
            ("without-height", "    quick = 0.09 * upper\n    return quick, 0.035 * lower\n"),
            ("two-outlets", "    quick = 0.09 * upper + 0.32 * max(0.0, upper - 17.0)\n    return quick, 0.035 * lower\n"),
            ("higher", "    quick = 0.11 * upper + 0.27 * max(0.0, upper - 21.0)\n    return quick, 0.025 * lower\n"),
        ],
    },
    {
        "name": "delay", "file": "stores.py", "function": 6,
        "options": [
            ("symmetric", "    peak = base / 2\n"),
            ("peak-at-a-third", "    peak = base / 3\n"),
            ("peak-at-a-quarter", "    peak = base / 4\n"),
        ],
    },
    {
        "name": "efficiency", "file": "measures.py", "function": 7,
        "options": [
            ("spreads", "    change = spread_x / spread_y\n"),
            ("coefficients", "    change = (spread_x / mean_x) / (spread_y / mean_y)\n"),
        ],
    },
]
