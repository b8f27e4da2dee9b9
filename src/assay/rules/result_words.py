"""Words before a number that say that it is a result: "precision rose from 40 to 90"."""

from __future__ import annotations

import re

_MEASURE = (
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
    r"|only|just|up|down|and|or|vs|versus|against|compared\s+(?:with|to)|than|not|\d+"
)
_RESULT = re.compile(
    rf"\b(?:{_MEASURE}|{_CHANGE}|(?:{_CHANGE})(?:\s+(?!(?:{_SETTING_FOLLOWS})\b)[a-z-]+){{0,4}}?\s+from)"
    rf"(?:[\s(~≈=:]|\b(?:{_LINK})\b|(?<=vs)\.|(?<=\d)[.,%]|,(?=\s))*$",
    re.IGNORECASE,
)


def follows_result_word(before: str) -> bool:
    """Whether a number right after this text is a result by the words before it."""
    return _RESULT.search(before) is not None
