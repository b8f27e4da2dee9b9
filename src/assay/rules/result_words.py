"""Words before a number: it is a result ("precision rose from 40 to 90") or a bound ("above 93%")."""

from __future__ import annotations

import re

MEASURE = (
    r"accurac(?:y|ies)|precisions?|recalls?|f1|auc|au?roc|bleu|rouge|scores?|loss(?:es)?|errors?|perplexit(?:y|ies)"
    r"|rewards?|returns?|[rm]?mse|mae|iou|gains?|improvements?|reductions?|advantages?|(?:success|hit|win)\s+rates?"
    r"|averages?|means?|medians?"
)
_CHANGE = (
    r"rose|rises?|risen|fell|falls?|fallen|drop(?:s|ped)?|climb(?:s|ed)?|grew|grows?|jump(?:s|ed)?|increase[sd]?"
    r"|decrease[sd]?|improve[sd]?|decline[sd]?|reach(?:es|ed)?|attain(?:s|ed)?|achieve[sd]?|shr[aiu]nks?"
)
_SETTING_FOLLOWS = r"when|while|as|if|where|with"
"""Words after which a change of the set-up is told: "rose when the width went from 10 to 100"."""
_LINK = (
    r"of|is|was|are|were|(?<=is )at|(?<=was )at|(?<=re )at|to|from|by|an?|about|around|roughly|nearly|almost"
    r"|only|just|more|less|up|down|and|or|vs|versus|against|compared\s+(?:with|to)|than|not|\d+"
)
_RESULT = re.compile(
    rf"\b(?:(?:{MEASURE})(?:\s+(?:of|for|with)\s+(?:the\s+)?[a-z][\w-]*(?=\s+(?:is|was|are|were)\b|\s*[=:]))?"
    rf"|{_CHANGE}|(?:{_CHANGE})(?:\s+(?!(?:{_SETTING_FOLLOWS})\b)[a-z-]+){{0,4}}?\s+from)"
    rf"(?:[\s(~≈=:]|\b(?:{_LINK})\b|(?<=vs)\.|(?<=\d)[.,%]|,(?=\s))*$",
    re.IGNORECASE,
)


def follows_result_word(before: str) -> bool:
    """Whether a number right after this text is a result by the words before it."""
    return _RESULT.search(before) is not None


_BOUND = re.compile(
    r"(?P<not>\b(?:no|not)\s+)?(?:(?P<above>\b(?:above|over|beyond|exceed(?:s|ed|ing)?|at\s+least"
    r"|(?:more|greater|higher|better|larger)\s+than)|[>≥≫])"
    r"|\b(?:below|under|at\s+most|(?:less|lower|worse|smaller|fewer)\s+than)|[<≤≪])\s*(?:an?\s+)?$",
    re.IGNORECASE,
)


def bound_before(before: str) -> int:
    """1 if a number right after this text is a lower bound, -1 if it is an upper one, else 0."""
    match = _BOUND.search(before)
    if match is None:
        return 0
    return 1 if bool(match["above"]) != bool(match["not"]) else -1
