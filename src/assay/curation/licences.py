"""Recognises the licence of a repository by its text, and whether tasks may be made and shared under it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath

from assay.tasks.metric import Strict

_FILE = re.compile(r"(?:licen[cs]e|copying|unlicense)(?:[.-][\w.-]+)?$", re.IGNORECASE)
_TEXTS: tuple[tuple[str, str], ...] = (
    (
        r"creative commons.*non-?commercial|cc[ -]by[ -]nc|non-?commercial (?:use|purposes) only",
        "non-commercial",
    ),
    (r"gnu affero general public", "AGPL-3.0"),
    (r"gnu lesser general public", "LGPL"),
    (r"gnu general public license", "GPL"),
    (r"apache license", "Apache-2.0"),
    (r"mozilla public license", "MPL-2.0"),
    (r"permission is hereby granted, free of charge", "MIT"),
    (r"redistribution and use in source and binary forms", "BSD"),
    (r"permission to use, copy, modify, and(?:/or)? distribute", "ISC"),
    (r"this is free and unencumbered software", "Unlicense"),
    (r"cc0 1\.0 universal|cc0", "CC0-1.0"),
    (r"creative commons attribution", "CC-BY"),
    (r"all rights reserved", "all rights reserved"),
)
_REFUSED = ("non-commercial", "all rights reserved")


class LicenceFound(Strict):
    """The licence of a repository."""

    name: str
    """The SPDX name, or what the text says; empty if there is none."""
    file: str = ""
    """Where it is written."""
    refusal: str = ""
    """Why no task may be made; empty if one may."""


def find_licence(files: Mapping[str, bytes]) -> LicenceFound:
    """Return the licence of the top folder, of its metadata or of its README."""
    top = sorted(path for path in files if "/" not in path and _FILE.match(PurePosixPath(path).name))
    for path in top:
        name = _recognise(files[path].decode(errors="replace"))
        if name:
            refusal = f"its licence ({path}) is {name}" if name in _REFUSED else ""
            return LicenceFound(name=name, file=path, refusal=refusal)
    if top:
        refusal = f"its licence ({top[0]}) is none that Assay knows"
        return LicenceFound(name="unknown", file=top[0], refusal=refusal)
    for path, pattern in (
        ("pyproject.toml", r"^license\s*=\s*(?:\{\s*text\s*=\s*)?[\"']([^\"']+)"),
        ("setup.cfg", r"^license\s*=\s*(\S.*)$"),
        ("setup.py", r"license\s*=\s*[\"']([^\"']+)"),
        ("PKG-INFO", r"^License(?:-Expression)?:\s*(\S.*)$"),
    ):
        match = re.search(pattern, files.get(path, b"").decode(errors="replace"), re.MULTILINE)
        if match:
            return LicenceFound(name=match.group(1).strip(), file=path)
    return LicenceFound(name="", refusal="it has no licence, so nobody may pass its code on")


def _recognise(text: str) -> str:
    plain = " ".join(text.lower().split())[:20_000]
    return next((name for pattern, name in _TEXTS if re.search(pattern, plain)), "")
