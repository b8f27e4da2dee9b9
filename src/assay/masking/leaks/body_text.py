"""Recognizes a masked body in a text: by its long lines, as a whole, or by the sequence of its lines."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from assay.masking.leaks.information import information
from assay.masking.leaks.line_sequences import LineSequence
from assay.masking.leaks.near_twins import body_code, statements
from assay.masking.leaks.sources import DefinedFunction

MIN_LINE_LENGTH = 18
"""A line with fewer characters, without spaces, may occur elsewhere by chance."""
MIN_LINE_SHARE = 0.6
MIN_OWN_LINES = 3
MIN_OWN_SHARE = 0.8
"""Share of lines that another part of the same file must have, because its functions may share some."""
MIN_BODY_BITS = 30.0
"""A whole body with less information may occur elsewhere by chance."""
MIN_MAIN_BITS = 40.0
"""The line with more information, of a body of two lines, reveals the body if it has this many bits."""
MIN_MAIN_OPERATORS = 2
"""A main line with fewer operators may be a call that other functions make too."""
MIN_BARE_BITS = 60.0
MIN_BARE_LENGTH = 40
"""If only letters and digits are compared, a body needs more information: operators do not count."""
_LINE_END = re.compile(r"\r\n|\r|\n")
_RESULT = re.compile(r"^\s*(?:(?:return|yield from|yield|await)\b\s*)+")
_TARGET = re.compile(r"^\s*\w+\s*=(?!=)")
_WORD = re.compile(r"\w+")
_OPERATOR = re.compile(r"\*\*|//|[-+*/%@]")
_NO_WORD = re.compile(r"[\W_]+")
_NO_WORD_BYTES = bytes(code for code in range(128) if not chr(code).isalnum())
_LINE_NUMBER = re.compile(r"^[ \t#>*|/.]*\d{1,6}(?=[\s.:|)\]])", re.MULTILINE)


def squeeze(text: str) -> str:
    """Return a text without spaces, with equal quotes."""
    return "".join(text.split()).replace('"', "'")


def bare(text: str) -> str:
    """Return only the letters and digits of a text: what wraps, quotes or comments out a line adds none."""
    if text.isascii():  # many times as fast, and most long texts are encoded data
        return text.encode().translate(None, _NO_WORD_BYTES).decode()
    return _NO_WORD.sub("", text)


class SearchedText:
    """A text in which bodies are searched."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def squeezed(self) -> str:
        """The text without spaces."""
        return squeeze(self.text)

    @cached_property
    def bare_forms(self) -> tuple[str, ...]:
        """The letters and digits of the text, also without the numbers of its lines."""
        unnumbered = _LINE_NUMBER.sub("", self.text)
        return (bare(self.text), *([bare(unnumbered)] if unnumbered != self.text else []))


@dataclass(frozen=True)
class BodyText:
    """The texts by which a copy of one body is recognized."""

    words: frozenset[str]
    """The longest word of each line: a text without all of them has no copy, and the test is cheap."""
    long_lines: tuple[str, ...]
    """The lines, squeezed, that are too long to occur by chance."""
    whole_texts: tuple[str, ...]
    """The whole body and its main line, squeezed, if they have too much information to occur by chance."""
    sequences: tuple[LineSequence, ...]
    own_lines: tuple[str, ...]
    """The long lines in normal form, for the code of the same file."""
    bare_texts: tuple[str, ...]
    """The letters and digits of the whole body, if they have too much information to occur by chance."""

    def share_in(self, searched: SearchedText) -> float:
        """Return which share of the body a text has; 0 if it is too little to say anything."""
        if not any(word in searched.text for word in self.words):
            return 0.0
        if any(text in searched.squeezed for text in self.whole_texts):
            return 1.0
        if any(text in form for text in self.bare_texts for form in searched.bare_forms):
            return 1.0
        found_count = sum(line in searched.squeezed for line in self.long_lines)
        share = found_count / len(self.long_lines) if found_count else 0.0
        return share if share >= MIN_LINE_SHARE else self._sequence_share(searched)

    def share_in_own_file(self, searched: SearchedText) -> float:
        """Return which share of the body another part of the same file has.

        Functions of one file often share lines, so fewer lines than elsewhere say nothing.
        """
        if any(text in searched.squeezed for text in self.whole_texts):
            return 1.0
        share = 0.0
        if len(self.own_lines) >= MIN_OWN_LINES:
            share = sum(line in searched.squeezed for line in self.own_lines) / len(self.own_lines)
        return share if share >= MIN_OWN_SHARE else self._sequence_share(searched)

    def _sequence_share(self, searched: SearchedText) -> float:
        return max(
            (sequence.share_in(searched.text, searched.squeezed) for sequence in self.sequences), default=0.0
        )


