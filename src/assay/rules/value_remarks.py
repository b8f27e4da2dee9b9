"""Remarks on a value, in brackets or as the description of a level: which take it back or add another.

What it does not cover: remarks are prose, and are refused only for words and numbers that are known to take a
value back. A correction in other words passes.
"""

from __future__ import annotations

import re

from assay.rules.value_words import DENIALS, NUMBER_WORDS, words_in

RIVAL_NAMES = DENIALS | words_in("""
    again final true truth real right correct proper actual used ran run tried tested done valid included
    second new revised implemented executed fact honest
""")
"""Words in the name of an entry beside "value" that make it a second answer."""
LEAVING_OUT = words_in("exclude excluded excluding except without drop dropped skip skipped omit omitted")
"""Words in the name of an entry beside values that takes back the values it names."""
_CORRECTS = {"we", "i", "was", "were", "did", "had", "ran", "became", "should", "could", "would"}
"""Words of a remark that tells what was done in place of the value."""
_HARMLESS_IN_REMARKS = words_in("""
    over under above below out off other others another ignored
""")
"""Denials that a longer remark may have for another reason: "averaged over all repeats"."""
_TAKES_BACK = words_in("""
    or not no none never but either maybe perhaps possibly unless if instead actually rather except really
    sometimes also otherwise
""")
"""Words in a remark that take a level back or add another; "fewer" and "without" may describe one."""
_CORRECTED = re.compile(
    r"\b(?:(?:we|i) (?:\w+ )?(?:used|ran|took|did|had)|wrong|false|incorrect|invalid|fewer|instead|actually"
    r"|replaced|changed)\b",
    re.IGNORECASE,
)
_LISTING = re.compile(
    r"(?:numbered|seeds?|ind(?:ices|exed)|ids?)(?: from| of)? \d+"
    r"(?:(?:, ?(?:and )?| and | to | ?(?:-|–|\.\.\.?) ?)\d+)*",
    re.IGNORECASE,
)
_SCHEDULE = re.compile(
    r"(?:falls|falling|decays?|decayed|decaying|anneal\w*|decreas\w+|shrinks?)(?: [a-z]+){0,2} to (?:0|zero)",
    re.IGNORECASE,
)
"""Remarks whose numbers are no other values: the names of the repeats, and the end of a schedule."""
_SIDES = re.compile(r"\b(?:one|two)[ -](?:sided|tailed)\b", re.IGNORECASE)
_STANDARD_NORMAL = re.compile(r"\bN\(0, ?1\)")
_HARMLESS_LACK = re.compile(r"\bno (?:information|signal|leak|leakage)\b", re.IGNORECASE)
"""What a level may lack by its nature: "permuted (no information)"."""
_DONE = "run|ran|tried|done|tested|executed|implemented|performed|measured|carried out|completed"
_WITHDRAWN = (
    "wrong|false|incorrect|invalid|excluded|dropped|removed|omitted|skipped|abandoned|cancell?ed|discarded"
    "|ignored|unused|untried|untested|left out"
)
_NOT_DONE = re.compile(
    rf"^\W*(?:(?:it|this|that|we) )?(?:was|were|had been|has been|had to be) (?:later |then )?"
    rf"(?:{_WITHDRAWN})\b"
    rf"|^\W*(?:later |then )?(?:{_WITHDRAWN})(?: from the \w+)?(?: for (?:lack|want) of \w+)?\W*$"
    rf"|(?:\b(?:not|never)|n['’]t)(?: (?:yet|been|be|actually|really|even)){{0,3}} (?:{_DONE})\b"
    rf"|\bno (?:runs?|results?)\b|\bwithout (?:being )?(?:{_DONE})\b|^\W*(?:no|none|not|never|n/?a)\W*$",
    re.IGNORECASE,
)
"""A description that says that its level was not part of the experiment; "not permuted" describes a level."""
_NOT_USED = re.compile(
    r"^\W*(?:(?:it|this|that) )?(?:(?:was|is|were|are|has been) )?(?:not|never) (?:\w+ )?(?:used|included)\b",
    re.I,
)
_ABSENCES = words_in("""
    none no off without plain baseline never absent control zero false
""")
"""Levels that are the lack of something, which is truly not used."""
LONGEST_DESCRIPTION = 2_000


def takes_back_number(remark: str) -> bool:
    """Whether a remark in brackets takes the number before it back, or adds another."""
    words = words_in(remark)
    if words & (DENIALS - _HARMLESS_IN_REMARKS | _CORRECTS) or says_not_done(remark):
        return True
    return (bool(words) and words <= DENIALS) or _has_number(remark)


def note_takes_back_number(note: str) -> bool:
    """Whether an entry beside a number takes it back or adds another; "not tuned" does neither."""
    return bool(_CORRECTED.search(note)) or says_not_done(note) or _has_number(note)


def _has_number(remark: str) -> bool:
    """Whether a remark has a number that can be another value."""
    remaining_text = remark
    for pattern in (_SCHEDULE, _LISTING, _STANDARD_NORMAL, _SIDES):
        remaining_text = pattern.sub(" ", remaining_text)
    return bool(re.search(r"\d", remaining_text) or words_in(remaining_text) & NUMBER_WORDS)


def takes_back_level(remark: str) -> bool:
    """Whether a remark in brackets takes the name before it back, or adds another."""
    words = re.findall(r"[a-z]+", _HARMLESS_LACK.sub(" ", remark).casefold())
    return bool(_TAKES_BACK & set(words)) or says_not_done(remark)


def says_not_done(description: str, level: str = "") -> bool:
    """Whether a description says that what it is about, such as a level, was no part of the experiment."""
    plain = " ".join(description[:LONGEST_DESCRIPTION].split())
    return bool(_NOT_DONE.search(plain)) or (
        level.casefold() not in _ABSENCES and bool(_NOT_USED.search(plain))
    )
