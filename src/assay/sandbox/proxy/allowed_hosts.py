"""The hosts that a task allows, and whether an address is one of them.

Names are compared as DNS does: without regard to case or a last dot. Only plain ASCII names are known, since
others have more than one spelling; an international name is written as `xn--…`.
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
_NAME_MOST = 253

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


@dataclass(frozen=True, slots=True)
class Host:
    """One entry: a name, `*.suffix`, or an address; with a port only that port, else 80 or 443."""

    name: str
    port: int | None = None

    @property
    def is_suffix(self) -> bool:
        """Whether it stands for every name below one."""
        return self.name.startswith("*.")

    def admits(self, name: str, port: int, usual: int) -> bool:
        """Whether it names this host and port; without a port it names the protocol's usual one."""
        named = name.endswith(self.name[1:]) if self.is_suffix else name == self.name
        return named and port == (self.port or usual)


@dataclass(frozen=True, slots=True)
class Allowed:
    """All hosts of a task."""

    hosts: tuple[Host, ...]

    def admits(self, name: str, port: int, usual: int) -> bool:
        """Whether some entry names this host and port."""
        return any(host.admits(name, port, usual) for host in self.hosts)

    def admits_private(self, name: str, port: int) -> bool:
        """Whether some entry names this very host with its port, so that it may be a private machine."""
        return any(host.name == name and host.port == port for host in self.hosts)


def parse_allowed(entries: Sequence[str]) -> Allowed:
    """Read a task's `allowed_hosts`."""
    return Allowed(tuple(_parse_entry(entry) for entry in entries))


def _parse_entry(entry: str) -> Host:
    suffix = entry.startswith("*.")
    name, port = split_authority(entry[2:] if suffix else entry, None)
    if name is None or (suffix and as_address(name) is not None):
        raise UsageError(
            f"{entry!r} names no host: expected a name such as pypi.org, *.pypi.org or pypi.org:8443",
            hint="mend allowed_hosts in task.toml; international names are written as xn--…",
        )
    return Host(f"*.{name}" if suffix else name, port)


def split_authority(text: str, default: int | None) -> tuple[str | None, int | None]:
    """`host`, `host:port`, `[address]:port` as a name in its one spelling and a port; None is no name."""
    head, bracket, tail = text.rpartition("]")
    host, colon, port = (head + bracket, *tail.partition(":")[1:]) if bracket else text.partition(":")
    if bracket and tail.partition(":")[0]:
        return None, None
    if not colon:
        return normal_name(host), default
    if not re.fullmatch(r"[0-9]{1,5}", port) or not 0 < int(port) < 65536:
        return None, None
    return normal_name(host), int(port)


def normal_name(host: str) -> str | None:
    """A host's one spelling; None for what is no name and no address in its usual form.

    Forms such as 0x7f.1 or 2130706433, which some resolvers take for addresses, are none.
    """
    address = as_address(host)
    if address is not None:
        return str(address)
    name = host.lower().removesuffix(".")
    usual = name.isascii() and len(name) <= _NAME_MOST and _NAME.fullmatch(name)
    return name if usual and not _NUMERIC.fullmatch(name) else None


def as_address(host: str) -> Address | None:
    """An address written as such, IPv6 with or without its brackets; no zone."""
    bare = host[1:-1] if host.startswith("[") and host.endswith("]") else host
    try:
        address = ipaddress.ip_address(bare)
    except ValueError:
        return None
    return None if isinstance(address, ipaddress.IPv6Address) and address.scope_id else address


_WRAPPING = [
    ipaddress.IPv6Network(text)
    for text in ("64:ff9b::/96", "64:ff9b:1::/48", "::/96", "2002::/16", "2001::/32")
]
"""IPv6 addresses that lead to an IPv4 address inside them."""


def is_public(text: str) -> bool:
    """Whether an address is of the open Internet, not of this machine or its neighbours."""
    address = ipaddress.ip_address(text.partition("%")[0])
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return is_public(str(address.ipv4_mapped))
        if any(address in network for network in _WRAPPING):
            return False
    return address.is_global and not address.is_multicast
