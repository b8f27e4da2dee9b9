"""The words with which a text states a result, and the words that say nothing about it."""

from __future__ import annotations

import re

_COMPARATIVE = (
    "better|worse|best|worst|higher|highest|lower|lowest|larger|largest|smaller|smallest|faster|fastest|slower|slowest"
    "|fewer|less|greater|more|superior|inferior|clearer|closer|half|twice"
)
DIRECTION = re.compile(
    rf"\b(?:{_COMPARATIVE}|outperform\w*|surpass\w*|exceed\w*|improv\w+|increas\w+|decreas\w+|reduc\w+|degrad\w+"
    r"|declin\w+|drops?|dropp\w+|significantly|consistently|substantially|markedly|comparabl[ey]|competitive|similar(?:ly)?"
    r"|equivalent|identical|same|match(?:es|ing)?|robust\w*|converg\w+|diverg\w+|achiev\w+|attain\w*|reach(?:es|ing)"
    r"|yields?|gains?|benefits?|enhances|enhancement|fails?|failing|struggl\w+|correctly|doubl(?:es|ed|ing)|near(?:ly)?|close"
    r"|minimal\w*|negligible|diminish\w*|plateau\w*|optimal|excels?|linearly|monoton\w+|essential|crucial|advantage\w*"
    r"|high|low)\b",
    re.IGNORECASE,
)
"""Words that say in which direction a result points."""
CLAIM = re.compile(
    r"(?<!\bto )(?<!\bcan )\b(?:outperform(?:s|ed|ing)|surpass(?:es|ed|ing)|exceed(?:s|ed|ing)"
    r"|improv(?:es|ed|ing)"
    r"|increas(?:es|ed|ing)|decreas(?:es|ed|ing)|reduc(?:es|ed|ing)|degrad(?:es|ed|ing)|declin(?:es|ed|ing)"
    r"|drop(?:s|ped|ping)?|enhances|yield(?:s|ed|ing)?|achiev(?:es|ing|ed(?! by))|attain(?:s|ed|ing)"
    r"|reach(?:es|ed|ing)"
    r"|(?:lead|result)(?:s|ing)? (?:to|in)"
    r"|perform(?:s|ed|ing)? (?:\w+ )?(?:better|worse|best|comparably|similarly)"
    rf"|(?:is|are|was|were|be|has|have|shows?) (?:\w+ )?(?:{_COMPARATIVE})"
    rf"|(?:{_COMPARATIVE})\b[^.;]{{0,40}}\b(?:than|compared)"
    r"|converg(?:es|ing)|diverg(?:es|ing)|excels?|struggles?|fails?|comparable|competitive|equivalent)\b",
    re.IGNORECASE,
)
"""Words with which a clause states a result, and not only a purpose, a name or a configuration."""
CLAIM_OR_CHANGE = re.compile(
    rf"{CLAIM.pattern}|\b(?:improvement|reduction|degradation|gain|increase|decrease|drop)s?\b", re.IGNORECASE
)
"""The same, and nouns for a change."""
COMPARED = re.compile(rf"\b(?:{_COMPARATIVE})\b[^.;]{{0,60}}\b(?:than|compared)\b", re.IGNORECASE)
_STOP_TEXT = """
a an and are as at be been being both but by can could does each for from has have if in into is it
its may might more most not of on or our over per should such than that the their them then there
these they this those to under up using use used was we were when where which while will with would
you your all any between across based e g i also via how what whether model models method methods
task tasks dataset datasets result results performance experiment experiments
"""
STOP = frozenset(_STOP_TEXT.split())
"""Words that do not tell one experiment from another."""
