"""Patterns of the sentences that announce a result, ask for it, or only describe what to do."""

from __future__ import annotations

import re

_VERBS = (
    r"demonstrat(?:e|es|ing)|show(?:s|ing|n)?|confirm(?:s|ing)?|verif(?:y|ies|ying)|prov(?:e|es|ing)|validat(?:e|es|ing)"
    r"|illustrat(?:e|es|ing)|establish(?:es|ing)?|indicat(?:e|es|ing)|reveal(?:s|ing)?|expect(?:s|ing)?"
    r"|anticipat(?:e|es|ing)|hypothesi[sz](?:e|es|ing)|not(?:e|ing)|observ(?:e|ing)|suggest(?:s|ing)?|highlight(?:s|ing)?"
)
_CLAIMED = "(?:claim|hypothesis|observation|expectation|finding)s?"
ANNOUNCED = re.compile(
    rf"\b(?:{_VERBS})\s+(?:(?:the|a|its|this)\s+(?:[\w'’]+\s+){{0,3}}{_CLAIMED}\s+)?that\b|\b{_CLAIMED}\s+that\b"
    r"|\b(?:is|are|was|were|be)\s+(?:\w+ly\s+)?(?:expected|anticipated|hypothesi[sz]ed|predicted)\s+to\b"
    r"|\b(?:expected|anticipated|successful)\s+(?:outcome|output|result|finding|behaviou?r|baseline)s?\b"
    r"|\bwe\s+(?:also\s+)?hypothesi[sz]e\b|\b(?:you\s+should|we)\s+expect\b|\bexpecting\b|(?<=[,(] )expect\b"
    r"|(?:\b(?:the|your)\s+(?:[\w-]+\s+){0,3})?\b(?:results?|outputs?|analysis|evaluation|experiment|version|model|scores?)"
    r"\s+should\s+(?:show|achieve|demonstrate|reveal|indicate|confirm|be\s+(?:approximately|around|about|nearly))\b(?:\s+that\b)?"
    r"|\bshould\s+(?:show|achieve|demonstrate|exhibit|outperform|improve|yield)\b(?:\s+that\b)?"
    r"|\bshould\s+(?:correctly|successfully|accurately)\b"
    r"|\b(?:according\s+to|based\s+on)\s+(?:previous|prior|earlier)\s+\w+|\bhypothesis\W{0,3}:"
    r"|\b(?:show|demonstrat|highlight|confirm|validat|illustrat|prov|indicat)ing\b",
    re.IGNORECASE,
)
"""Heads of a claim: what follows is said to be the result."""
NAMED_HEAD = re.compile(r"that$|expect|anticipat|hypothes|previous|prior|earlier|observed", re.IGNORECASE)
"""Heads after which mostly the outcome's words are enough."""
CERTAIN_HEAD = re.compile(
    r"(?:demonstrat|show|confirm|prov|illustrat|indicat|reveal|suggest|highlight|expect|anticipat|hypothes|claim|finding)"
    r"\w*\s+(?:that|to)$|should|hypothesis|expect|anticipat",
    re.IGNORECASE,
)
"""Heads after which a direction is enough."""
LIST_HEAD = re.compile(
    r"\b(?:demonstrate|show|confirm|verify|prove|validate|expect)\s+that\b|\bexpected\s+(?:outcome|result)s?\W*:",
    re.IGNORECASE,
)
"""Heads whose claims are a list below."""
CONFIRMED = re.compile(r"\(as\s+(?:anticipated|expected|observed)\b[^()]{0,60}\)", re.IGNORECASE)
"""A remark in brackets that a hypothesis holds."""
OPEN = re.compile(r"\s*(?:whether|how|which|what|if|both|each|all|the results)\b", re.IGNORECASE)
"""Beginnings of a claim that leave the result open."""
ASKING = re.compile(
    r"\b(?:whether|if|how|which|what|determine|compar(?:e|es|ing)|assess|evaluat(?:e|es|ing)|investigat(?:e|es|ing)"
    r"|examine|analy[sz](?:e|es|ing)|quantify|measure|test|calculate|compute)\b",
    re.IGNORECASE,
)
"""Words that say what to find out."""
ASKING_HERE = re.compile(r"\b(?:whether|if|how|which|what)\b|^\W*to\b", re.IGNORECASE)
"""Words that make one clause a question."""
QUESTION = re.compile(
    r"\W*(?:does|do|can|could|will|would|is|are|how|what|which|when|why|to what extent)\b", re.IGNORECASE
)
"""Beginnings of a question."""
DEFINITION = re.compile(
    r"\b(?:higher|lower|larger|smaller|closer|greater)\b[^.;]{0,40}?"
    r"\b(?:is better|are better|indicates?|means?|imply)\b",
    re.IGNORECASE,
)
"""What a number of a metric means."""
DELIVERED = re.compile(
    r"\W*(?:is|are|should be|will be)?\s*(?:an?|one|two|three|four|multiple)\b", re.IGNORECASE
)
"""Beginnings of a claim that names a file to hand in."""
NEXT_STEP = re.compile(
    r"(?:and|then|and then)\s+(?:conduct|compare|compute|calculate|create|evaluate|generate|record|report"
    r"|measure|analy[sz]e|plot|use|run|perform|include|document|provide|visuali[sz]e|save|assess|determine|identify|repeat)\b",
    re.IGNORECASE,
)
"""Beginnings of the next instruction."""
