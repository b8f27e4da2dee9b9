"""The agent's files show nothing of the experiment: no copy of it and no result, in any form."""

from __future__ import annotations

import base64
import gzip
import io
import json
import zipfile
import zlib
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.curation.drafting.result_numbers import ResultRow
from assay.curation.drafting.workspace_files import given_files

EXPERIMENT = """import json
from lib import sampled_means
settings = {"rounds": 40, "sample_size": 250, "seed": 7}
means = sampled_means(settings["rounds"], settings["sample_size"], settings["seed"])
ratio = sum(mean > 0.5 for mean in means) / len(means)
spread = max(means) - min(means)
json.dump({"ratio": ratio, "spread": spread}, open("out.json", "w"))
"""


def test_copies_of_the_experiment_in_files_of_any_kind_are_taken_out() -> None:
    copy = EXPERIMENT.encode()
    files = {
        "exp.py": copy,
        "lib.py": b"def sampled_means(rounds, sample_size, seed):\n    return [0.5] * rounds\n",
        "archive/exp_v1.py": copy,
        "docs/walkthrough.md": f"# How it runs\n\n```python\n{EXPERIMENT}```\n".encode(),
        "exp.py.orig": copy,
        "scripts/run_again": b"#!/usr/bin/env python\n" + copy,
        "README.md": b"Run exp.py. It samples means and prints their ratio and spread.\n",
    }
    kept, removed, leaks = given_files(files, ["exp.py"], ["out.json"], ["exp.py", "lib.py"], [], [], ())
    assert sorted(kept) == ["README.md", "lib.py"]
    assert {each.path for each in removed} == set(files) - set(kept)
    assert leaks == []
    _, _, leaks = given_files(files, ["exp.py"], [], ["exp.py", "exp.py.orig"], [], [], ())
    assert leaks == ["exp.py.orig, which the run opens, has 100% of the lines of exp.py"]


def test_data_that_no_run_opens_are_taken_out_and_what_people_read_stays() -> None:
    given = dict.fromkeys(["data.csv", "old.npy", "notes.1", "LICENSE", "use.md", "a.yaml"], b"1, 2, 3\n")
    files = {"exp.py": EXPERIMENT.encode(), **given}
    kept, removed, leaks = given_files(files, ["exp.py"], [], ["exp.py", "data.csv"], [], [], ())
    assert sorted(kept) == ["LICENSE", "a.yaml", "data.csv", "use.md"]
    assert {entry.path for entry in removed} == {"exp.py", "old.npy", "notes.1"}
    assert leaks == []
    many = {**files, **{f"more/{number}.npy": b"" for number in range(2000)}}
    kept, _, _ = given_files(many, ["exp.py"], [], ["exp.py"], [], [], ())
    assert "old.npy" in kept, "nobody has seen which of so many files are opened"


def _zipped(name: str, data: bytes) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, data)
    return target.getvalue()


PACKED: dict[str, Callable[[str], bytes]] = {
    "2023.zip": lambda text: _zipped("old", text.encode()),
    "old.gz": lambda text: gzip.compress(text.encode()),
    "old.b64": lambda text: base64.encodebytes(text.encode()),
    "old.hex": lambda text: text.encode().hex().encode(),
    "old_utf16.txt": lambda text: text.encode("utf-16"),
    "zip_in_zip.bin": lambda text: _zipped("a.zip", _zipped("b", text.encode())),
    "notes.py": lambda text: f"OLD = {base64.b64encode(zlib.compress(text.encode()))!r}\n".encode(),
}


@pytest.mark.parametrize("name", PACKED)
def test_packed_copies_of_the_experiment_are_taken_out(name: str) -> None:
    pack = PACKED[name]
    library = "def sampled_means(rounds, size, seed):\n    return [0.5 * seed / size] * rounds\n" * 3
    files = {"exp.py": EXPERIMENT.encode(), f"a/{name}": pack(EXPERIMENT), f"b/{name}": pack(library)}
    kept, removed, leaks = given_files(files, ["exp.py"], [], [f"b/{name}"], [], [], ())
    assert list(kept) == [f"b/{name}"]
    assert [entry.path for entry in removed] == [f"a/{name}", "exp.py"]
    assert removed[0].reason.startswith("it has 100% of the lines of exp.py")
    assert leaks == []
    _, _, leaks = given_files(files, ["exp.py"], [], [f"a/{name}", f"b/{name}"], [], [], ())
    assert [leak.split(", in ")[0] for leak in leaks] == [
        f"a/{name}, which the run opens, has 100% of the lines of exp.py"
    ]


