"""Where packages come from on this machine: the operator's own settings of uv, found at run time."""

from __future__ import annotations

import os
import re
import ssl
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from assay.rules.documents import read_toml

PYPI = "https://pypi.org/simple"
PYPI_FILES = "https://files.pythonhosted.org/"
_DEFAULT = ("UV_DEFAULT_INDEX", "UV_INDEX_URL")
_MORE = ("UV_INDEX", "UV_EXTRA_INDEX_URL", "UV_FIND_LINKS")
_KEPT = re.compile(
    r"UV_(?!PROJECT|WORKING|PYTHON$|TOOL|PUBLISH|ENV_FILE|NO_BINARY|NO_BUILD|CONFIG_FILE|CACHE_DIR)\w+"
    r"|SSL_CERT_(?:FILE|DIR)|SSL_CLIENT_CERT"
)
_ON_HOST = re.compile(
    rf"{_KEPT.pattern}|UV_CACHE_DIR|UV_CONFIG_FILE|UV_PYTHON_INSTALL_DIR|HOME|XDG_\w+_(?:HOME|DIRS?)|LANG|LC_ALL"
    r"|TMPDIR|NETRC|(?:HTTP|HTTPS|ALL|NO)_PROXY|(?:http|https|all|no)_proxy"
)
_PAGE_BYTES = 4 << 20
_PAGE_SECONDS = 15.0
_LINK = re.compile(rb"""https?://[A-Za-z0-9.\[\]:-]+(?=[/"'])""")


@dataclass(frozen=True)
class Index:
    """The indexes and folders of packages, as the environment and uv's configuration name them."""

    variables: Mapping[str, str]

    @staticmethod
    def here() -> Index:
        """Of this process; a folder of wheels that pip was given is meant for every installer."""
        found = dict(os.environ)
        if "PIP_FIND_LINKS" in found:
            found.setdefault("UV_FIND_LINKS", ",".join(found["PIP_FIND_LINKS"].split()))
        return Index(found)

    @property
    def on_host(self) -> dict[str, str]:
        """The variables that uv itself needs on this machine; no other of the operator's is passed on."""
        return {name: value for name, value in self.variables.items() if _ON_HOST.fullmatch(name)}

    @property
    def inside(self) -> dict[str, str]:
        """Those that uv needs in a sandbox: index, certificates, behaviour."""
        return {name: value for name, value in self.variables.items() if _KEPT.fullmatch(name)}

    @cached_property
    def config(self) -> Path | None:
        """uv's configuration file: the one that is named, else the user's, else the system's."""
        if named := self.variables.get("UV_CONFIG_FILE"):
            return Path(named)
        user = self.variables.get("XDG_CONFIG_HOME") or f"{self.variables.get('HOME', '/')}/.config"
        places = [Path(user, "uv", "uv.toml"), Path("/etc/uv/uv.toml")]
        return next((place for place in places if place.is_file()), None)

    @property
    def addresses(self) -> list[str]:
        """Every address that is named, PyPI's own where no other default is."""
        table = self._table()
        tables = [table, table.get("pip", {}) if isinstance(table.get("pip"), dict) else {}]
        listed = [each for each in table.get("index", []) if isinstance(each, dict)]
        default = [self.variables[name] for name in _DEFAULT if self.variables.get(name)]
        default += [str(each["index-url"]) for each in tables if "index-url" in each]
        default += [str(each["url"]) for each in listed if each.get("default")]
        more = [part for name in _MORE for part in re.split(r"[\s,]+", self.variables.get(name, "")) if part]
        more += [str(each["url"]) for each in listed if "url" in each]
        for each in tables:
            more += [str(part) for key in ("extra-index-url", "find-links") for part in each.get(key, [])]
        plain = [re.sub(r"^[A-Za-z0-9_.-]+=(?=\w+:|/)", "", each) for each in (default or [PYPI]) + more]
        return list(dict.fromkeys(plain))

    def _table(self) -> dict[str, Any]:
        try:
            return read_toml(self.config.read_text()) if self.config else {}
        except (OSError, ValueError):
            # uv itself says what is wrong with it.
            return {}

    @property
    def folders(self) -> list[Path]:
        """The folders of this machine among the addresses."""
        paths = []
        for each in self.addresses:
            parts = urllib.parse.urlsplit(each)
            if parts.scheme in ("", "file"):
                paths.append(Path(urllib.parse.unquote(parts.path)).absolute())
        return [path for path in paths if path.exists()]

    def hosts(self, names: Sequence[str]) -> list[str]:
        """`host:port` of every index, and of the files that their pages for these packages lead to."""
        web = [each for each in self.addresses if each.startswith(("http://", "https://"))]
        if any(urllib.parse.urlsplit(each).hostname == "pypi.org" for each in web):
            web.append(PYPI_FILES)
        other = [each for each in web if each not in (PYPI, f"{PYPI}/", PYPI_FILES)]
        found = [*web, *(link for each in other for link in _links(each, names))]
        return list(dict.fromkeys(_authority(each) for each in found))


def _authority(address: str) -> str:
    parts = urllib.parse.urlsplit(address)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    return f"{host}:{parts.port or (443 if parts.scheme == 'https' else 80)}"


def _links(index: str, names: Sequence[str]) -> Iterator[str]:
    """The places that an index's pages name; files often lie on another host than the pages."""
    for name in names[:3]:
        page = f"{index.rstrip('/')}/{re.sub(r'[-_.]+', '-', name).lower()}/"
        try:
            context = ssl.create_default_context() if page.startswith("https:") else None
            with urllib.request.urlopen(page, timeout=_PAGE_SECONDS, context=context) as answer:
                text = answer.read(_PAGE_BYTES)
        except (OSError, ValueError):
            continue
        yield from sorted({found.decode() for found in _LINK.findall(text)})
