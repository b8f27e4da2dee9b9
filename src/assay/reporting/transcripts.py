"""What an agent said and did, for reading inside the report; read from the log and from what lies beside it.

The messages of a model come from the log. Where it has none (a program as agent), the commands come from the
archive in `transcripts/` beside the log. Both are text that an agent wrote: data in the page, like evidence.

What it does not cover: images and other attachments of messages, and what a cut text leaves out; the report
names the file that has all of it.
"""

from __future__ import annotations

import json
import os
import tarfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

from assay.errors import AssayError
from assay.files import openable, place
from assay.scoring import Attempt
from assay.workspace.credentials import redact
from assay.workspace.transcripts import TRANSCRIPTS, CommandTranscript

LONGEST_TEXT = 2_000
"""Characters of one message, command or output."""
LONGEST_TRANSCRIPT = 24_000
"""Characters of one attempt."""
MOST_CHARACTERS = 1_000_000
"""Characters of all transcripts in a page; the attempts that did not pass come first."""
MOST_ATTEMPTS = 300
"""Attempts whose transcripts are looked for at all, so that a long run's report stays fast."""
MOST_OPEN = 10
"""Logs that are open at the same time; the bytes of a log at an address are in memory while it is."""
LARGEST_SAMPLE = 64_000_000
"""Bytes of a sample in a log that are still read for its messages."""

Step = tuple[str, str, str]
"""Who speaks or what is done (`model`, `command`, `output`, `file`, `user`); a name or status; the text."""


