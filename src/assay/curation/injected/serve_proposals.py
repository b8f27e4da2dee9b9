"""Answers the calls of the measuring program with the function of one proposal, in lines of JSON."""

import importlib.util
import json
import os
import sys
from typing import Any, Dict

from call_values import decode, encode  # type: ignore[import-not-found]


def load(path: str) -> Any:
    """Import a proposal from its file."""
    spec = importlib.util.spec_from_file_location("proposal", path)
    if spec is None or spec.loader is None:
        raise ValueError("%s is no Python file" % path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["proposal"] = module  # a dataclass looks its own module up
    spec.loader.exec_module(module)
    return module


def answer_to(question: Dict[str, Any], module: Any) -> Dict[str, Any]:
    """Call the function of a proposal."""
    function = getattr(module, question["function"])
    arguments = decode(question["arguments"], vars(module))
    named = decode(question["named"], vars(module))
    return {"value": encode(function(*arguments, **named))}


def main() -> None:
    """Answer until the input ends."""
    questions, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    # What a proposal prints is no answer.
    os.dup2(2, 1)
    module = None
    for line in questions:
        question = json.loads(line)
        try:
            if "load" in question:
                module = load(question["load"])
                answer = {"value": None}  # type: Dict[str, Any]
            else:
                answer = answer_to(question, module)
        except BaseException as problem:
            answer = {"error": "%s: %s" % (type(problem).__name__, str(problem)[:300])}
        answers.write(json.dumps(answer).encode() + b"\n")
        answers.flush()


if __name__ == "__main__":
    main()
