"""Credentials in what an agent leaves: found by their shape or by the harness's own values, and painted over.

A submission is archived, read by judges and shown in reports, so no key may travel in it. A value is replaced
by a marker of the same length, which leaves every other byte where it was. Only shapes that nothing else has
are known here, and only where they stand alone: numbers, hashes, weights and base64 are full of chance.

What this does not cover: a key that was encoded or cut in pieces, and the log that Inspect writes itself.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping

SHAPES = {
    "an OpenAI key": ("sk-", r"(?:proj|svcacct|admin)-[\w-]{40,200}|[A-Za-z0-9]{32,64}"),
    "an Anthropic key": ("sk-ant-", r"[a-z0-9]{3,8}-[\w-]{40,200}"),
    "an OpenRouter key": ("sk-or-v1-", r"[0-9a-f]{64}"),
    "a Google key": ("AIza", r"[\w-]{35}"),
    "an AWS key": ("AKIA ASIA", r"[A-Z0-9]{16}"),
    "a GitHub token": ("ghp_ gho_ ghu_ ghs_ ghr_", r"[A-Za-z0-9]{36,255}"),
    "a fine-grained GitHub token": ("github_pat_", r"[A-Za-z0-9]{22}_[A-Za-z0-9]{59}"),
    "a GitLab token": ("glpat-", r"[\w-]{20,64}"),
    "a Hugging Face token": ("hf_", r"[A-Za-z0-9]{34,40}"),
    "a Groq key": ("gsk_", r"[A-Za-z0-9]{52}"),
    "an xAI key": ("xai-", r"[A-Za-z0-9]{80}"),
    "a Replicate token": ("r8_", r"[A-Za-z0-9]{37}"),
    "a Slack token": ("xoxa- xoxb- xoxp- xoxr- xoxs-", r"[A-Za-z0-9-]{20,200}"),
    "a PyPI token": ("pypi-AgE", r"[\w-]{50,250}"),
    "an npm token": ("npm_", r"[A-Za-z0-9]{36}"),
}
"""How each begins, and what follows; a beginning is found many times faster than an expression."""
_SHAPES = [
    (what, start.encode(), re.compile(rf"(?<![\w+/-]){start}(?:{rest})(?![\w+/-])".encode()))
    for what, (starts, rest) in SHAPES.items()
    for start in starts.split()
]
_FENCE = re.compile(rb"-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----")
_LONGEST_KEY = 20_000
_SECRET_NAME = r"(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)"
_SETTING = re.compile(
    rb"^[ \t]*(?:export[ \t]+)?[\w.-]{0,60}%s[\w.-]{0,20}[ \t]*[=:][ \t]*[\"']?([^\s\"'#]{8,500})"
    % _SECRET_NAME.encode(),
    re.IGNORECASE | re.MULTILINE,
)
_LOGIN = re.compile(rb"\bpassword[ \t=:]+([^\s]{4,500})|://[^\s/:@]{1,100}:([^\s/@]{4,500})@")
_SETTINGS_FILES = re.compile(
    r"(^|/)(\.env(\..*)?|\.netrc|_netrc|\.pypirc|\.git-credentials|\.aws/credentials)$"
)
_OWN_NAME = re.compile(rf"(^|_){_SECRET_NAME}(_|$)", re.IGNORECASE)
MARK = b"[credential]"


def redact(
    files: Mapping[str, bytes], given: Mapping[str, bytes], environment: Mapping[str, str] | None = None
) -> tuple[dict[str, bytes], dict[str, str]]:
    """The files with every credential painted over, and for each changed file what it held.

    What the task itself gave in the same file is no secret of anyone, and stays.
    """
    own = list(own_secrets(os.environ if environment is None else environment))
    clean, notes = dict(files), {}
    for path, data in files.items():
        known = given.get(path, b"")
        places = [each for each in _places(path, data, own) if data[each[0] : each[1]] not in known]
        if places:
            clean[path] = _painted(data, places)
            notes[path] = "held " + ", ".join(sorted({what for _, _, what in places})) + ", now painted over"
    return clean, notes


def own_secrets(environment: Mapping[str, str]) -> Iterator[bytes]:
    """The values of the harness's own variables that look secret, and are too odd to be met by chance."""
    for name, value in environment.items():
        odd = len(value) >= 12 and re.search(r"\d", value) and re.search(r"[A-Za-z]", value)
        if _OWN_NAME.search(name) and (odd or len(value) >= 24) and not value.startswith(("/", "http")):
            yield value.encode(errors="surrogateescape")


def _places(path: str, data: bytes, own: list[bytes]) -> Iterator[tuple[int, int, str]]:
    """Where credentials stand: start, end, what."""
    for what, start, shape in _SHAPES:
        found = (shape.match(data, place) for place in _every(start, data))
        yield from ((*match.span(), what) for match in found if match)
    for match in _FENCE.finditer(data) if b"PRIVATE KEY" in data else ():
        end = data.find(b"-----END", match.end(), match.end() + _LONGEST_KEY)
        if end > 0:
            yield match.end(), end, "a private key"
    for secret in own:
        yield from (
            (place, place + len(secret), "a secret of this machine") for place in _every(secret, data)
        )
    for pattern in (_SETTING, _LOGIN) if _SETTINGS_FILES.search(path) else ():
        for match in pattern.finditer(data):
            yield (*match.span(match.lastindex or 0), "a password or key")


def _every(part: bytes, data: bytes) -> Iterator[int]:
    """Every place of a part, overlapping or not."""
    place = data.find(part)
    while place >= 0:
        yield place
        place = data.find(part, place + 1)


def _painted(data: bytes, places: list[tuple[int, int, str]]) -> bytes:
    painted = bytearray(data)
    for start, end, _ in places:
        painted[start:end] = (MARK + b"*" * (end - start))[: end - start]
    return bytes(painted)
