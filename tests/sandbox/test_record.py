"""The record of an attempt is bounded, and says where it is not whole."""

from __future__ import annotations

from assay.sandbox.session.command_record import LONGEST, MOST_ENTRIES, ROOM, SHORT, Record


def test_ordinary_texts_are_whole() -> None:
    record = Record()
    place = record.command(["sh", "-c", "echo a b"], "input")
    record.came_back(place, "output \ud800", 0)
    record.written("file", b"\x00\xff")
    first, second = record.end()
    assert first.words == b"sh -c 'echo a b'"
    assert (first.given, first.output, first.returncode) == (b"input", b"output \\ud800", 0)
    assert (second.do, second.words, second.given) == ("write", b"file", b"\x00\xff")
    assert record.left_out == 0


def test_a_long_output_loses_its_middle_and_says_so() -> None:
    record = Record()
    record.came_back(record.command(["yes"], None), "a" * LONGEST["output"] + "b" * LONGEST["output"], 0)
    (entry,) = record.end()
    assert entry.output.startswith(b"aaa")
    assert entry.output.endswith(b"bbb")
    assert b"bytes are left out here" in entry.output
    assert len(entry.output) < LONGEST["output"] + 100
    assert record.left_out == 0, "outputs are shown in part and that is no alarm"


def test_much_output_leaves_every_command_whole() -> None:
    record = Record()
    for number in range(ROOM["output"] // LONGEST["output"] + 20):
        record.came_back(record.command(["echo", str(number)], None), "x" * LONGEST["output"], 0)
    entries = record.end()
    assert [entry.words for entry in entries] == [f"echo {number}".encode() for number in range(len(entries))]
    assert sum(len(entry.output) for entry in entries) < ROOM["output"] + 30 * (SHORT + 100)
    assert record.left_out == 20


def test_there_is_a_most_of_entries_and_nothing_after_the_end() -> None:
    record = Record()
    for _ in range(MOST_ENTRIES + 5):
        record.came_back(record.command(["true"], None), "", 0)
    assert len(record.end()) == MOST_ENTRIES
    assert record.left_out == 5
    assert record.command(["tar"], None) is None
    assert len(record.end()) == MOST_ENTRIES
