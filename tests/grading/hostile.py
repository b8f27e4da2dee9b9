"""Hostile submissions from a random generator: names, links, sizes, texts and nesting that break programs."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass, field

from assay.workspace import Submission


def _count(rng: random.Random, most: int) -> int:
    """How often something is repeated: mostly a little, sometimes very often."""
    return rng.randint(0, most if rng.random() < 0.1 else max(most // 100, 1))


NAMES = [
    *("a", "b.py", "run.py", "steps.py", "reproduce.sh", "design.json", "conclusion.json", "results.json"),
    *("numpy.py", "json.pyc", "sitecustomize.py", "numpy.cpython-311-x86_64-linux-gnu.so", "x.pth"),
    *("pyvenv.cfg", "lib", "site-packages", "thing-1.dist-info", "conda-meta", "__pycache__", ".git", ".env"),
    *("été", "e\u0301te\u0301", "\u202egnp.exe", "dеsign.json", "résults.json", "\u0000", "a\nb", "\x1b[2J"),
    *(
        "x" * 255,
        "y" * 256,
        "-rf",
        "back\\slash",
        " ",
        ".",
        "..",
        "",
        "caf\udce9",
        "%s%n",
        "{}",
        "=1+1",
        "🦜",
    ),
    *("CON", "a:b", "<script>", "submission.json", "*", "$(id)", "`id`", "\ufeffa", "a\u200bb", "\u2028"),
]
TARGETS = [
    *(
        "/tests/results.json",
        "/",
        "../../../truth",
        "/inputs/a",
        "/dev/null",
        "/usr/bin/python3",
        "a",
        ".",
        "..",
    ),
    *("/proc/self/mem", "/dev/zero", "", "x" * 5000, "/workspace/a", "/workspace", "l0", "\udcff", "a/../b"),
]
TEXTS: list[Callable[[random.Random], bytes]] = [
    lambda rng: b"",
    lambda rng: b"import numpy\n" * _count(rng, 2_000),
    lambda rng: b"del " * _count(rng, 50_000) + b"ASSAY_SEE",
    lambda rng: b"git " * _count(rng, 20_000),
    lambda rng: b"sk-" * _count(rng, 20_000),
    lambda rng: b"-----BEGIN PRIVATE KEY-----" * _count(rng, 2_000),
    lambda rng: b"KEY=" * _count(rng, 20_000),
    lambda rng: b"\0" * _count(rng, 200_000),
    lambda rng: rng.randbytes(_count(rng, 20_000)),
    lambda rng: b"1 " * _count(rng, 50_000),
    lambda rng: b"0.1%, " * _count(rng, 20_000),
    lambda rng: b"\x1b[2J\x1b]0;title\x07" * _count(rng, 1_000),
    lambda rng: "\u202e\ufeff\u0301".encode() * _count(rng, 5_000),
    lambda rng: b"import " + b"a," * _count(rng, 20_000),
    lambda rng: b"\xff\xfe" + "import json".encode("utf-16-le"),
]
JSONS: list[Callable[[random.Random], bytes]] = [
    lambda rng: b"[" * _count(rng, 200_000),
    lambda rng: b'{"a":' * _count(rng, 50_000),
    lambda rng: b"[" + b"[]," * _count(rng, 100_000) + b"0]",
    lambda rng: b"[" * 30 + b"]" * 30,
    lambda rng: b'{"value": ' + b"9" * _count(rng, 50_000) + b"}",
    lambda rng: b'{"value": NaN, "runs": [Infinity, -0.0, 1e400]}',
    lambda rng: json.dumps({f"k{number}": number for number in range(_count(rng, 20_000))}).encode(),
    lambda rng: (
        b'{"constant": {' + b",".join(b'"k%d":0' % n for n in (*range(_count(rng, 9_999)), 0)) + b"}}"
    ),
    lambda rng: b'{"constant": {"\\ud800": "\\udfff"}, "claims": {"order": "\\u0000"}}',
    lambda rng: json.dumps({"constant": {"folds": "a," * _count(rng, 9_999)}, "claims": {}}).encode(),
    lambda rng: json.dumps(
        {"claims": {"order": ["1.5"] * _count(rng, 9_999)}, "summary": "9 " * 9_999}
    ).encode(),
    lambda rng: json.dumps({"summary": "-" * _count(rng, 99_999), "claims": {"order": "1" * 4_000}}).encode(),
    lambda rng: json.dumps({"summary": "1." * _count(rng, 99_999) + "e", "claims": {}}).encode(),
    lambda rng: b"\xef\xbb\xbf{}",
    lambda rng: "{}".encode("utf-16"),
]


@dataclass
class Tree:
    """What one hostile agent left."""

    files: dict[str, bytes] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    listing: bytes = b""
    """What `find` would print of it, with entries that no file system holds."""
    results: bytes = b""

    @property
    def submission(self) -> Submission:
        """The same, as if the harness had taken all of it."""
        refused = {path: f"is a link to {target}" for path, target in self.links.items()}
        return Submission(
            files=self.files,
            deleted=tuple(list(self.files)[:2]),
            refused=refused,
            executable=tuple(self.files),
            folders=tuple(self.links),
            links=dict(list(self.links.items())[:5]),
        )


def tree(seed: int) -> Tree:
    """The hostile tree of one seed."""
    rng = random.Random(seed)
    made = Tree()
    for _ in range(rng.choice([1, 5, 50])):
        made.files[_path(rng)] = rng.choice(TEXTS)(rng)
    for name in ("design.json", "conclusion.json"):
        made.files[name] = rng.choice(JSONS)(rng)
    made.files["steps.py"] = rng.choice(TEXTS)(rng)
    for number in range(rng.choice([0, 3, 100])):
        made.links[rng.choice([_path(rng), f"l{number}"])] = rng.choice([*TARGETS, f"l{number + 1}"])
    made.results = rng.choice(JSONS)(rng)
    made.listing = b"".join(_entry(rng) for _ in range(rng.choice([1, 20, 2_000])))
    if rng.random() < 0.1:
        made.listing = made.listing[rng.randint(0, 9) :]
    return made


def _path(rng: random.Random) -> str:
    depth = rng.choice([1, 1, 2, 3, 60])
    return "/".join(rng.choice(NAMES) for _ in range(depth))


def _entry(rng: random.Random) -> bytes:
    size = rng.choice([0, 1, 2**20, 2**24 + 1, 2**62, 10**30])
    fields = [rng.choice("fffdlpscb?"), "755", str(size), _path(rng), rng.choice(TARGETS)]
    return b"".join(each.replace("\0", "").encode(errors="surrogateescape") + b"\0" for each in fields)
