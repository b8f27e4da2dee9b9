"""The units of numbers: of an entry of the results by its name, of a number in a text by the word behind it.

`kept_bytes` counts bytes, `runtime_ms` milliseconds. `kB`, `MB` and `GB` are used for powers of 1,000 and of
1,024; `KiB`, `MiB` and `GiB` only for powers of 1,024. An entry whose name states no unit has none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

SECONDS = {"ms": 0.001, "s": 1.0, "min": 60.0, "h": 3600.0}
TIME_UNITS = {
    **dict.fromkeys(("ms", "millisecond", "milliseconds"), "ms"),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), "s"),
    **dict.fromkeys(("min", "mins", "minute", "minutes"), "min"),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), "h"),
}
_UNIT = "|".join(sorted(TIME_UNITS, key=len, reverse=True))
_TIME = r"\d+(?:,\d{3})*(?:\.\d+)?"
STATED_TIME = re.compile(
    rf"(?<![\w.,])(?!0?\.\d+\s?(?:mins?|and|or)\b)(?P<decade>(?=(?:19|20)\d0s))?(?P<first>{_TIME})"
    rf"(?:\s*(?:against|vs\.?|versus|and|or|to|-|–)\s*(?P<second>{_TIME}))?"
    rf"[\s-]?(?P<unit>{_UNIT})\b(?![\^/-]|\.\w)",
)
"""A time on the clock, or two: "0.24 s", "3 to 4 minutes".

"0.91 min" is rather the least of some shares, and "0.91 and 12 s" a share and a time.
"""
BASES = (1000, 1024)
"""What a step from one unit of memory to the next may mean."""
_STEPS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}
_MEMORY_NAMES = {
    "byte": "",
    "bytes": "",
    "nbytes": "",
    **{f"{step}b": step for step in "kmgt"},
    **{f"{step}ib": f"{step}i" for step in "kmgt"},
}
_PERCENT_WORDS = frozenset("percent percentage percentages pct perc pp".split())  # noqa: SIM905
_SHARES = frozenset(
    re.findall(
        r"\w+",
        "accuracy accuracies acc precision recall f1 auc auroc auprc iou miou dice map em bleu rouge rate"
        " rates"
        " share shares fraction proportion probability coverage sensitivity specificity success agreement",
    )
)
_NO_SHARES = frozenset(
    re.findall(
        r"\w+", "loss losses nll mse rmse mae perplexity entropy kl error errors lr learning std spread"
    )
)
_NAME_PARTS = re.compile(r"[a-z]+\d*")
_WORDS = re.compile(r"[a-z]+")
_TIME_WORDS = frozenset("time times runtime duration elapsed wall walltime clock latency took".split())  # noqa: SIM905
_NO_TIME = frozenset("step steps timestep timesteps se std sd stderr speedup ratio factor per".split())  # noqa: SIM905
_NO_AMOUNT = frozenset("ratio factor share fraction percent growth per".split())  # noqa: SIM905
_PLAIN_NUMBER = r"\d[\d,]*(?:\.\d+)?"
_LISTED = rf"(?:\s*(?:,|/|and|or|to|against|vs\.?|versus|-|–)\s*(?:and\s+)?{_PLAIN_NUMBER}){{0,12}}"
_MEMORY_AFTER = re.compile(rf"(?P<others>{_LISTED})\s?(?:(?P<prefix>[kKMGT]i?)B|bytes?)\b(?!/)")


def memory_unit_after(text: str) -> tuple[str, bool] | None:
    """The unit of memory behind a number, and whether it stands behind a list that the number begins.

    The unit is its prefix: `k` or `ki`, nothing for bytes. None: the number has no such unit.
    """
    match = _MEMORY_AFTER.match(text)
    return None if match is None else ((match["prefix"] or "").casefold(), bool(match["others"]))


def bytes_in(unit: str, base: int) -> float:
    """How many bytes a unit of memory has, if a step means `base`."""
    return float((1024 if unit.endswith("i") else base) ** _STEPS[unit[:1]])


def memory_unit_of(path: Sequence[str]) -> str | None:
    """The unit of memory that the name of an entry states, as `memory_unit_after` gives it."""
    for words in _last_names(path):
        units = [_MEMORY_NAMES[word] for word in words if word in _MEMORY_NAMES]
        if _NO_AMOUNT & set(words) or _has_time(words):
            return None
        if units:
            return units[-1]
    return None


def is_in_percent(path: Sequence[str]) -> bool:
    """Whether the name of an entry says that it counts in percent."""
    return any("%" in name or _PERCENT_WORDS & set(_WORDS.findall(name.casefold())) for name in path)


def is_share(path: Sequence[str]) -> bool:
    """Whether the last name of an entry that names a measure names one from 0 to 1, as accuracy is."""
    for name in reversed(path):
        words = set(_NAME_PARTS.findall(name.casefold()))
        if words & (_SHARES | _NO_SHARES):
            return not words & _NO_SHARES
    return False


def seconds_at(path: Sequence[str], number: float) -> float | None:
    """A number in seconds, if the name of its entry says that it is a time."""
    words = [word for name in reversed(_last_names(path)) for word in name]
    if not _has_time(words):
        # A table of times may have names of methods and sizes below its own name.
        words += next((name for name in _words_of(path[:-2]) if _has_time(name)), [])
    units = [TIME_UNITS[word] for word in words if word in TIME_UNITS]
    if number > 0 and (units or _TIME_WORDS & set(words)) and not _NO_TIME & set(words):
        return number * SECONDS[units[-1] if units else "s"]
    return None


def _last_names(path: Sequence[str]) -> list[list[str]]:
    """The words of the last two names on the way to an entry, the last one first."""
    return _words_of(path[-2:])


def _words_of(names: Sequence[str]) -> list[list[str]]:
    return [_WORDS.findall(name.casefold()) for name in reversed(names)]


def _has_time(words: Sequence[str]) -> bool:
    return any(word in TIME_UNITS or word in _TIME_WORDS for word in words)
