"""What a scripted model answers: a text, tool calls, or a failure of the service."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from assay.errors import UsageError

Message = dict[str, Any]
"""one message of the request, as OpenAI's chat completions write it"""


@dataclass(frozen=True)
class Call:
    """One tool call with its arguments."""

    tool: str
    arguments: dict[str, Any]


@dataclass(frozen=True)
class Reply:
    """One answer of the model service; a status other than 200 is a failure."""

    text: str = ""
    calls: tuple[Call, ...] = ()
    status: int = 200
    delay: float = 0.0
    """seconds before it is sent"""

    def after(self, seconds: float) -> Reply:
        """The same answer, later."""
        return replace(self, delay=seconds)


Script = Sequence[str | Reply] | Callable[[list[Message]], str | Reply]
"""answers in the order in which they are given, or a function from the conversation to an answer"""


def call(tool: str, text: str = "", **arguments: Any) -> Reply:
    """An answer that calls one tool."""
    return Reply(text=text, calls=(Call(tool, arguments),))


def failure(status: int, message: str = "scripted failure") -> Reply:
    """An HTTP error such as 429 or 500."""
    return Reply(text=message, status=status)


def by_turn(replies: Sequence[str | Reply]) -> Callable[[list[Message]], str | Reply]:
    """Answer each conversation from the script's start, by how often the model has spoken in it.

    So any number of conversations may go on at once, and a repeated request gets the same answer.
    """

    def answer(messages: list[Message]) -> str | Reply:
        turn = sum(message["role"] == "assistant" for message in messages)
        return replies[turn] if turn < len(replies) else over(len(replies))

    return answer


def over(length: int) -> Reply:
    """What is said after the last scripted reply: an error that no client repeats."""
    return failure(400, f"the script is over: it has {length} replies and one more was asked for")


def load_replies(path: Path) -> list[Reply]:
    """Read a script of one JSON object a line: the fields of `Reply`, or a string for a text."""
    replies = []
    for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
        if line.strip():
            try:
                replies.append(_reply(json.loads(line)))
            except (ValueError, TypeError, KeyError) as error:
                raise UsageError(
                    f"{path}:{number}: not a scripted reply: {error}",
                    hint='write "a text", {"calls": [{"tool": "bash", "arguments": {"command": "ls"}}]} '
                    'or {"status": 429}',
                ) from error
    return replies


def _reply(line: Any) -> Reply:
    if isinstance(line, str):
        return Reply(text=line)
    if not isinstance(line, dict):
        raise TypeError(f"expected a string or an object, found {line!r}")
    calls = tuple(Call(item["tool"], item["arguments"]) for item in line.pop("calls", []))
    return Reply(calls=calls, **line)
