"""The hosts that a task allows, and whether an address is among them.

Names match as in DNS: case and a last dot do not matter. Only plain ASCII names are allowed, because other
names have more than one spelling; write an international name as `xn--…`.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Sequence
from dataclasses import dataclass

from assay.errors import UsageError

_LABEL = r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
_NAME = re.compile(rf"{_LABEL}(?:\.{_LABEL})*")
_NUMERIC = re.compile(r"(?:.*\.)?(?:0x[0-9a-f]*|[0-9]+)")
_MAX_NAME_LENGTH = 253

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


@dataclass(frozen=True, slots=True)
class Host:
    """One entry: a name, `*.suffix`, or an address; with a port only that port, else 80 or 443."""

    name: str
    port: int | None = None

    @property
    def is_suffix(self) -> bool:
        """True if the entry matches every name below its suffix."""
        return self.name.startswith("*.")

    def admits(self, name: str, port: int, default_port: int) -> bool:
        """True if the entry matches this host and port; without a port it means the protocol's default."""
        name_matches = name.endswith(self.name[1:]) if self.is_suffix else name == self.name
        return name_matches and port == (self.port or default_port)


@dataclass(frozen=True, slots=True)
class AllowedHosts:
    """All allowed hosts of a task."""

    hosts: tuple[Host, ...]

    def admits(self, name: str, port: int, default_port: int) -> bool:
        """True if an entry matches this host and port."""
        return any(host.admits(name, port, default_port) for host in self.hosts)

    def admits_private(self, name: str, port: int) -> bool:
        """True if an entry gives exactly this host and port, so that it may be a private machine."""
        return any(host.name == name and host.port == port for host in self.hosts)


def parse_allowed(entries: Sequence[str]) -> AllowedHosts:
    """Read a task's `allowed_hosts`."""
    return AllowedHosts(tuple(_parse_entry(entry) for entry in entries))


def _parse_entry(entry: str) -> Host:
    suffix = entry.startswith("*.")
    name, port = split_authority(entry[2:] if suffix else entry, None)
    if name is None or (suffix and as_address(name) is not None):
        raise UsageError(
            f"{entry!r} names no host: expected a name such as pypi.org, *.pypi.org or pypi.org:8443",
            hint="fix allowed_hosts in task.toml; write international names as xn--…",
        )
    return Host(f"*.{name}" if suffix else name, port)


def split_authority(text: str, default_port: int | None) -> tuple[str | None, int | None]:
    """Split `host`, `host:port` or `[address]:port` into a normalized name and a port; None if invalid."""
    head, bracket, tail = text.rpartition("]")
    host, colon, port = (head + bracket, *tail.partition(":")[1:]) if bracket else text.partition(":")
    if bracket and tail.partition(":")[0]:
        return None, None
    if not colon:
        return normal_name(host), default_port
    if not re.fullmatch(r"[0-9]{1,5}", port) or not 0 < int(port) < 65536:
        return None, None
    return normal_name(host), int(port)


def normal_name(host: str) -> str | None:
    """Return the normalized spelling of a host; None if it is neither a name nor an address in usual form.

    Forms such as 0x7f.1 or 2130706433, which some resolvers accept as addresses, are invalid.
    """
    address = as_address(host)
    if address is not None:
        return str(address)
    name = host.lower().removesuffix(".")
    is_valid = name.isascii() and len(name) <= _MAX_NAME_LENGTH and _NAME.fullmatch(name)
    return name if is_valid and not _NUMERIC.fullmatch(name) else None


def as_address(host: str) -> Address | None:
    """Parse an IP address, IPv6 with or without brackets; None for other text and for a zone."""
    bare = host[1:-1] if host.startswith("[") and host.endswith("]") else host
    try:
        address = ipaddress.ip_address(bare)
    except ValueError:
        return None
    return None if isinstance(address, ipaddress.IPv6Address) and address.scope_id else address


_IPV4_NETWORKS = [
    ipaddress.IPv6Network(text)
    for text in ("64:ff9b::/96", "64:ff9b:1::/48", "::/96", "2002::/16", "2001::/32")
]
"""IPv6 networks whose addresses contain an IPv4 address."""


def is_public(text: str) -> bool:
    """True if an address is on the open Internet, not on this machine or its local network."""
    address = ipaddress.ip_address(text.partition("%")[0])
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return is_public(str(address.ipv4_mapped))
        if any(address in network for network in _IPV4_NETWORKS):
            return False
    return address.is_global and not address.is_multicast
