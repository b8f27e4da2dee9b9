"""The replies of a scripted model: a text, tool calls, or a service failure."""

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
    arguments: dict[str, Any] | str
    """a text is sent as it is, also if it is not JSON"""

    @property
    def arguments_text(self) -> str:
        """The arguments as a service sends them."""
        return self.arguments if isinstance(self.arguments, str) else json.dumps(self.arguments)


@dataclass(frozen=True)
class Reply:
    """One reply of the model service; a status other than 200 is a failure."""

    text: str = ""
    calls: tuple[Call, ...] = ()
    status: int = 200
    delay: float = 0.0
    """seconds before it is sent"""
    states_usage: bool = True
    """whether a chat completion has its count of tokens; some services leave it out"""
    body: bytes | None = None
    """what is sent instead of an answer with this text, for a service that sends something else"""

    def after(self, seconds: float) -> Reply:
        """Return the same reply with a delay."""
        return replace(self, delay=seconds)


Script = Sequence[str | Reply] | Callable[[list[Message]], str | Reply]
"""replies in order, or a function from the conversation to a reply"""


def call(tool: str, text: str = "", **arguments: Any) -> Reply:
    """Return a reply that calls one tool."""
    return Reply(text=text, calls=(Call(tool, arguments),))


def failure(status: int, message: str = "scripted failure") -> Reply:
    """Return an HTTP error such as 429 or 500."""
    return Reply(text=message, status=status)


def by_turn(replies: Sequence[str | Reply]) -> Callable[[list[Message]], str | Reply]:
    """Answer each conversation from the script's start, by the number of the model's messages in it.

    So any number of conversations can run at once, and a repeated request gets the same reply.
    """

    def answer(messages: list[Message]) -> str | Reply:
        turn = sum(message["role"] == "assistant" for message in messages)
        return replies[turn] if turn < len(replies) else script_ended(len(replies))

    return answer


def script_ended(length: int) -> Reply:
    """Return the reply after the last scripted one: an error that no client retries."""
    return failure(400, f"the script is over: it has {length} replies and one more was asked for")


def load_replies(path: Path) -> list[Reply]:
    """Read a script with one JSON value on each line: the fields of `Reply`, or a string for a text."""
    replies = []
    for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
        if line.strip():
            try:
                replies.append(_parse_reply(json.loads(line)))
            except (ValueError, TypeError, KeyError) as error:
                raise UsageError(
                    f"{path}:{number}: not a scripted reply: {error}",
                    hint='write "a text", {"calls": [{"tool": "bash", "arguments": {"command": "ls"}}]} '
                    'or {"status": 429}',
                ) from error
    return replies


def _parse_reply(line: Any) -> Reply:
    if isinstance(line, str):
        return Reply(text=line)
    if not isinstance(line, dict):
        raise TypeError(f"expected a string or an object, found {line!r}")
    calls = tuple(Call(item["tool"], item["arguments"]) for item in line.pop("calls", []))
    return Reply(calls=calls, **line)
