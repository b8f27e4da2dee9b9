"""One requirement as a repository wishes it, and how it is read from the many ways people write it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

IMPORT = "an import"
"""The origin of a wish that no file declares, for a distribution that is known to hold the module."""
GUESS = "an import of that name"
"""The origin of one for a distribution that is only called like the module."""
_URL = re.compile(r"(?:git|hg|svn|bzr)\+|https?://|file:|ssh://")
_LOCAL = re.compile(r"[./~]|[A-Za-z]:\\|.*\.(?:whl|tar\.gz|zip)$")
_EGG = re.compile(r"[#&]egg=([A-Za-z0-9][A-Za-z0-9._-]*)")
_STAR_AFTER_BOUND = re.compile(r"(>=|<=|>|<|~=)(\s*[0-9.]+?)\.\*")


@dataclass(frozen=True, slots=True)
class Wish:
    """A distribution that is wanted, with what is said of its version."""

    name: str
    """Normalised: lower case, with dashes."""
    specifier: str = ""
    extras: tuple[str, ...] = ()
    marker: str = ""
    url: str = ""
    """Where it is to come from, if not from the index."""
    origin: str = IMPORT

    @property
    def line(self) -> str:
        """As a resolver reads it."""
        extras = f"[{','.join(self.extras)}]" if self.extras else ""
        marker = f" ; {self.marker}" if self.marker else ""
        return f"{self.name}{extras}{self.specifier}{marker}"

    @property
    def exact(self) -> str | None:
        """The version, where just one will do."""
        found = re.fullmatch(r"={2,3}\s*([^,*\s]+)", self.specifier)
        return found.group(1) if found else None


class Unreadable(ValueError):
    """A requirement that names no distribution."""


def read_wish(text: str, origin: str) -> Wish:
    """A requirement in the form of pip; Unreadable says why it is none."""
    text = text.strip()
    if _URL.match(text):
        return Wish(_name_in(text), url=text, origin=origin)
    try:
        found = Requirement(_STAR_AFTER_BOUND.sub(r"\1\2", text))
    except InvalidRequirement:
        why = "a path of its author's machine" if _LOCAL.match(text) else "no requirement that can be read"
        raise Unreadable(f"{origin}: {text!r} is {why}") from None
    return Wish(
        canonicalize_name(found.name),
        str(found.specifier),
        tuple(sorted(found.extras)),
        str(found.marker or ""),
        found.url or "",
        origin,
    )


def read_conda_wish(text: str, origin: str) -> Wish:
    """A requirement in the form of conda, `channel::name=1.2=build`: one equals sign means "begins with"."""
    text = re.sub(r"\s*\[.*\]$", "", text.split("::")[-1].strip())
    name, *rest = (
        re.split(r"\s*(?==)|\s+", text, maxsplit=1) if re.match(r"[\w.-]+\s*=[^=]", text) else [text]
    )
    if not rest:
        return read_wish(text.replace(" ", ""), origin)
    version, _, build = rest[0].lstrip("= ").partition("=")
    exact = bool(build) or version.count(".") >= 2
    wanted = f"=={version}" if exact or version.endswith("*") else f"=={version}.*"
    return read_wish(f"{name}{wanted}", origin)


def _name_in(url: str) -> str:
    """The distribution that an address seems to hold."""
    if egg := _EGG.search(url):
        return canonicalize_name(egg.group(1))
    place = re.split(r"[#?]", url)[0].rstrip("/")
    last = re.sub(r"(\.git)?(@[^/]*)?$", "", place).rsplit("/", 1)[-1]
    if wheel := re.match(r"([A-Za-z0-9_.]+)-\d", last):
        last = wheel.group(1)
    return canonicalize_name(last)
