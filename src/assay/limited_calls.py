"""Answers calls of functions within limits on processor time and memory; the process that `apart` starts.

It imports as little as possible: each process of a run starts some of these, and whoever waits for the first
answer waits for its imports. The functions are those of `assay.rules`, and their arguments are plain data.
"""

from __future__ import annotations

import os
import pickle

from assay.errors import GradingError
from assay.rules.process_limits import limit_process


def serve() -> None:
    """Answer calls from standard input until it ends; the kernel kills this process at its limits."""
    calls, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    while True:
        try:
            seconds, function, arguments, named = pickle.load(calls)
        except EOFError:
            return
        limit_process(seconds)
        try:
            answer = pickle.dumps((True, function(*arguments, **named)))
        except MemoryError:
            return
        except Exception as error:
            answer = _as_answer(error)
        answers.write(answer)
        answers.flush()


def _as_answer(error: Exception) -> bytes:
    try:
        answer = pickle.dumps((False, error))
        pickle.loads(answer)
    except Exception:
        return pickle.dumps((False, GradingError(f"{type(error).__name__}: {error}"[:2_000])))
    return answer
