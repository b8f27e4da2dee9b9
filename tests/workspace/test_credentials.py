"""Credentials are painted over; honest data, however random, keeps every byte."""

from __future__ import annotations

import base64
import hashlib
import json
import random
import re
import string
import time
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.workspace.credentials import (
    FILE_PLACES,
    MOST_PLACES,
    REPLACEMENT,
    SHAPES,
    harness_secret_values,
    redact,
)

LETTERS = string.ascii_letters + string.digits


def drawn(alphabet: str, length: int, seed: int = 0) -> str:
    """Characters as a service draws them."""
    return "".join(random.Random(seed).choices(alphabet, k=length))


KEYS = {
    "an OpenAI key": ["sk-" + drawn(LETTERS, 48), "sk-proj-" + drawn(LETTERS + "_-", 120)],
    "an Anthropic key": ["sk-ant-api03-" + drawn(LETTERS + "_-", 95)],
    "an OpenRouter key": ["sk-or-v1-" + drawn("0123456789abcdef", 64)],
    "a Google key": ["AIza" + drawn(LETTERS, 35)],
    "an AWS key": ["AKIA" + drawn(string.ascii_uppercase + string.digits, 16)],
    "a GitHub token": ["ghp_" + drawn(LETTERS, 36)],
    "a fine-grained GitHub token": [f"github_pat_{drawn(LETTERS, 22)}_{drawn(LETTERS, 59)}"],
    "a Hugging Face token": ["hf_" + drawn(LETTERS, 34)],
    "a Slack token": ["xoxb-" + drawn(string.digits, 12) + "-" + drawn(LETTERS, 24)],
    "a Groq key": ["gsk_" + drawn(LETTERS, 52)],
}
PAIRS = [(what, key) for what, keys in KEYS.items() for key in keys]


def painted(data: bytes, path: str = "file.py", **environment: str) -> tuple[bytes, str]:
    """One file, and what is said of it."""
    clean, notes = redact({path: data}, {}, environment)
    return clean[path], notes.get(path, "")


@pytest.mark.parametrize(("what", "key"), PAIRS)
@pytest.mark.parametrize("around", ["{}", 'key = "{}"\n', "https://host/?k={}&x=1", "\0\1{}\0", "KEY={},\n"])
def test_every_known_shape_is_painted_over_at_the_same_length(what: str, key: str, around: str) -> None:
    data = around.format(key).encode()
    clean, said = painted(data)
    assert key.encode() not in clean
    assert len(clean) == len(data)
    assert clean.replace((REPLACEMENT + b"*" * 300)[: len(key)], key.encode()) == data
    assert what in said


def test_a_private_key_keeps_its_fence_and_loses_its_body() -> None:
    body = "\n".join(drawn(LETTERS + "+/", 64, seed) for seed in range(8))
    for kind in ("", "RSA ", "OPENSSH "):
        block = f"-----BEGIN {kind}PRIVATE KEY-----\n{body}\n-----END {kind}PRIVATE KEY-----\n".encode()
        clean, said = painted(b"before\n" + block + b"after\n")
        assert drawn(LETTERS + "+/", 64, 3).encode() not in clean
        assert clean.startswith(b"before\n-----BEGIN")
        assert clean.endswith(b"PRIVATE KEY-----\nafter\n")
        assert "a private key" in said


@pytest.mark.parametrize(
    ("path", "text", "secret", "kept"),
    [
        (".env", "SEED=3\nWANDB_API_KEY=0123abcd4567ef\n", "0123abcd4567ef", "SEED=3"),
        ("sub/.env.local", "export DB_PASSWORD='hunter2hunter2'\nLR=0.1", "hunter2hunter2", "LR=0.1"),
        (".netrc", "machine wandb.ai\n  login user\n  password 00ff00ff\n", "00ff00ff", "login user"),
        (".git-credentials", "https://me:s3cr3t99@host.example\n", "s3cr3t99", "host.example"),
    ],
)
def test_files_that_exist_for_secrets_lose_only_those(path: str, text: str, secret: str, kept: str) -> None:
    clean, said = painted(text.encode(), path)
    assert secret.encode() not in clean
    assert kept.encode() in clean
    assert "a password or key" in said
    assert painted(text.encode(), "notes.txt") == (text.encode(), "")


def test_the_harness_own_secrets_never_leave_whatever_their_shape() -> None:
    secret = "correct7horse8battery9"
    clean, said = painted(f"x{secret}y".encode(), MY_SERVICE_TOKEN=secret)
    assert secret.encode() not in clean
    assert "a secret of this machine" in said


