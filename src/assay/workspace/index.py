"""The package indexes of this machine: the user's own settings of uv, read at run time."""

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
_DEFAULT_VARIABLES = ("UV_DEFAULT_INDEX", "UV_INDEX_URL")
_EXTRA_VARIABLES = ("UV_INDEX", "UV_EXTRA_INDEX_URL", "UV_FIND_LINKS")
_UV_VARIABLES = re.compile(
    r"UV_(?!PROJECT|WORKING|PYTHON$|TOOL|PUBLISH|ENV_FILE|NO_BINARY|NO_BUILD|CONFIG_FILE|CACHE_DIR)\w+"
    r"|SSL_CERT_(?:FILE|DIR)|SSL_CLIENT_CERT"
)
_ON_HOST = re.compile(
    rf"{_UV_VARIABLES.pattern}|UV_CACHE_DIR|UV_CONFIG_FILE|UV_PYTHON_INSTALL_DIR|HOME|XDG_\w+_(?:HOME|DIRS?)|LANG|LC_ALL"
    r"|TMPDIR|NETRC|(?:HTTP|HTTPS|ALL|NO)_PROXY|(?:http|https|all|no)_proxy"
)
_PAGE_BYTES = 4 << 20
_PAGE_SECONDS = 15.0
_LINK = re.compile(rb"""https?://[A-Za-z0-9.\[\]:-]+(?=[/"'])""")


@dataclass(frozen=True)
class PackageIndex:
    """The indexes and folders of packages in the environment and in uv's configuration."""

    variables: Mapping[str, str]

    @staticmethod
    def from_environment() -> PackageIndex:
        """Read this process's environment; a folder of wheels for pip counts for uv too."""
        variables = dict(os.environ)
        if "PIP_FIND_LINKS" in variables:
            variables.setdefault("UV_FIND_LINKS", ",".join(variables["PIP_FIND_LINKS"].split()))
        return PackageIndex(variables)

    @property
    def on_host(self) -> dict[str, str]:
        """The variables that uv needs on this machine; uv gets no others."""
        return {name: value for name, value in self.variables.items() if _ON_HOST.fullmatch(name)}

    @property
    def inside(self) -> dict[str, str]:
        """The variables that uv needs in a sandbox: index, certificates, behaviour."""
        return {name: value for name, value in self.variables.items() if _UV_VARIABLES.fullmatch(name)}

    @cached_property
    def config(self) -> Path | None:
        """uv's configuration file: the one of UV_CONFIG_FILE, else the user's, else the system's."""
        if configured := self.variables.get("UV_CONFIG_FILE"):
            return Path(configured)
        user = self.variables.get("XDG_CONFIG_HOME") or f"{self.variables.get('HOME', '/')}/.config"
        files = [Path(user, "uv", "uv.toml"), Path("/etc/uv/uv.toml")]
        return next((file for file in files if file.is_file()), None)

    @property
    def addresses(self) -> list[str]:
        """All index addresses; PyPI's if there is no other default."""
        table = self._table()
        tables = [table, table.get("pip", {}) if isinstance(table.get("pip"), dict) else {}]
        indexes = [entry for entry in table.get("index", []) if isinstance(entry, dict)]
        default = [self.variables[name] for name in _DEFAULT_VARIABLES if self.variables.get(name)]
        default += [str(settings["index-url"]) for settings in tables if "index-url" in settings]
        default += [str(entry["url"]) for entry in indexes if entry.get("default")]
        extra_addresses = [
            part
            for name in _EXTRA_VARIABLES
            for part in re.split(r"[\s,]+", self.variables.get(name, ""))
            if part
        ]
        extra_addresses += [str(entry["url"]) for entry in indexes if "url" in entry]
        for settings in tables:
            extra_addresses += [
                str(part) for key in ("extra-index-url", "find-links") for part in settings.get(key, [])
            ]
        plain = [
            re.sub(r"^[A-Za-z0-9_.-]+=(?=\w+:|/)", "", address)
            for address in (default or [PYPI]) + extra_addresses
        ]
        return list(dict.fromkeys(plain))

    def _table(self) -> dict[str, Any]:
        try:
            return read_toml(self.config.read_text()) if self.config else {}
        except (OSError, ValueError):
            # uv itself reports the error.
            return {}

    @property
    def folders(self) -> list[Path]:
        """The addresses that are folders of this machine."""
        paths = []
        for address in self.addresses:
            parts = urllib.parse.urlsplit(address)
            if parts.scheme in ("", "file"):
                paths.append(Path(urllib.parse.unquote(parts.path)).absolute())
        return [path for path in paths if path.exists()]

    def hosts(self, names: Sequence[str]) -> list[str]:
        """Return `host:port` of every index, and of the file links on its pages for these packages."""
        web_addresses = [address for address in self.addresses if address.startswith(("http://", "https://"))]
        if any(urllib.parse.urlsplit(address).hostname == "pypi.org" for address in web_addresses):
            web_addresses.append(PYPI_FILES)
        other_indexes = [
            address for address in web_addresses if address not in (PYPI, f"{PYPI}/", PYPI_FILES)
        ]
        all_addresses = [
            *web_addresses,
            *(link for address in other_indexes for link in _links(address, names)),
        ]
        return list(dict.fromkeys(_authority(address) for address in all_addresses))


def _authority(address: str) -> str:
    parts = urllib.parse.urlsplit(address)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    return f"{host}:{parts.port or (443 if parts.scheme == 'https' else 80)}"


def _links(index: str, names: Sequence[str]) -> Iterator[str]:
    """Yield the hosts that an index's pages link to; files are often on another host than the pages."""
    for name in names[:3]:
        page = f"{index.rstrip('/')}/{re.sub(r'[-_.]+', '-', name).lower()}/"
        try:
            context = ssl.create_default_context() if page.startswith("https:") else None
            with urllib.request.urlopen(page, timeout=_PAGE_SECONDS, context=context) as answer:
                text = answer.read(_PAGE_BYTES)
        except (OSError, ValueError):
            continue
        yield from sorted({link.decode() for link in _LINK.findall(text)})
