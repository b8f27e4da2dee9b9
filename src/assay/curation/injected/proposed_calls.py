"""Passes the calls of one function on to a proposal: in another sandbox, or in `proposal.py` of this folder.

The measuring program never runs code of a proposal. It sends the arguments of each call over a pipe, and
gets a plain value back. ASSAY_CALLS has the two descriptors of the pipe.
"""

import importlib
import json
import os
import sys
from typing import Any, Dict

from call_values import decode, encode  # type: ignore[import-not-found]

FAILED = 87
"""The exit status of a run whose proposal failed."""
LONGEST = 50000000
"""Bytes of one answer."""
_unread = b""


def call(namespace: Dict[str, Any], function: str, arguments: Any, named: Any) -> Any:
    """Return what the proposal answers; end the run if it fails, so that no code of the run hides that."""
    question = {"function": function, "arguments": encode(list(arguments)), "named": encode(dict(named))}
    line = json.dumps(question).encode() + b"\n"
    channel = os.environ.get("ASSAY_CALLS")
    try:
        answer = json.loads(ask(line, channel) if channel else answer_here(line))
        if "error" in answer:
            raise ValueError(str(answer["error"])[:300])
        return decode(answer["value"], namespace)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as problem:
        sys.stderr.write("the proposal failed: %s: %s\n" % (type(problem).__name__, str(problem)[:300]))
        sys.stderr.flush()
        os._exit(FAILED)


def ask(line: bytes, channel: str) -> bytes:
    """Send one line, and return the line that comes back."""
    global _unread
    source, target = (int(word) for word in channel.split(","))
    while line:
        line = line[os.write(target, line) :]
    while b"\n" not in _unread:
        data = os.read(source, 1 << 16)
        if not data or len(_unread) > LONGEST:
            raise ValueError("its process ended, or its answer has no end")
        _unread += data
    answer, _unread = _unread.split(b"\n", 1)
    return answer


def answer_here(line: bytes) -> bytes:
    """Answer in this process: for runs of code that is trusted."""
    from serve_proposals import answer_to  # type: ignore[import-not-found]

    return json.dumps(answer_to(json.loads(line), importlib.import_module("proposal"))).encode()
