"""Links inside a workspace stand for what they lead to; no other link gives anything."""

from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st

from assay.workspace.links import linked_files

FILES = {"a.txt": b"a", "folder/b.txt": b"b", "folder/deep/c.txt": b"c"}
PLENTY = {"most_files": 100, "most_bytes": 1000}


def test_a_link_to_a_file_and_one_to_a_folder() -> None:
    links = {"one": "a.txt", "folder/up": "../a.txt", "whole": "/workspace/folder"}
    assert linked_files(links, FILES, **PLENTY) == {
        "one": b"a",
        "folder/up": b"a",
        "whole/b.txt": b"b",
        "whole/deep/c.txt": b"c",
    }


def test_a_chain_is_followed_and_a_circle_is_not() -> None:
    assert linked_files({"x": "y", "y": "a.txt"}, FILES, **PLENTY) == {"x": b"a", "y": b"a"}
    assert linked_files({"x": "y", "y": "x", "z": "z"}, FILES, **PLENTY) == {}


def test_nothing_outside_and_no_folder_into_itself() -> None:
    links = {
        "out": "../a.txt",
        "root": "/a.txt",
        "folder/self": ".",
        "folder/deep/all": "../..",
        "gone": "none",
    }
    assert linked_files(links, FILES, **PLENTY) == {}


def test_copies_stay_within_the_limits() -> None:
    large = {"a.bin": bytes(100)}
    links = {f"link-{number}": "a.bin" for number in range(50)}
    assert len(linked_files(links, large, most_files=100, most_bytes=1000)) == 10
    assert len(linked_files(links, large, most_files=7, most_bytes=10**6)) == 7


@given(st.dictionaries(st.sampled_from(["x", "y", "folder/z"]), st.text("./axyz", max_size=12)))
def test_only_contents_of_taken_files_come_out(links: dict[str, str]) -> None:
    assert set(linked_files(links, FILES, **PLENTY).values()) <= set(FILES.values())


def test_many_links_to_many_files_cost_no_more_than_they_give() -> None:
    files = {f"d/{number}": b"x" for number in range(5_000)}
    links = {f"l/{number}": "../d" if number % 2 else "../d/nothing" for number in range(50_000)}
    began = time.process_time()
    assert linked_files(links, files, most_files=10, most_bytes=10**6) == {}
    assert len(linked_files(links, files, most_files=10_000, most_bytes=10**6)) == 10_000
    assert time.process_time() - began < 20, "links times files would take minutes"
