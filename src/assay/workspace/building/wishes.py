"""One requirement of a repository (a wish), and readers for the many forms people write."""

from __future__ import annotations

import re
from dataclasses import dataclass

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

IMPORT = "an import"
"""Origin of an undeclared wish whose distribution is known to contain the module."""
GUESS = "an import of that name"
"""Origin of an undeclared wish whose distribution only has the module's name."""
_URL = re.compile(r"(?:git|hg|svn|bzr)\+|https?://|file:|ssh://")
_LOCAL = re.compile(r"[./~]|[A-Za-z]:\\|.*\.(?:whl|tar\.gz|zip)$")
_EGG = re.compile(r"[#&]egg=([A-Za-z0-9][A-Za-z0-9._-]*)")
_STAR_AFTER_BOUND = re.compile(r"(>=|<=|>|<|~=)(\s*[0-9.]+?)\.\*")


@dataclass(frozen=True, slots=True)
class Wish:
    """A required distribution, with its version specifier."""

    name: str
    """Normalised: lower case, with dashes."""
    specifier: str = ""
    extras: tuple[str, ...] = ()
    marker: str = ""
    url: str = ""
    """Address of the source, if it is not the index."""
    origin: str = IMPORT

    @property
    def line(self) -> str:
        """The wish in pip's syntax."""
        extras = f"[{','.join(self.extras)}]" if self.extras else ""
        marker = f" ; {self.marker}" if self.marker else ""
        return f"{self.name}{extras}{self.specifier}{marker}"

    @property
    def exact(self) -> str | None:
        """The version, if the specifier allows exactly one."""
        match = re.fullmatch(r"={2,3}\s*([^,*\s]+)", self.specifier)
        return match.group(1) if match else None


class UnreadableRequirement(ValueError):
    """A requirement contains no distribution name."""


def read_wish(text: str, origin: str) -> Wish:
    """Read a requirement in pip's syntax; raise UnreadableRequirement with the reason."""
    text = text.strip()
    if _URL.match(text):
        return Wish(_name_in(text), url=text, origin=origin)
    try:
        parsed = Requirement(_STAR_AFTER_BOUND.sub(r"\1\2", text))
    except InvalidRequirement:
        reason = "a path on its author's machine" if _LOCAL.match(text) else "no readable requirement"
        raise UnreadableRequirement(f"{origin}: {text!r} is {reason}") from None
    return Wish(
        canonicalize_name(parsed.name),
        str(parsed.specifier),
        tuple(sorted(parsed.extras)),
        str(parsed.marker or ""),
        parsed.url or "",
        origin,
    )


def read_conda_wish(text: str, origin: str) -> Wish:
    """Read a requirement in conda's syntax, `channel::name=1.2=build`: one `=` means "begins with"."""
    text = re.sub(r"\s*\[.*\]$", "", text.split("::")[-1].strip())
    name, *version_parts = (
        re.split(r"\s*(?==)|\s+", text, maxsplit=1) if re.match(r"[\w.-]+\s*=[^=]", text) else [text]
    )
    if not version_parts:
        return read_wish(text.replace(" ", ""), origin)
    version, _, build = version_parts[0].lstrip("= ").partition("=")
    exact = bool(build) or version.count(".") >= 2
    specifier = f"=={version}" if exact or version.endswith("*") else f"=={version}.*"
    return read_wish(f"{name}{specifier}", origin)


def _name_in(url: str) -> str:
    """Guess the distribution name from an address."""
    if egg := _EGG.search(url):
        return canonicalize_name(egg.group(1))
    address = re.split(r"[#?]", url)[0].rstrip("/")
    base_name = re.sub(r"(\.git)?(@[^/]*)?$", "", address).rsplit("/", 1)[-1]
    if wheel := re.match(r"([A-Za-z0-9_.]+)-\d", base_name):
        base_name = wheel.group(1)
    return canonicalize_name(base_name)