def read_body_text(defined: DefinedFunction, files: Mapping[str, bytes]) -> BodyText:
    """Return the texts by which copies of a function's body are recognized."""
    written_lines = _source_lines(defined, files)
    source_lines = [_without_result(line) for line in written_lines]
    normal_lines = [_without_result(line) for line in body_code(defined).splitlines()]
    variants = [source_lines, normal_lines]
    if _squeezed(source_lines) == _squeezed(normal_lines):
        variants = [source_lines]
    long_lines = _long_lines(source_lines)
    sequences = [LineSequence.of(lines) for lines in variants]
    words = [_WORD.findall(line) for line in source_lines]
    return BodyText(
        frozenset(max(words_of_line, key=len) for words_of_line in words if words_of_line),
        long_lines if sum(map(len, long_lines)) >= 2 * MIN_LINE_LENGTH else (),
        tuple(dict.fromkeys(text for lines in [written_lines, *variants] for text in _whole_texts(lines))),
        tuple(sequence for sequence in sequences if sequence is not None),
        _long_lines(normal_lines),
        tuple(dict.fromkeys(text for lines in [written_lines, *variants] for text in _bare_texts(lines))),
    )


def _source_lines(defined: DefinedFunction, files: Mapping[str, bytes]) -> list[str]:
    """Return the lines of a body as the source has them, without docstring and comments."""
    body = statements(defined)
    if not body:
        return []
    file_lines = _LINE_END.split(files[defined.place.file].decode(errors="replace"))
    lines = file_lines[body[0].lineno - 1 : defined.node.end_lineno]
    lines[0] = lines[0].encode()[body[0].col_offset :].decode(errors="replace")
    lines = [line.partition("  #")[0] for line in lines]
    return [line for line in lines if not line.lstrip().startswith("#")]


def _without_result(line: str) -> str:
    """Return a line without `return`: a copy outside a function has another word in its place."""
    return _RESULT.sub("", line)


def _squeezed(lines: Sequence[str]) -> list[str]:
    return [squeezed for line in lines if (squeezed := squeeze(line))]


def _long_lines(lines: Sequence[str]) -> tuple[str, ...]:
    distinct_lines = dict.fromkeys(_squeezed(lines))
    return tuple(line for line in distinct_lines if len(line) >= MIN_LINE_LENGTH and _WORD.search(line))


def _whole_texts(lines: Sequence[str]) -> list[str]:
    """Return the body as one text; of a body of two lines, also the line with most of the information."""
    lines = [line for line in lines if line.strip()]
    bits = information(lines)
    texts = ["".join(_squeezed(lines))] if sum(bits) >= MIN_BODY_BITS else []
    if len(lines) == 2:
        # Each line is measured alone, because the first line would get all information of common names.
        main_line = max(lines, key=lambda line: information([line])[0])
        main_expression = _TARGET.sub("", _without_result(main_line))
        computes = len(_OPERATOR.findall(main_expression)) >= MIN_MAIN_OPERATORS
        if computes and information([main_expression])[0] >= MIN_MAIN_BITS:
            texts.append(squeeze(main_expression))
    return texts


def _bare_texts(lines: Sequence[str]) -> list[str]:
    text = bare("".join(lines))
    return [text] if len(text) >= MIN_BARE_LENGTH and sum(information(lines)) >= MIN_BARE_BITS else []
