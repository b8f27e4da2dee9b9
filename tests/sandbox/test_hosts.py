"""Which hosts an entry names, in every spelling."""

from __future__ import annotations

import ipaddress
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.sandbox.proxy.allowed_hosts import is_public, normal_name, parse_allowed, split_authority

label = st.from_regex(r"[a-z]([a-z0-9-]{0,10}[a-z0-9])?", fullmatch=True)
name = st.lists(label, min_size=1, max_size=4).map(".".join)
port = st.integers(1, 65535)


@given(name, port)
def test_case_and_a_last_dot_make_no_difference(host: str, number: int) -> None:
    for spelled in (host, host.upper(), f"{host}.", f"{host.title()}."):
        assert split_authority(f"{spelled}:{number}", None) == (host, number)
        assert split_authority(spelled, 80) == (host, 80)


@given(name, name, port)
def test_an_entry_names_its_own_host_and_no_other(host: str, other: str, number: int) -> None:
    allowed = parse_allowed([host])
    assert allowed.admits(other, number, 443) == (other == host and number == 443)
    below = parse_allowed([f"*.{host}:8443"])
    assert below.admits(f"{other}.{host}", 8443, 443)
    assert not below.admits(f"{other}.{host}", 443, 443)
    assert not below.admits(host, 8443, 443)
    assert not below.admits(f"{other}{host}", 8443, 443) or "." in other


@given(st.text(max_size=30))
def test_no_text_breaks_it_and_what_it_gives_is_stable(text: str) -> None:
    found, number = split_authority(text, 80)
    if found is not None:
        assert normal_name(found) == found
        assert number is not None
        assert set(found) <= set(string.ascii_lowercase + string.digits + "-._:")


@given(st.integers(0, 2**32 - 1))
def test_an_address_has_one_spelling(number: int) -> None:
    plain = str(ipaddress.IPv4Address(number))
    assert normal_name(plain) == plain
    for odd in (
        str(number),
        hex(number),
        ".".join(f"0{int(each):o}" for each in plain.split(".")),
        f"{plain}.",
    ):
        assert normal_name(odd) in (None, plain)
    assert normal_name(str(number)) is None
    assert is_public(plain) == is_public(f"::ffff:{plain}")


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "10.1.2.3", "192.168.0.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1"),
        *("255.255.255.255", "::1", "::", "fe80::1", "fe80::1%eth0", "fd00::1", "ff02::1", "::ffff:10.0.0.1"),
        *("64:ff9b::7f00:1", "64:ff9b:1::1", "2002:7f00:1::", "2001:0:53aa::1", "::127.0.0.1"),
    ],
)
def test_what_leads_home_is_not_public(address: str) -> None:
    assert not is_public(address)


def test_what_leads_out_is() -> None:
    assert all(map(is_public, ["8.8.8.8", "2606:4700::1111", "::ffff:8.8.8.8"]))