WITH_FUNCTION = """def average_error(estimate):
    errors = []
    for number in range(30):
        values = contaminated(200, 0.08, 7 + 1000 * number)
        errors.append(abs(estimate(values)) / (1.0 + 0.5 * number))
    largest = max(errors)
    return sum(errors) / len(errors) - 0.01 * largest
"""
RENAMED = (
    WITH_FUNCTION.replace("average_error", "run_all")
    .replace("errors", "results")
    .replace("estimate", "method")
    .replace("number", "k")
    .replace("values", "xs")
    .replace("largest", "top")
)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("old.py", f'{RENAMED}\nprint "error", run_all(median)\n'.encode()),
        ("old.zip", _zipped("run.py", RENAMED.encode())),
        ("notes.py", ("X = 1\n" + "".join(f"# {line}\n" for line in RENAMED.splitlines())).encode()),
        ("notes.json", json.dumps({"code": RENAMED}).encode()),
    ],
)
def test_near_copies_of_functions_of_the_experiment_are_taken_out_in_any_form(name: str, data: bytes) -> None:
    files = {"exp.py": WITH_FUNCTION.encode(), name: data, "lib.py": b"def f(x):\n    return x\n"}
    kept, removed, leaks = given_files(files, ["exp.py"], [], ["lib.py"], [], [], ())
    assert list(kept) == ["lib.py"]
    assert [entry.reason for entry in removed if entry.path == name] == [
        "it has a copy of average_error (100%)"
    ]
    assert leaks == []


ROWS = [
    ResultRow(frozenset({"plain"}), ("1.7658",)),
    ResultRow(frozenset({"trimmed"}), ("0.1563",)),
    ResultRow(frozenset({"median"}), ("0.1653",)),
]
VALUES = [1.765831247, 0.156312978, 0.165259918]
ON_ONE_LINE = {
    "2023.json": b'{"plain mean": 1.7658, "trimmed mean": 0.1563, "median": 0.1653}',
    "exact.json": b'{"plain mean": 1.765831247, "trimmed mean": 0.156312978, "median": 0.165259918}',
    "wide.csv": b"plain,trimmed,median\n1.7658,0.1563,0.1653\n",
    "one.yaml": b"errors: {plain: 1.7658, trimmed: 0.1563}\n",
    "page.html": b"<table><tr><td>plain</td><td>1.7658</td><td>trimmed</td><td>0.1563</td></tr></table>",
    "tests/check_paper.py": b"EXPECTED = {'plain': 1.7658, 'trimmed': 0.1563, 'median': 0.1653}\n",
    "log_utf16.txt": "1.7658\n0.1563\n0.1653".encode("utf-16"),
    "log.gz": gzip.compress(b"plain 1.7658\ntrimmed 0.1563\nmedian 0.1653\n"),
}


@pytest.mark.parametrize("name", ON_ONE_LINE)
def test_files_with_several_results_are_taken_out_even_on_one_line(name: str) -> None:
    files = {name: ON_ONE_LINE[name], "lib.py": b"CUT = 0.1563\nSIZES = [200, 30, 0.08]\n"}
    kept, removed, leaks = given_files(files, [], [], ["lib.py"], ROWS, VALUES, ())
    assert list(kept) == ["lib.py"]
    assert [entry.path for entry in removed] == [name]
    assert leaks == []
    _, _, leaks = given_files(files, [], [], ["lib.py", name], ROWS, VALUES, ())
    assert len(leaks) == (0 if name == "tests/check_paper.py" else 1), "constants that no code reads are cut"


LEFT_RESULTS = [
    "the plain mean has an error of 1,7658",
    "an error of 176.58%",
    "an error of 176.58 %",
    "an error of 177 percent",
    "176.58 | 42",
    "176,58 %",
    "1.7658e0",
    "17.658E-01",
    "1.7658 x 10^0",
    r"$17.658 \times 10^{-1}$",
    "1.76583",
    "1.765831247",
    "1.766",
    "1.77",
    "1.76580",
    "![1.77 for plain](figures/plain.png)",
    "0.156",
    "15.63%",
    "plain: 1.8, 1.77",
]
OTHER_NUMBERS = [
    "1.8 or 1.7",
    "177 pages",
    "1.7659 and 1.7657 and 1.7668",
    "version 1.7658.2",
    "2026-11-19, 17:06:58, 8.8.8.8",
    "1e999999999 and 9" + "0" * 500,
    "0.16, 0.17",
]


