"""The record of an attempt is bounded, and says where it is not whole."""

from __future__ import annotations

from assay.sandbox.session.command_record import (
    MAX_ENTRIES,
    MAX_TEXT_BYTES,
    MAX_TOTAL_BYTES,
    SHORT_TEXT_BYTES,
    CommandRecord,
)


def test_ordinary_texts_are_whole() -> None:
    record = CommandRecord()
    place = record.add_command(["sh", "-c", "echo a b"], "input")
    record.add_output(place, "output \ud800", 0)
    record.add_written_file("file", b"\x00\xff")
    first, second = record.end()
    assert first.words == b"sh -c 'echo a b'"
    assert (first.input, first.output, first.returncode) == (b"input", b"output \\ud800", 0)
    assert (second.do, second.words, second.input) == ("write", b"file", b"\x00\xff")
    assert record.left_out_count == 0


def test_a_long_output_loses_its_middle_and_says_so() -> None:
    record = CommandRecord()
    record.add_output(
        record.add_command(["yes"], None), "a" * MAX_TEXT_BYTES["output"] + "b" * MAX_TEXT_BYTES["output"], 0
    )
    (entry,) = record.end()
    assert entry.output.startswith(b"aaa")
    assert entry.output.endswith(b"bbb")
    assert b"bytes are left out here" in entry.output
    assert len(entry.output) < MAX_TEXT_BYTES["output"] + 100
    assert record.left_out_count == 0, "outputs are shown in part and that is no alarm"


def test_much_output_leaves_every_command_whole() -> None:
    record = CommandRecord()
    for number in range(MAX_TOTAL_BYTES["output"] // MAX_TEXT_BYTES["output"] + 20):
        record.add_output(record.add_command(["echo", str(number)], None), "x" * MAX_TEXT_BYTES["output"], 0)
    entries = record.end()
    assert [entry.words for entry in entries] == [f"echo {number}".encode() for number in range(len(entries))]
    assert sum(len(entry.output) for entry in entries) < MAX_TOTAL_BYTES["output"] + 30 * (
        SHORT_TEXT_BYTES + 100
    )
    assert record.left_out_count == 20


def test_there_is_a_most_of_entries_and_nothing_after_the_end() -> None:
    record = CommandRecord()
    for _ in range(MAX_ENTRIES + 5):
        record.add_output(record.add_command(["true"], None), "", 0)
    assert len(record.end()) == MAX_ENTRIES
    assert record.left_out_count == 5
    assert record.add_command(["tar"], None) is None
    assert len(record.end()) == MAX_ENTRIES
