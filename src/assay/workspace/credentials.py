"""Finds credentials in submissions, by their form or by the harness's own values, and overwrites them.

A submission is archived, read by judges and shown in reports, so it must not contain a key. A marker of the
same length replaces a value, so no other byte moves. The module knows only forms that nothing else has, and
only as separate words: numbers, hashes, weights and base64 contain many random strings.

An agent chooses the files, so the search must cost little for each byte: patterns begin with fixed bytes,
skip in one step what cannot match, and the number of places that are looked at one by one is limited.

What this does not cover: a key that was encoded or cut in pieces, and the log that Inspect writes itself.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import TypeAlias

_Span: TypeAlias = tuple[int, int, str]
"""Start, end and description of a credential."""
SHAPES = (
    ("an OpenAI key", "sk-", r"[A-Za-z0-9]{32,64}"),
    ("an OpenAI key", "sk-proj- sk-svcacct- sk-admin-", r"[\w-]{40,200}"),
    ("an Anthropic key", "sk-ant-", r"[a-z0-9]{3,8}-[\w-]{40,200}"),
    ("an OpenRouter key", "sk-or-v1-", r"[0-9a-f]{64}"),
    ("a Google key", "AIza", r"[\w-]{35}"),
    ("an AWS key", "AKIA ASIA", r"[A-Z0-9]{16}"),
    ("a GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_", r"[A-Za-z0-9]{36,255}"),
    ("a fine-grained GitHub token", "github_pat_", r"[A-Za-z0-9]{22}_[A-Za-z0-9]{59}"),
    ("a GitLab token", "glpat-", r"[\w-]{20,64}"),
    ("a Hugging Face token", "hf_", r"[A-Za-z0-9]{34,40}"),
    ("a Groq key", "gsk_", r"[A-Za-z0-9]{52}"),
    ("an xAI key", "xai-", r"[A-Za-z0-9]{80}"),
    ("a Replicate token", "r8_", r"[A-Za-z0-9]{37}"),
    ("a Slack token", "xoxa- xoxb- xoxp- xoxr- xoxs-", r"[A-Za-z0-9-]{20,200}"),
    ("a PyPI token", "pypi-AgE", r"[\w-]{50,250}"),
    ("an npm token", "npm_", r"[A-Za-z0-9]{36}"),
)
"""Description, first characters and the pattern after them; fixed characters are the fastest to find."""


def _shape(start: str, pattern: str) -> re.Pattern[bytes]:
    """Compile the shape of a word: the fixed start and three more characters come first, to fail early."""
    first_characters = pattern[: pattern.index("]") + 1] + "{3}"
    word = rf"{start}(?={first_characters})(?<![\w+/-]{start})(?>{pattern})(?![\w+/-])"
    return re.compile(word.encode())


_SHAPES = [
    (description, start.encode(), _shape(start, pattern))
    for description, starts, pattern in SHAPES
    for start in starts.split()
]
_FENCE = re.compile(rb"-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----")
_LONGEST_KEY = 20_000
_SECRET_WORDS = ("key", "token", "secret", "password", "passwd", "credential")
_SECRET_NAMES = {
    word.encode(): re.compile(rf"{word}{'s?' if word == 'credential' else ''}\d{{0,3}}[ \t]*[=:]".encode())
    for word in _SECRET_WORDS
}
"""A setting whose name ends in one of these words: SORT_KEYS, TOKENIZER and KEYPOINTS are none."""
_BEFORE_NAME = re.compile(rb"[ \t]*(?:export[ \t]+)?(?:[\w.-]{0,60}[_.-])?")
_SETTING_VALUE = re.compile(rb"[ \t]*[\"']?([^\s\"'#]{8,500})")
_LOGINS = {
    b"://": re.compile(rb"://[^\s/:@]{1,100}+:([^\s/@]{4,500}+)@"),
    b"password": re.compile(rb"password(?<!\wpassword)[ \t=:]+(\S{4,500})"),
}
_FIELD_NAME = re.compile(rb"(?:key|token)\d{0,3}[ \t]*[=:]", re.IGNORECASE)
_PLAIN_WORDS = re.compile(rb"[a-z]+(?:[_,-][a-z]+)*|[\d.,]+")
_SETTINGS_FILES = (".env", ".netrc", "_netrc", ".pypirc", ".git-credentials")
_OWN_NAME = re.compile(rf"(^|_)(?:{'|'.join(_SECRET_WORDS)}|credentials)(_|$)", re.IGNORECASE)
REPLACEMENT = b"[credential]"
FILE_PLACES, MOST_PLACES = 1_000, 10_000
"""How many places are looked at one by one, in one file and in all files together: credentials, and in
settings files also each name that a password may follow. A file above the limit is overwritten as a whole."""
TOO_MANY = f"more places to look at than possible ({FILE_PLACES:,} in a file, {MOST_PLACES:,} in all files)"


def redact(
    files: Mapping[str, bytes], original: Mapping[str, bytes], environment: Mapping[str, str] | None = None
) -> tuple[dict[str, bytes], dict[str, str]]:
    """Return the files with every credential overwritten, and a note for each changed file.

    Text of the task's original file is no secret, and stays. A file with too many places to look at is
    overwritten as a whole.
    """
    harness_secrets = list(harness_secret_values(os.environ if environment is None else environment))
    clean, notes = dict(files), {}
    left = MOST_PLACES
    for path, data in files.items():
        most = min(FILE_PLACES, left)
        all_spans = _new_spans(_spans(path, data, harness_secrets), data, original.get(path, b""))
        spans = list(islice(all_spans, most + 1))
        left -= min(len(spans), most)
        credentials = [span for span in spans if span[2]]
        if len(spans) > most:
            clean[path] = _paint_over(data, [(0, len(data), TOO_MANY)])
            notes[path] = f"contained {TOO_MANY}, now overwritten as a whole"
        elif credentials:
            clean[path] = _paint_over(data, credentials)
            notes[path] = (
                "contained "
                + ", ".join(sorted({description for _, _, description in credentials}))
                + ", now overwritten"
            )
    return clean, notes


def harness_secret_values(environment: Mapping[str, str]) -> Iterator[bytes]:
    """Yield the values of the harness's own variables that look secret and cannot occur by chance."""
    for name, value in environment.items():
        looks_random = len(value) >= 12 and re.search(r"\d", value) and re.search(r"[A-Za-z]", value)
        if (
            _OWN_NAME.search(name)
            and (looks_random or len(value) >= 24)
            and not value.startswith(("/", "http"))
        ):
            yield value.encode(errors="surrogateescape")