@pytest.mark.parametrize("line", LEFT_RESULTS)
def test_results_left_in_other_forms_are_taken_out_of_documents(line: str) -> None:
    text = f"# Notes\n\nHow to run it: python run.py\n\n{line}\n"
    kept, removed, _ = given_files({"NOTES.md": text.encode()}, [], [], [], ROWS, VALUES, ())
    assert [entry.lines for entry in removed] == [[5]]
    assert line not in kept["NOTES.md"].decode()


@pytest.mark.parametrize("line", OTHER_NUMBERS)
def test_numbers_that_are_no_results_stay_in_documents(line: str) -> None:
    files = {"NOTES.md": f"# Notes\n\n{line}\n".encode()}
    assert given_files(files, [], [], [], ROWS, VALUES, ())[0] == files


def test_large_results_are_found_with_every_separator_of_thousands() -> None:
    rows = [ResultRow(frozenset({"steps"}), ("12,345.6",))]
    for written in ("12345.6", "12,345.6", "12 345.6", "12'345.6", "12_345.6", "12.345,6", "12\u202f345.6"):
        files = {"NOTES.md": f"It took {written} s\nin all\n".encode()}
        kept, _, _ = given_files(files, [], [], [], rows, [12345.6], ())
        assert kept["NOTES.md"] == b"in all\n", written


def test_data_in_other_forms_are_taken_out_and_settings_stay() -> None:
    files = {
        "old.csv": b"plain;trimmed;median\n1,7658;0,1563;0,1653\n",
        "old.json": b'{"plain": "176.58%", "trimmed": "15.63%"}',
        "lib.py": b"CUT = 0.156\nSIZES = [200, 30, 0.08]\nRATE = 0.165\n",
    }
    kept, removed, leaks = given_files(files, [], [], ["lib.py"], ROWS, VALUES, ())
    assert list(kept) == ["lib.py"]
    assert {entry.path for entry in removed} == {"old.csv", "old.json"}
    assert leaks == []


@given(
    st.builds(
        lambda digits, power: float(f"{digits}e{power}"),
        st.integers(1_000, 9_999).filter(lambda digits: digits % 10),
        st.integers(-9, -1),
    ),
    st.sampled_from(["{:.4g}", "{:.3e}", "{!r}", "{:,}", "{:_}"]),
    st.sampled_from(["", "%", " percent"]),
)
def test_a_result_of_four_digits_is_found_however_it_is_written(
    value: float, form: str, percent: str
) -> None:
    written = form.format(float(f"{100 * value:.7g}") if percent else value) + percent
    rows = [ResultRow(frozenset({"row"}), (f"{value:.4g}",))]
    removed = given_files({"a.md": f"see {written}\n".encode()}, [], [], [], rows, [value], ())[1]
    assert [entry.lines for entry in removed] == [[1]]


def test_data_with_so_many_numbers_that_they_have_all_results_show_none() -> None:
    numbers = " ".join(f"{number / 10_000:.4f}" for number in range(20_000)).encode()
    files = {"data.json": numbers, "data.csv.gz": gzip.compress(numbers)}
    kept, removed, leaks = given_files(files, [], [], list(files), ROWS, VALUES, ())
    assert (list(kept), removed, leaks) == (list(files), [], [])


def test_an_archive_that_cannot_be_searched_is_taken_out_or_named() -> None:
    files = {"old.7z": b"7z\xbc\xaf\x27\x1c" + b"\0" * 40}
    kept, removed, leaks = given_files(files, [], [], [], [], [], ())
    assert (kept, leaks) == ({}, [])
    assert removed[0].reason == "it cannot be searched: it is a 7z archive, which Assay cannot open"
    _, _, leaks = given_files(files, [], [], ["old.7z"], [], [], ())
    assert leaks == [
        "old.7z, which the run opens, cannot be searched: it is a 7z archive, which Assay cannot open"
    ]