def test_variables_that_only_sound_secret_harm_nothing() -> None:
    harmless = {
        "SCRIPTED_API_KEY": "none",
        "OPENAI_API_KEY": "placeholder",
        "SSH_AUTH_SOCK": "/tmp/ssh-1234/agent.5678",
        "KEYBOARD": "qwerty-0123456789",
        "TOKEN_FILE": "/run/secrets/token-0123",
        "PATH": "/usr/bin:/bin:/opt/0123456789",
    }
    assert list(harness_secret_values(harmless)) == []


def test_what_the_task_itself_gave_stays() -> None:
    given_file = b"example = 'AKIAIOSFODNN7EXAMPLE'\n"
    changed = given_file + b"print(1)\n"
    assert redact({"a.py": changed}, {"a.py": given_file}, {}) == ({"a.py": changed}, {})


@given(st.binary(max_size=4000))
@settings(max_examples=100, deadline=None)
def test_random_bytes_are_never_touched(data: bytes) -> None:
    encodings = [data, base64.b64encode(data), base64.urlsafe_b64encode(data), data.hex().encode()]
    for each in encodings:
        assert painted(each) == (each, "")


@pytest.mark.parametrize("seed", range(3))
def test_honest_files_full_of_chance_keep_every_byte(seed: int) -> None:
    source = random.Random(seed)
    weights = source.randbytes(2_000_000)
    image = json.dumps({"image/png": base64.b64encode(source.randbytes(300_000)).decode()}).encode()
    hashes = "\n".join(hashlib.sha256(source.randbytes(8)).hexdigest() for _ in range(5000)).encode()
    tokens = b"\n".join(base64.urlsafe_b64encode(source.randbytes(32)) for _ in range(20_000))
    page = b'<div class="sk-top-container sk-estimator-doc-link sk-parallel-item">' * 50
    for data in (weights, image, hashes, tokens, page):
        assert painted(data) == (data, "")


@given(
    st.text(LETTERS + " \n=\"'", max_size=60),
    st.sampled_from(PAIRS),
    st.text(" \n,;)\"'", min_size=1, max_size=5),
)
@settings(max_examples=100, deadline=None)
def test_nothing_but_the_key_changes(before: str, pair: tuple[str, str], after: str) -> None:
    head, key, tail = f"{before} ".encode(), pair[1].encode(), after.encode()
    clean, _ = painted(head + key + tail)
    assert clean.startswith(head)
    assert clean.endswith(tail)
    assert key not in clean


def test_a_hostile_file_does_not_make_the_search_slow() -> None:
    hostile = b"-----BEGIN PRIVATE KEY-----" * 20_000 + b"sk-" * 100_000 + b"AKIA" * 100_000
    clean, _ = painted(hostile, ".env")
    assert len(clean) == len(hostile)


SETTINGS = b"""LABEL_KEYS=real,permuted
SORT_KEY=created_at
TOKENIZER=byte-level-bpe
MAX_TOKENS=100000000
KEYPOINTS=17,18,19,20
export GROUP_KEY="first_author"
"""


def test_a_hostile_path_does_not_make_the_search_slow() -> None:
    path = "a" + "/.env.a" * 100_000 + "\nx"  # took hours while a pattern was searched in it
    _, notes = redact({path: b"password = hunter2000"}, {})
    assert list(notes) == [path]


def test_plain_settings_of_an_experiment_stay() -> None:
    assert painted(SETTINGS, path=".env") == (SETTINGS, "")


@pytest.mark.parametrize(
    "line", [b"DB_PASSWORD=correcthorse", b"API_KEY=Zq81-abc_9X", b"export TOKEN2='x9y8z7w6v5'"]
)
def test_secrets_among_settings_are_overwritten(line: bytes) -> None:
    clean, note = painted(SETTINGS + line + b"\n", path="run/.env")
    assert clean.startswith(SETTINGS)
    assert b"[cred" in clean
    assert "a password or key" in note


PIECES = [
    *[key for _, key in PAIRS],
    *["sk-", " sk-sk-", " AKIA", "ghp_", "xoxb-", "-", "+", "/", "_", ".", ",", "a1B2", "0" * 40],
    *[
        "\n",
        "\n",
        " ",
        "\t",
        "export ",
        "KEY",
        "key",
        "API_KEY",
        "TOKEN2",
        "Credentials",
        "DB_PASSWORD",
        "SECRET",
    ],
    *["=", "=", ":", '"', "#", "created_at", "lower,upper", "12345678", "Zq81-abc_9X", "hunter2hunter2"],
    *["password ", "password", "://", "me", "@", "://me:s3cr3t99@host", "KEY=", "\nTOKEN: "],
]


