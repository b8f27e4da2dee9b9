"""Text from strangers (logs, bundles) that a terminal can print without obeying it."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator


def spelled_out(text: str, kept: str = "") -> str:
    """Return the text with control characters and half characters spelled out, but for those in `kept`."""
    if text.isprintable():
        return text
    return "".join(
        letter if letter.isprintable() or letter in kept else ascii(letter)[1:-1] for letter in text
    )


Printable = Annotated[str, AfterValidator(spelled_out)]
"""A text on one line; control characters in it are spelled out."""