@dataclass
class TranscriptExcerpt:
    """The first steps of one attempt, within bounds."""

    steps: list[Step] = field(default_factory=list)
    total: int = 0
    """Steps of the whole transcript."""
    is_cut: bool = False
    source: str = ""
    """The file that has all of it."""

    def add(self, speaker: str, name: str, text: str) -> None:
        """Takes a step while there is room."""
        self.total += 1
        room = min(LONGEST_TEXT, LONGEST_TRANSCRIPT - self.characters)
        if room <= 0:
            self.is_cut = True
            return
        if len(text) > room:
            self.is_cut = True
            start, end = text[: room * 2 // 3], text[len(text) - room // 3 :]
            text = f"{start}\n… {len(text) - room:,} characters are left out …\n{end}"
        self.steps.append((speaker, name, text))

    @property
    def characters(self) -> int:
        """What the steps take."""
        return sum(len(text) + len(name) for _, name, text in self.steps)


def gather_transcripts(
    attempts: Iterable[Attempt], page_folder: Path | None = None
) -> dict[str, TranscriptExcerpt]:
    """Sample → its transcript, until all together are large enough.

    Only of measured agents: calibrators work with the truth, which a report that is passed on must not hold.
    Sources are relative to the folder of the page, where that is known.
    """
    excerpts: dict[str, TranscriptExcerpt] = {}
    left = MOST_CHARACTERS
    measured = [attempt for attempt in attempts if attempt.role == "agent" and attempt.sample and attempt.log]
    with ExitStack() as stack:
        logs = _OpenLogs(stack)
        for attempt in sorted(measured, key=lambda attempt: attempt.passed is True)[:MOST_ATTEMPTS]:
            if left <= 0:
                break
            excerpt = _excerpt(attempt, logs)
            if excerpt.steps:
                excerpt.source = _relative(excerpt.source, page_folder)
                excerpts[attempt.sample] = excerpt
                left -= excerpt.characters
    return excerpts


def _excerpt(attempt: Attempt, logs: _OpenLogs) -> TranscriptExcerpt:
    excerpt = TranscriptExcerpt(source=attempt.log)
    for step in _without_credentials(_message_steps(logs.sample(attempt))):
        excerpt.add(*step)
    if not any(speaker == "model" for speaker, _, _ in excerpt.steps) and attempt.transcript:
        archive = place(attempt.log).parent / TRANSCRIPTS / f"{attempt.transcript}.tar.gz"
        commands = TranscriptExcerpt(source=str(archive))
        for step in _command_steps(archive.parent, attempt.transcript):
            commands.add(*step)
        return commands if commands.steps else excerpt
    return excerpt


class _OpenLogs:
    """The samples of logs, found by their identifier; some logs stay open, since a log is slow to open.

    A log of 10,000 samples has a list of as many names, which Python reads whenever it opens the log.
    """

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self._archives: dict[str, ZipFile | None] = {}

    def sample(self, attempt: Attempt) -> dict[str, Any]:
        """The fields of an attempt's sample; none where it cannot be read."""
        try:
            archive = self._open(attempt.log)
            if archive is None:
                return {}
            start = f"samples/{attempt.task}_epoch_"
            for name in reversed([name for name in archive.namelist() if name.startswith(start)]):
                if archive.getinfo(name).file_size > LARGEST_SAMPLE:
                    continue
                fields = json.loads(archive.read(name))
                if isinstance(fields, dict) and fields.get("uuid") == attempt.sample:
                    return fields
        except (OSError, ValueError, BadZipFile, KeyError):
            self._archives.setdefault(attempt.log, None)
        return {}

    def _open(self, log: str) -> ZipFile | None:
        if log not in self._archives:
            if len(self._archives) >= MOST_OPEN and (
                oldest := self._archives.pop(next(iter(self._archives)))
            ):
                oldest.close()
            self._archives[log] = self._stack.enter_context(ZipFile(openable(place(log))))
        return self._archives[log]


def _message_steps(sample: dict[str, Any]) -> Iterator[Step]:
    """The messages of a sample: words of the model, its tool calls, what came back."""
    attachments = sample.get("attachments") or {}
    for message in (sample.get("messages") or [])[1:]:
        text = _text(message.get("content"), attachments)
        role = message.get("role")
        if role == "assistant":
            if text.strip():
                yield ("model", "", text)
            for call in message.get("tool_calls") or []:
                arguments = call.get("arguments") or {}
                words = "\n".join(_attached(str(value), attachments) for value in arguments.values())
                yield ("command", str(call.get("function", "")), words)
        elif role == "tool":
            failure = message.get("error") or {}
            text = text or _attached(str(failure.get("message", "")), attachments)
            yield ("output", str(message.get("function") or ""), text)
        elif text.strip():
            yield ("user", str(role), text)


def _without_credentials(steps: Iterable[Step]) -> Iterator[Step]:
    """Paints keys over before a text is cut, as archives of submissions do: half a key has no known shape."""
    all_steps = list(steps)
    texts = {str(place): text.encode(errors="replace") for place, (_, _, text) in enumerate(all_steps)}
    clean, _ = redact(texts, {})
    for (speaker, name, _), text in zip(all_steps, clean.values(), strict=True):
        yield speaker, name, text.decode(errors="replace")


def _text(content: Any, attachments: dict[str, str]) -> str:
    if isinstance(content, str):
        return _attached(content, attachments)
    parts = content if isinstance(content, list) else []
    texts = [part.get("text") or part.get("reasoning") or "" for part in parts if isinstance(part, dict)]
    return "\n".join(_attached(str(text), attachments) for text in texts if text)


def _attached(text: str, attachments: dict[str, str]) -> str:
    """Inspect keeps long texts once, and a reference in their place."""
    reference = text.removeprefix("attachment://")
    return str(attachments.get(reference, text)) if reference != text else text


def _command_steps(folder: Path, digest: str) -> Iterator[Step]:
    try:
        record = CommandTranscript.load(folder, digest)
    except (AssayError, OSError, ValueError, KeyError, tarfile.TarError, EOFError):
        return
    for entry in record.entries:
        words = entry.words.decode(errors="replace")
        if entry.do == "write":
            yield ("file", words, entry.input.decode(errors="replace"))
            continue
        yield ("command", "", words)
        status = "no exit code" if entry.returncode is None else f"exit code {entry.returncode}"
        yield ("output", status, entry.output.decode(errors="replace"))


def _relative(source: str, page_folder: Path | None) -> str:
    if page_folder is None or not source:
        return source
    return os.path.relpath(source, page_folder)
