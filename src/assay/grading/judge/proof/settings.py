"""Settings that a run reads: names with short values; sentences prove nothing."""

from __future__ import annotations

import re

_SENTENCE = re.compile(r"(?<![\w'’-])[^\W\d_][\w'’-]*(?:[ \t]+[\w'’.,-]+){3,}")


def settings_proof(text: str) -> tuple[str, str]:
    """The lines that set something, and a mask that hides sentences: four words and more in a row."""
    lines = [re.sub(r"(^|\s)(?:#|;|//).*", r"\1", line) for line in text.splitlines()]
    settings = "\n".join(line for line in lines if re.search(r"[:=,\[\]{}]|^\s*-", line))
    mask = _SENTENCE.sub(lambda match: re.sub(r"\S", "\0", match.group()), settings)
    return settings, mask
