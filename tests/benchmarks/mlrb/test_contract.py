"""What a model folder may hold, told from its header and configuration."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.benchmarks.mlrb.trusted.contract import Limits, check
from assay.benchmarks.mlrb.trusted.headers import read_header
from assay.benchmarks.mlrb.trusted.verdicts import Refused
from tests.benchmarks.mlrb import tiny

LIMITS = Limits(parameters=40_000)
TWICE = b'{"a":1,"a":{"dtype":"F32","shape":[]}}'


def test_an_honest_folder_is_counted_from_its_header(tmp_path: Path) -> None:
    rule = check(tiny.save(tmp_path, tiny.tensors(0), "F16"), LIMITS)
    wanted = sum(each.size for each in tiny.tensors(0).values())
    assert rule["met"], rule["evidence"]
    assert rule["evidence"].startswith(f"{wanted} parameters of 40000 allowed, as F16")


def test_a_gpt2_is_allowed_too(tmp_path: Path) -> None:
    given = {
        "model_type": "gpt2",
        "vocab_size": 258,
        "n_embd": 32,
        "n_layer": 1,
        "n_head": 4,
        "n_positions": 64,
    }
    shapes = tiny.expected("gpt2", given)
    tiny.save(tmp_path, {name: np.zeros(shape) for name, shape in shapes.items()})
    (tmp_path / "config.json").write_text(json.dumps(given))
    assert check(tmp_path, LIMITS)["met"]


@pytest.mark.parametrize(
    ("change", "evidence"),
    [
        ({"extra.weight": np.ones(4)}, "not those that config.json describes"),
        ({"lm_head.weight": np.ones((258, 32))}, "not those that config.json describes"),
        ({"model.norm.weight": np.ones(33)}, "not those that config.json describes"),
    ],
)
def test_hidden_and_tied_tensors_are_refused(tmp_path: Path, change: dict[str, Any], evidence: str) -> None:
    rule = check(tiny.save(tmp_path, tiny.tensors(0) | change), LIMITS)
    assert not rule["met"]
    assert evidence in rule["evidence"]


@pytest.mark.parametrize(
    ("changes", "evidence"),
    [
        ({"auto_map": {"AutoModel": "evil.Model"}}, "auto_map"),
        ({"quantization_config": {"quant_method": "bitsandbytes"}}, "quantization_config"),
        ({"model_type": "custom"}, "model_type"),
        ({"num_hidden_layers": 10**9}, "num_hidden_layers"),
        ({"hidden_act": "os.system"}, "hidden_act"),
        ({"vocab_size": True}, "vocab_size"),
        ({"max_position_embeddings": 0}, "max_position_embeddings"),
        ({"rope_parameters": {"rope_type": "dynamic", "factor": 2.0}}, "rope_parameters"),
    ],
)
def test_configurations_that_bring_code_or_excess_are_refused(
    tmp_path: Path, changes: dict[str, Any], evidence: str
) -> None:
    rule = check(tiny.save(tmp_path, tiny.tensors(0), **changes), LIMITS)
    assert not rule["met"]
    assert evidence in rule["evidence"]


def test_too_many_parameters_other_dtypes_and_other_files_are_refused(tmp_path: Path) -> None:
    folder = tiny.save(tmp_path, tiny.tensors(0))
    assert "at most 1000" in check(folder, Limits(parameters=1000))["evidence"]
    assert "dtype F32" in check(folder, Limits(dtypes=("F16",)))["evidence"]
    (folder / "pytorch_model.bin").write_bytes(b"pickle")
    assert "no place in a model folder" in check(folder, LIMITS)["evidence"]


@pytest.mark.parametrize(
    ("data", "evidence"),
    [
        (tiny.pack(tiny.tensors(0), after=b"x" * 100), "100 bytes after its last tensor"),
        (tiny.pack(tiny.tensors(0), metadata={"notes": "weights in here"}), "metadata"),
        (tiny.pack(tiny.tensors(0), metadata={"format": "pt", "more": "x"}), "metadata"),
        (tiny.frame({"a": {"dtype": "F32", "shape": [2], "data_offsets": [4, 12]}}) + b"x" * 12, "no tensor"),
        (
            tiny.frame({
                "a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]},
                "b": {"dtype": "F32", "shape": [2], "data_offsets": [4, 12]},
            }) + b"x" * 12,
            "lies over the bytes of another",
        ),
        (
            tiny.frame({
                "a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]},
                "b": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]},
            }) + b"x" * 8,
            "lies over the bytes of another",
        ),
        (tiny.frame({"a": {"dtype": "F32", "shape": [3], "data_offsets": [0, 8]}}) + b"x" * 8, "fill its"),
        (tiny.frame({"a": {"dtype": "I4", "shape": [2], "data_offsets": [0, 8]}}) + b"x" * 8, "unknown"),
        (b"\xff" * 8, "no safetensors file"),
        (b"", "no safetensors file"),
        (struct.pack("<Q", len(TWICE)) + TWICE, "twice"),
        (b"\x10\x27\0\0\0\0\0\0{" + b" " * 9998 + b"}", "10000 bytes for 0 entries"),
    ],
)  # fmt: skip
def test_files_that_hide_something_are_refused(tmp_path: Path, data: bytes, evidence: str) -> None:
    (tmp_path / "model.safetensors").write_bytes(data)
    with pytest.raises(Refused, match=evidence):
        read_header(tmp_path / "model.safetensors")


@settings(max_examples=50, deadline=None)
@given(st.binary(max_size=200), st.integers(0, 60), st.integers(0, 255))
def test_no_bytes_break_the_reader(
    tmp_path_factory: pytest.TempPathFactory, tail: bytes, at: int, new: int
) -> None:
    path = tmp_path_factory.mktemp("bytes") / "model.safetensors"
    good = bytearray(tiny.pack({"a": np.ones(3)}))
    good[at] = new
    for data in (bytes(good), tail, bytes(good[:8]) + tail):
        path.write_bytes(data)
        try:
            found = read_header(path)
        except Refused:
            continue
        assert sum(each.end - each.begin for each in found.values()) <= len(data)
