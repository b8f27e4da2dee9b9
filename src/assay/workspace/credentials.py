"""Finds credentials in submissions, by their form or by the harness's own values, and overwrites them.

A submission is archived, read by judges and shown in reports, so it must not contain a key. A marker of the
same length replaces a value, so no other byte moves. The module knows only forms that nothing else has, and
only as separate words: numbers, hashes, weights and base64 contain many random strings.

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
"""First characters and the pattern after them; a fixed prefix is much faster to find than a pattern."""
_SHAPES = [
    (description, start.encode(), re.compile(rf"(?<![\w+/-]){start}(?:{pattern})(?![\w+/-])".encode()))
    for description, (starts, pattern) in SHAPES.items()
    for start in starts.split()
]
_FENCE = re.compile(rb"-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----")
_LONGEST_KEY = 20_000
_SECRET_NAME = r"(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)"
_SETTING = re.compile(
    rb"^[ \t]*(?:export[ \t]+)?(?:[\w.-]{0,60}[_.-])?%s\d{0,3}[ \t]*[=:][ \t]*[\"']?([^\s\"'#]{8,500})"
    % _SECRET_NAME.encode(),
    re.IGNORECASE | re.MULTILINE,
)
"""A setting whose name ends in one of these words: SORT_KEYS, TOKENIZER and KEYPOINTS are none."""
_LOGIN = re.compile(rb"\bpassword[ \t=:]+([^\s]{4,500})|://[^\s/:@]{1,100}:([^\s/@]{4,500})@")
_SETTINGS_FILES = (".env", ".netrc", "_netrc", ".pypirc", ".git-credentials")
_OWN_NAME = re.compile(rf"(^|_){_SECRET_NAME}(_|$)", re.IGNORECASE)
REPLACEMENT = b"[credential]"


def redact(
    files: Mapping[str, bytes], original: Mapping[str, bytes], environment: Mapping[str, str] | None = None
) -> tuple[dict[str, bytes], dict[str, str]]:
    """Return the files with every credential overwritten, and a note for each changed file.

    Text of the task's original file is no secret, and stays.
    """
    harness_secrets = list(harness_secret_values(os.environ if environment is None else environment))
    clean, notes = dict(files), {}
    for path, data in files.items():
        original_data = original.get(path, b"")
        spans = [
            span
            for span in _credential_spans(path, data, harness_secrets)
            if data[span[0] : span[1]] not in original_data
        ]
        if spans:
            clean[path] = _paint_over(data, spans)
            notes[path] = (
                "contained "
                + ", ".join(sorted({description for _, _, description in spans}))
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


def _credential_spans(path: str, data: bytes, harness_secrets: list[bytes]) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, description) of each credential."""
    for description, start, shape in _SHAPES:
        matches = (shape.match(data, place) for place in _positions(start, data))
        yield from ((*match.span(), description) for match in matches if match)
    yield from _private_keys(data)
    for secret in harness_secrets:
        yield from (
            (place, place + len(secret), "a secret of this machine") for place in _positions(secret, data)
        )
    for pattern in (_SETTING, _LOGIN) if _holds_settings(path) else ():
        for match in pattern.finditer(data):
            if not _names_a_field(match):
                yield (*match.span(match.lastindex or 0), "a password or key")


def _holds_settings(path: str) -> bool:
    """Whether a file of this name usually has passwords; the path may be very long."""
    folders, _, name = path.rpartition("/")
    is_cloud_file = name == "credentials" and folders.rpartition("/")[2] == ".aws"
    return name in _SETTINGS_FILES or name.startswith(".env.") or is_cloud_file


def _private_keys(data: bytes) -> Iterator[tuple[int, int, str]]:
    end = 0
    for match in _FENCE.finditer(data) if b"PRIVATE KEY" in data else ():
        if 0 <= end < match.end():  # looks for each end once, however many fences begin before it
            end = data.find(b"-----END", match.end())
        if match.end() <= end <= match.end() + _LONGEST_KEY:
            yield match.end(), end, "a private key"


def _names_a_field(setting: re.Match[bytes]) -> bool:
    """Whether a setting is of the form SORT_KEY=created_at or TOKEN=lower,upper: plain words, no secret."""
    value = setting[setting.lastindex or 0]
    is_key = re.search(rb"(?:key|token)\d{0,3}[ \t]*[=:]", setting[0], re.IGNORECASE) is not None
    return is_key and re.fullmatch(rb"[a-z]+(?:[_,-][a-z]+)*|[\d.,]+", value) is not None


def _positions(part: bytes, data: bytes) -> Iterator[int]:
    """Yield every position of a part, including overlapping ones."""
    place = data.find(part)
    while place >= 0:
        yield place
        place = data.find(part, place + 1)


def _paint_over(data: bytes, spans: list[tuple[int, int, str]]) -> bytes:
    painted = bytearray(data)
    for start, end, _ in spans:
        painted[start:end] = (REPLACEMENT + b"*" * (end - start))[: end - start]
    return bytes(painted)
