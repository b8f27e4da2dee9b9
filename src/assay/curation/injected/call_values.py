"""Values of calls as plain JSON: numbers, texts, lists, arrays, and objects with fields.

Both sides of a call use this. Nothing that is decoded runs code: an object becomes one of a class that the
reader itself has, with the fields that were sent.
"""

import base64
from typing import Any, Dict

PLAIN = (bool, int, float, str)
ARRAY_KINDS = "biufc"


def encode(value: Any) -> Any:
    """Return a value as JSON can hold it; raise TypeError for functions, files and the like."""
    if value is None or type(value) in PLAIN:
        return value
    if type(value) is list:
        return [encode(part) for part in value]
    if type(value) in (tuple, set, frozenset):
        return {"@": type(value).__name__, "parts": [encode(part) for part in value]}
    if type(value) is dict:
        return {"@": "dict", "parts": [[encode(key), encode(part)] for key, part in value.items()]}
    if type(value) is bytes:
        return {"@": "bytes", "text": base64.b64encode(value).decode()}
    if type(value).__module__ == "numpy" and hasattr(value, "dtype") and value.dtype.kind in ARRAY_KINDS:
        data = base64.b64encode(value.tobytes()).decode()
        shape = list(value.shape) if type(value).__name__ == "ndarray" else None
        return {"@": "array", "type": value.dtype.str, "shape": shape, "data": data}
    if hasattr(value, "__dict__") and not callable(value):
        return {"@": "object", "class": type(value).__name__, "fields": encode(dict(vars(value)))}
    raise TypeError("a value of type %s cannot be passed on" % type(value).__name__)


def decode(value: Any, namespace: Dict[str, Any]) -> Any:
    """Return the value; `namespace` has the classes of objects. Raise ValueError if it has none."""
    if isinstance(value, list):
        return [decode(part, namespace) for part in value]
    if not isinstance(value, dict):
        return value
    kind = value.get("@")
    if kind in ("tuple", "set", "frozenset"):
        parts = [decode(part, namespace) for part in value["parts"]]
        return {"tuple": tuple, "set": set, "frozenset": frozenset}[kind](parts)
    if kind == "dict":
        return {decode(key, namespace): decode(part, namespace) for key, part in value["parts"]}
    if kind == "bytes":
        return base64.b64decode(value["text"])
    if kind == "array":
        return decode_array(value)
    known_class = namespace.get(str(value.get("class")))
    if kind != "object" or not isinstance(known_class, type):
        raise ValueError("an answer has a value of an unknown kind: %s" % str(value)[:80])
    restored: Any = object.__new__(known_class)
    for name, part in decode(value["fields"], namespace).items():
        object.__setattr__(restored, name, part)
    return restored


def decode_array(value: Dict[str, Any]) -> Any:
    """Return an array of numbers, or one number of numpy."""
    import numpy

    kind = numpy.dtype(value["type"])
    if kind.kind not in ARRAY_KINDS:
        raise ValueError("an array has elements of type %s, expected numbers" % kind)
    flat = numpy.frombuffer(base64.b64decode(value["data"]), dtype=kind).copy()
    return flat[0] if value["shape"] is None else flat.reshape(value["shape"])