def slow_spans(path: str, data: bytes) -> Iterator[tuple[int, int]]:
    """Each credential as the rules say it: whole words first, then line by line in settings files."""
    for word in re.finditer(rb"[\w+/-]+", data):
        for _, starts, pattern in SHAPES:
            if re.fullmatch(f"(?:{'|'.join(starts.split())})(?:{pattern})".encode(), word[0]):
                yield word.span()
    if path != ".env":
        return
    name = rb"(?:[\w.-]{0,60}[_.-])?(?:key|token|secret|password|passwd|credentials?)\d{0,3}"
    setting = rb"[ \t]*(?:export[ \t]+)?" + name + rb"[ \t]*[=:][ \t]*[\"']?([^\s\"'#]{8,500})"
    plain, field = rb"[a-z]+(?:[_,-][a-z]+)*|[\d.,]+", rb"(?i:(?:key|token)\d{0,3}[ \t]*[=:])"
    offset = 0
    for line in data.split(b"\n"):
        match = re.match(setting, line, re.IGNORECASE)
        if match and not (re.fullmatch(plain, match[1]) and re.search(field, match[0])):
            yield offset + match.start(1), offset + match.end(1)
        offset += len(line) + 1
    for match in re.finditer(rb"://[^\s/:@]{1,100}:([^\s/@]{4,500})@", data):
        if not (re.fullmatch(plain, match[1]) and re.search(field, match[0])):
            yield match.span(1)
    for match in re.finditer(rb"\bpassword[ \t=:]+(\S{4,500})", data):
        yield match.span(1)


@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join), st.sampled_from([".env", "run.py"]))
@settings(max_examples=500, deadline=None)
def test_the_fast_search_gives_what_a_simple_one_gives(text: str, path: str) -> None:
    data = text.encode()
    expected = bytearray(data)
    for start, end in slow_spans(path, data):
        expected[start:end] = (REPLACEMENT + b"*" * (end - start))[: end - start]
    assert painted(data, path)[0] == bytes(expected)


def test_a_file_with_too_many_credentials_is_overwritten_as_a_whole() -> None:
    lines = [f"x = 'AKIA{number:016}'\n".encode() for number in range(FILE_PLACES + 1)]
    most, said = painted(b"".join(lines[1:]))
    assert most == b"x = '[credential]********'\n" * FILE_PLACES
    assert said == "contained an AWS key, now overwritten"
    too_many, said = painted(b"".join(lines))
    assert set(too_many) == set(REPLACEMENT + b"*")
    assert len(too_many) == len(b"".join(lines))
    assert f"{FILE_PLACES:,} in a file" in said


def test_after_too_many_credentials_in_all_each_file_with_one_is_overwritten_as_a_whole() -> None:
    full = b"".join(f" AKIA{number:016}".encode() for number in range(FILE_PLACES))
    files = {f"{number:02}.txt": full for number in range(MOST_PLACES // FILE_PLACES)}
    files |= {"later.py": b"import os  # AKIA0123456789ABCDEF", "other.py": b"import os\n"}
    clean, notes = redact(files, {}, {})
    assert clean["00.txt"] == b" [credential]********" * FILE_PLACES
    assert set(clean["later.py"]) == set(REPLACEMENT + b"*")
    assert clean["other.py"] == b"import os\n"
    assert set(notes) == set(files) - {"other.py"}


def test_many_examples_of_the_task_itself_stay() -> None:
    examples = b"".join(f"AKIA{number:016}\n".encode() for number in range(2 * FILE_PLACES))
    changed = examples + b"AKIA0123456789ABCDEF\n"
    clean, _ = redact({"data.csv": changed}, {"data.csv": examples}, {})
    assert clean["data.csv"] == examples + b"[credential]********\n"


@pytest.mark.parametrize("line", [b"KEY=abcdefgh1\n", b"KEY=created_at\n", b"\n"])
def test_a_large_settings_file_takes_little_time(line: bytes) -> None:
    data = line * ((32 << 20) // len(line))
    began = time.process_time()
    clean, _ = painted(data, "run/.env")
    assert time.process_time() - began < 12, "a step of Python for each line takes longer"
    assert len(clean) == len(data)
