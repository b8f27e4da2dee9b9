"""How `assay/scripted-judge` answers blind questions: by counting words, for tests and dry runs only.

- a comparison: the first sentence that names both things and a direction; the thing named first is higher or
  lower; "not" makes it say nothing, both directions make it contradictory;
- other options: the sentence that shares most words with the question, and its direction or denial;
- whether words are reported: unless they expect something, or the text names a conjecture or a hypothesis;
- an order: the order in which a sentence names the items; numbers: those of the sentence that shares most;
- whether code fixes the outcome: never;
- a design: the line that shares most words with the variable; code: the line that shares most words with the
  requirement, and the description that shares most words with the code.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from assay.grading.judge.scripted_words import DOWN, SAME, UP, words

RISES, FALLS, FLAT = (
    {"increase", "rise", "grow", "improv"},
    {"decrease", "fall", "drop", "declin", "shrink"},
    SAME,
)
_DENIAL = {"not", "no", "never", "neither", "without", "fail"}
_HEDGE = {"may", "might", "could", "either", "unclear", "whether", "or"}
_EXPECTING = {"should", "expect", "anticipat", "predict", "would", "might", "may"}
_SUPPOSING = {"conjecture", "hypothesi", "hypothesize"}
_OPTION = re.compile(r"^([A-H])\. (.*)$", re.MULTILINE)
_QUOTED = re.compile(r"“([^”]*)”")
ENOUGH = 0.5


def answer_reading(head: str, text: str, form: str) -> dict[str, Any]:
    """The answer to one blind question; `head` stands before the text, `form` behind it."""
    question = head.partition("Question: ")[2].partition("\n")[0]
    options = dict(_OPTION.findall(head))
    if '"entries"' in form:
        return _entries(question, options, text)
    if '"values"' in form:
        return _values(question, text)
    if '"numbers"' in form:
        return _numbers(question, text)
    if '"order"' in form:
        return _order(question, options, text)
    return _choose(question, options, text)


def _choose(question: str, options: Mapping[str, str], text: str) -> dict[str, Any]:
    by_text = {option: letter for letter, option in options.items()}
    if question.startswith(("Which line of this code", "Is the following implemented")):
        return _find_code(question, by_text, text)
    if "marked with >>" in question:
        return _pick_description(options, text)
    if "fix the outcome" in question:
        return _answer(options, "no line", "")
    if question.startswith(("A text has these words", "Which of these is true of the words")):
        return _reported(question, options, text)
    if question.startswith(("What does this design do", "Which part does")):
        return _role(question, options, text)
    if "compare with" in question or question.startswith("Which of these has the lower"):
        return _comparison(question, options, text)
    return _stated(question, options, text)


def _comparison(question: str, options: Mapping[str, str], text: str) -> dict[str, Any]:
    names = _QUOTED.findall(question)[:2] if "compare with" in question else []
    if not names:
        names = [_QUOTED.findall(option)[0] for option in options.values() if _QUOTED.findall(option)]
    first, second = names[0], names[-1]
    answers: dict[str, str] = {}
    for sentence in _sentences(text):
        places = _place(first, sentence), _place(second, sentence)
        tokens = _tokens(sentence)
        if None in places or not tokens & (UP | DOWN | SAME) or tokens & _DENIAL:
            continue
        if tokens & _HEDGE or (tokens & UP and tokens & DOWN):
            answers.setdefault("both", sentence)
        elif tokens & SAME and not tokens & (UP | DOWN):
            answers.setdefault("equal", sentence)
        else:
            is_first = (places[0] or 0) <= (places[1] or 0)
            answers.setdefault("first" if bool(tokens & UP) == is_first else "second", sentence)
    if len(answers) != 1:
        return _answer(
            options, "more than one" if answers else "does not say", next(iter(answers.values()), "")
        )
    ((higher, sentence),) = answers.items()
    if higher in ("both", "equal"):
        return _answer(options, "more than one" if higher == "both" else "about equal", sentence)
    if "compare with" in question:
        return _answer(options, "is higher" if higher == "first" else "is lower", sentence)
    return _answer(options, f"“{second if higher == 'first' else first}”", sentence)


def _stated(question: str, options: Mapping[str, str], text: str) -> dict[str, Any]:
    """An option of a threshold, a trend or a statement, by the sentence that is closest to the question."""
    sentence = _closest(question, text)
    shared = _tokens(sentence) & _tokens(question)
    if not sentence or len(shared) < ENOUGH * len(_about(question)):
        return _answer(options, "does not say", "")
    tokens = _tokens(sentence)
    denied = bool(tokens & _DENIAL)
    if tokens & _HEDGE:
        return _answer(options, "more than one", sentence)
    rising, falling = bool(tokens & (RISES | UP)), bool(tokens & (FALLS | DOWN))
    listing = " ".join(options.values())
    if "becomes smaller" in listing:
        rising, falling = falling, rising
    if "it increases" in listing or "becomes smaller" in listing:
        direction = "about the same" if tokens & FLAT else "increases" if rising else "decreases"
        direction = (
            {"increases": "larger", "decreases": "smaller"}.get(direction, "hardly")
            if "smaller" in listing
            else direction
        )
        return _answer(options, direction if rising or falling or tokens & FLAT else "does not say", sentence)
    if "above" in listing or "exceeds" in listing:
        side = ("above", "exceeds") if rising else ("below", "under")
        return _answer(options, side[0] if "above" in listing else side[1], sentence)
    no = ("that it is not", "does not hold") if denied else ("that it is the case", "or holds")
    return _answer(options, no[0] if "yes, the text" in listing else no[1], sentence)


def _reported(question: str, options: Mapping[str, str], text: str) -> dict[str, Any]:
    quote = _QUOTED.findall(question)[0]
    expects = _tokens(quote) & _EXPECTING or _tokens(text) & _SUPPOSING
    return _answer(options, "only" if expects else "found" if "found" in str(options) else "showed", quote)


def _order(question: str, options: Mapping[str, str], text: str) -> dict[str, Any]:
    for sentence in _sentences(text):
        places = {letter: _place(option, sentence) for letter, option in options.items()}
        if None not in places.values():
            order = sorted(places, key=lambda letter: places[letter] or 0)
            descends = ("from the highest" in question) != bool(
                _tokens(sentence) & {"lowest", "worst"}
                and sentence.lower().find("lowest") < len(sentence) / 3
            )
            return {"quote": sentence, "order": order if descends else order[::-1]}
    return {"quote": "", "order": []}


def _numbers(question: str, text: str) -> dict[str, Any]:
    sentence = _closest(question, text)
    if len(_tokens(sentence) & _tokens(question)) < ENOUGH * len(_about(question)):
        return {"quote": "", "numbers": []}
    numbers = re.findall(r"(?<![\w.])-?\d[\d,]*(?:\.\d+)?(?:e-?\d+)? ?%?", sentence)
    named = set(re.findall(r"\d[\d.]*", question))
    return {
        "quote": sentence,
        "numbers": [number.strip() for number in numbers if number.strip() not in named],
    }


def _role(question: str, options: Mapping[str, str], text: str) -> dict[str, Any]:
    line = _closest(question, text, text.strip().splitlines())
    if not _tokens(line.partition("=")[0]) & _about(question):
        return _answer(options, "does not mention", "")
    signs = {"constant": ("held fixed", "stays the same"), "independent": ("on purpose", "different values")}
    role = line.partition(":")[0].strip()
    for sign in signs.get(role, ("measured as", "outcome that")):
        if any(sign in option for option in options.values()):
            return _answer(options, sign, line)
    return _answer(options, "does not mention", "")


def _values(question: str, text: str) -> dict[str, Any]:
    line = _closest(question, text, text.strip().splitlines())
    values = [value.strip() for value in line.partition("=")[2].split(",") if value.strip()]
    return {"quote": line, "values": values}


def _find_code(question: str, by_text: Mapping[str, str], text: str) -> dict[str, Any]:
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("--- file")]
    line = _closest(question, text, lines)
    has_it = len(_tokens(line) & _about(question)) >= 2
    keywords = (
        ("a line of this code does it", "yes, in the quoted line")
        if has_it
        else ("no line of this code does it", "no")
    )
    letter = next((by_text[option] for option in keywords if option in by_text), "B")
    return {"quote": line.strip() if has_it else "", "option": letter}


def _pick_description(options: Mapping[str, str], text: str) -> dict[str, Any]:
    code = _tokens("\n".join(line for line in text.splitlines() if line.startswith(">> ")))
    shares = {letter: len(_tokens(option) & code) for letter, option in options.items()}
    best = max(shares, key=lambda letter: shares[letter])
    return {"quote": "", "option": best}


def _entries(question: str, options: Mapping[str, str], text: str) -> dict[str, Any]:
    paths = [line.partition(" = ")[0] for line in text.strip().splitlines()]
    labels = options or {"A": question}
    entries = []
    for letter, name in labels.items():
        name_tokens = _tokens(name)
        shares = {path: len(_tokens(path) & name_tokens) for path in paths}
        most = max(shares.values(), default=0)
        entries.append(
            {"label": letter, "paths": [path for path in paths if most and shares[path] == most][:1]}
        )
    return {"entries": entries}


def _answer(options: Mapping[str, str], sign: str, quote: str) -> dict[str, Any]:
    letter = next((letter for letter, option in options.items() if sign in option), "")
    return {"quote": quote, "option": letter}


def _closest(question: str, text: str, pieces: Sequence[str] | None = None) -> str:
    question_words = _about(question)
    return max(pieces or _sentences(text), key=lambda piece: len(_tokens(piece) & question_words), default="")


def _about(question: str) -> set[str]:
    question_phrases = words(
        "according text say does which what value give measured number line code following case"
    )
    return _tokens(question) - question_phrases


def _tokens(text: str) -> set[str]:
    return words(re.sub(r"[_./-]", " ", text))


def _sentences(text: str) -> list[str]:
    return [piece.strip() for piece in re.split(r"(?<=[.!?;])\s+|\n", text) if piece.strip()]


def _place(name: str, sentence: str) -> int | None:
    """Where a sentence names a thing: its whole name, else most of its words."""
    at = sentence.casefold().find(name.casefold())
    if at >= 0:
        return at
    name_words = [word for word in re.findall(r"\w+", name.casefold()) if len(word) > 2]
    places = [place for word in name_words if (place := sentence.casefold().find(word)) >= 0]
    return min(places) if name_words and len(places) > ENOUGH * len(name_words) else None
