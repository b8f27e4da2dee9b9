"""Reads an .npz of plain arrays that may be hostile: nothing is unpickled, and no size is believed before it is seen."""

import io
import math
import zipfile
from pathlib import Path

import numpy as np


class Refused(Exception):
    """The file is not what was asked for."""


def read_arrays(path: Path, most_bytes: int) -> dict[str, np.ndarray]:
    """Name → array, of bool, integer and float kinds only; the file and what it unpacks to stay below `most_bytes`."""
    if path.is_symlink() or not path.is_file():
        raise Refused(f"{path.name} is not there as a plain file")
    if path.stat().st_size > most_bytes:
        raise Refused(f"{path.name} has {path.stat().st_size} bytes, at most {most_bytes} may be")
    try:
        with zipfile.ZipFile(path) as archive:
            return _unpack(archive, most_bytes)
    except Refused:
        raise
    # zipfile and numpy raise many kinds of errors on damaged input; whichever it is, the file cannot be read.
    except Exception as error:
        raise Refused(f"{path.name} cannot be read: {type(error).__name__}: {str(error)[:200]}") from None


def _unpack(archive: zipfile.ZipFile, most_bytes: int) -> dict[str, np.ndarray]:
    members = archive.infolist()
    if not members or len(members) > 64 or len({member.filename for member in members}) != len(members):
        raise Refused(f"{len(members)} arrays, expected 1 to 64 of different names")
    if sum(member.file_size for member in members) > most_bytes:
        raise Refused(f"unpacks to more than {most_bytes} bytes")
    found = {}
    for member in members:
        if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise Refused(f"{member.filename!r} is packed in an unusual way")
        with archive.open(member) as stream:
            data = stream.read(most_bytes + 1)
        found[member.filename.removesuffix(".npy")] = _array(member.filename, data)
    return found


def _array(name: str, data: bytes) -> np.ndarray:
    stream = io.BytesIO(data)
    version = np.lib.format.read_magic(stream)
    read_header = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }.get(version)
    if read_header is None:
        raise Refused(f"{name!r} has version {version}")
    shape, by_columns, dtype = read_header(stream)
    if dtype.kind not in "biuf" or dtype.hasobject:
        raise Refused(f"{name!r} holds {dtype}, expected plain numbers (pickled objects are not read)")
    body = data[stream.tell() :]
    if len(shape) > 8 or any(side < 0 for side in shape) or math.prod(shape) * dtype.itemsize != len(body):
        raise Refused(f"{name!r} says shape {str(shape)[:80]} of {dtype}, which its {len(body)} bytes are not")
    return np.frombuffer(body, dtype=dtype).reshape(shape, order="F" if by_columns else "C")
