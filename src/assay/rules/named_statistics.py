"""Test statistics that a text reports with their name: "t(4) = 21.3, p < 0.001", "27 degrees of freedom".

A p-value alone ("p = 0.014") is one of them.

Such a number belongs to the analysis and not to the results, unless the results have an entry of its name. A
letter alone is not enough ("F = 0.93"): the text must report a test, by its p-value, its degrees of freedom
or its name. A share ("t = 93%") or a time ("t = 12 s") is no statistic.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from itertools import islice

MOST_REPORTED = 100
"""Statistics of one text that are looked at; every repetition below has a limit, too."""
NEAR = 60
"""Characters before a statistic in which the name of its test is looked for."""
_VALUE = r"[-−+]?(?:\d{1,12}(?:\.\d{1,12})?|\.\d{1,12})(?:[eE][-+−]?\d{1,3})?"
_NAMED = (
    r"(?:(?P<letter>[tFzZUWHQrd]|χ\^?2|(?i:chi\s?-?\s?2))|"
    r"(?P<words>(?i:(?:[tFzZUWH]\s?-?\s?|test\s)(?:statistics?|values?|scores?)|chi\s?-?\s?squared?|cohen\s?s\s+d)))"
)
_WHOLE = r"\d{1,9}(?:\.\d{1,4})?"
_FREEDOM = rf"(?P<freedom>\s?[(\[]\s?(?:df\s?=\s?)?{_WHOLE}(?:\s?[,;]\s?(?:[nN]\s?=\s?)?{_WHOLE})?\s?[)\]])?"
_P_SIGN = r"(?:=|<=?|>|≤|≪|is|of|below|under)"
_P_AFTER = rf"(?P<p>[\s,;(]{{1,4}}(?:all\s)?[pP]s?\s?(?:-?\s?values?\s?)?{_P_SIGN}\s?{_VALUE})?"
_REPORT = re.compile(
    rf"(?<![\w.^-]){_NAMED}{_FREEDOM}\s{{0,3}}(?P<sign>=|≈|~|:|of|is|was)\s{{0,3}}{_VALUE}"
    rf"(?!\w|\.\d|\s?(?:%|percent\b|points?\b|pp\b|ms\b|s\b|seconds?\b|min\b|x\b|×)){_P_AFTER}"
)
_TEST = re.compile(
    r"\b(?:tests?|tested|ANOVA|Welch|Student|Wilcoxon|Mann|Kruskal|Friedman|Pearson|Spearman|significan\w+)\b",
    re.IGNORECASE,
)
_DEGREES = re.compile(
    rf"(?<![\w.])(?:df|d\.f\.)\s{{0,3}}=\s{{0,3}}{_VALUE}(?![\w%])|(?<![\w.]){_VALUE}\s+degrees\s+of\s+freedom\b",
    re.IGNORECASE,
)
_P_VALUE = re.compile(
    rf"(?<![\w.^-])[pP](?:\s?-?\s?values?\s{{0,3}}(?:=|≈|~|:|of|is|was)|\s{{0,3}}[=≈])\s{{0,3}}(?P<value>{_VALUE})"
    r"(?!\w|\.\d|\s?(?:%|percent\b))"
)
_P_ENTRIES = {"p", "pvalue", "pvalues", "pval"}
_ENTRIES = {
    "t": {"t", "tstat", "tvalue"},
    "f": {"f", "fstat", "fvalue", "anova"},
    "z": {"z", "zscore"},
    "u": {"u", "mannwhitney"},
    "w": {"w", "wilcoxon"},
    "h": {"h", "kruskal"},
    "q": {"q"},
    "χ": {"chi", "χ"},
    "r": {"r", "correlation", "corr", "pearson", "spearman"},
    "d": {"d", "cohen", "cohens", "effect"},
}
"""Name of a statistic → words of a result that contains it."""
_ANY_STATISTIC = {"statistic", "statistics", "stat"}


def reported_statistics(plain: str, result_words: Collection[str]) -> Iterator[tuple[int, int]]:
    """Where a plain text reports a test statistic; `result_words` are the words in the names of results."""
    for match in islice(_REPORT.finditer(plain), MOST_REPORTED):
        if _reports_test(match) and not _is_result(match, result_words):
            yield match.span()
    for match in islice(_DEGREES.finditer(plain), MOST_REPORTED):
        yield match.span()
    for match in islice(_P_VALUE.finditer(plain), MOST_REPORTED):
        if _P_ENTRIES.isdisjoint(result_words) and 0 <= float(match["value"].replace("−", "-")) <= 1:
            yield match.span()


def _reports_test(match: re.Match[str]) -> bool:
    if match["letter"] is not None and match["sign"] in ("of", "is", "was"):
        return False
    before = match.string[max(0, match.start() - NEAR) : match.start()]
    return bool(match["words"] or match["freedom"] or match["p"] or _TEST.search(before))


def _is_result(match: re.Match[str], result_words: Collection[str]) -> bool:
    """Whether the results have an entry for this statistic, so that the text must agree with it."""
    name = (match["letter"] or match["words"]).lower()
    key = "χ" if name.startswith("chi") else "d" if name.startswith("cohen") else name[0]
    return not (_ENTRIES.get(key, set()) | _ANY_STATISTIC).isdisjoint(result_words)