def _new_spans(spans: Iterable[_Span], data: bytes, original: bytes) -> Iterator[_Span]:
    """Yield the spans whose text is not in the original file, which is searched once for each text."""
    original_texts: set[bytes] = set()
    for span in spans:
        text = data[span[0] : span[1]] if original and span[2] else b""
        if text and (text in original_texts or text in original):
            original_texts.add(text)
        else:
            yield span


def _spans(path: str, data: bytes, harness_secrets: list[bytes]) -> Iterator[_Span]:
    """Yield (start, end, description) of each credential, and of each place that could have been one."""
    for description, start, shape in _SHAPES:
        if start in data:
            yield from ((*match.span(), description) for match in shape.finditer(data))
    yield from _private_keys(data)
    for secret in harness_secrets:
        yield from (
            (place, place + len(secret), "a secret of this machine") for place in _positions(secret, data)
        )
    if _holds_settings(path):
        yield from chain(_settings(data), _logins(data))


def _settings(data: bytes) -> Iterator[_Span]:
    """Yield each secret name with its value.

    The names are looked for first: a fixed word is much faster to find than the start of a line. Only the
    first name of a line that is followed by `=` can begin a setting, so the text before a name is read once.
    """
    lower_case = data.lower()
    for word, name in _SECRET_NAMES.items():
        line_start = read_to = 0
        for match in name.finditer(lower_case) if word in lower_case else ():
            newline = lower_case.rfind(b"\n", read_to, match.start())
            is_first = newline >= 0 or read_to == 0
            line_start, read_to = newline + 1 if newline >= 0 else line_start, match.end()
            is_setting = is_first and _BEFORE_NAME.fullmatch(lower_case, line_start, match.start())
            value = _SETTING_VALUE.match(data, match.end()) if is_setting else None
            yield _judged(match[0], value) if value else (*match.span(), "")


def _logins(data: bytes) -> Iterator[_Span]:
    for start, login in _LOGINS.items():
        for match in login.finditer(data) if start in data else ():
            yield _judged(data[match.start() : match.start(1)], match)


def _judged(name: bytes, value: re.Match[bytes]) -> _Span:
    """Describe a value; SORT_KEY=created_at and TOKEN=lower,upper are plain words, and no secrets."""
    is_plain = _PLAIN_WORDS.fullmatch(value[1]) is not None and _FIELD_NAME.search(name) is not None
    return (*value.span(1), "" if is_plain else "a password or key")


def _holds_settings(path: str) -> bool:
    """Whether a file of this name usually has passwords; the path may be very long."""
    folders, _, name = path.rpartition("/")
    is_cloud_file = name == "credentials" and folders.rpartition("/")[2] == ".aws"
    return name in _SETTINGS_FILES or name.startswith(".env.") or is_cloud_file


def _private_keys(data: bytes) -> Iterator[_Span]:
    end = 0
    for match in _FENCE.finditer(data) if b"PRIVATE KEY" in data else ():
        if end < match.end():  # looks for each end once, however many fences begin before it
            end = data.find(b"-----END", match.end())
        if end < 0:
            return
        if end <= match.end() + _LONGEST_KEY:
            yield match.end(), end, "a private key"


def _positions(part: bytes, data: bytes) -> Iterator[int]:
    """Yield every position of a part, including overlapping ones."""
    place = data.find(part)
    while place >= 0:
        yield place
        place = data.find(part, place + 1)


def _paint_over(data: bytes, spans: Iterable[_Span]) -> bytes:
    painted = bytearray(data)
    for start, end, _ in spans:
        painted[start:end] = (REPLACEMENT + b"*" * (end - start))[: end - start]
    return bytes(painted)
