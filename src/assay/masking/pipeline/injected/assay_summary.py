"""A few numbers by which two values can be compared, whatever they are; the probe uses it in the sandbox."""

import array
import collections
import itertools
import sys
import types
from typing import TYPE_CHECKING, Any, List, Set

if TYPE_CHECKING:
    from assay.masking.pipeline.injected import assay_tensor as tensors
else:
    try:
        import assay_tensor as tensors
    except ImportError:
        # The harness itself compares summaries, and takes this module by its full name.
        from assay.masking.pipeline.injected import assay_tensor as tensors

Summary = List[Any]
"""Checksum of the form, sum of magnitudes, weighted sum, count of numbers."""

LEAVES = 4000
"""So many numbers of one value are looked at; of arrays far more."""
VISITS = 3 * LEAVES
"""So many parts of one value, numbers or not: a namespace may lead to all that a program holds."""
ARRAY_ELEMENTS = 200_000
CLOSE = 1e-6
"""Values whose sums differ by less than this share are the same."""


def summarise(value: Any) -> Summary:
    """A few numbers by which two values can be compared, the same for values that differ by rounding."""
    summary = _Summary()
    summary.add(value, 0)
    return [summary.form, summary.size, summary.weighted, summary.count]


def alike(first: List[Summary], second: List[Summary]) -> bool:
    """Whether the values behind two lists of summaries are the same but for rounding."""
    if len(first) != len(second):
        return False
    for (form, size, weighted, count), (form_, size_, weighted_, count_) in zip(first, second):
        if form != form_ or count != count_:
            return False
        allowed = CLOSE * max(size, size_)
        if abs(size - size_) > allowed or abs(weighted - weighted_) > allowed:
            return False
    return True


class _Summary:
    def __init__(self) -> None:
        self.form = 0
        self.size = 0.0
        self.weighted = 0.0
        self.count = 0
        self.visits = 0
        self.seen: Set[int] = set()

    def shape(self, text: str) -> None:
        for letter in text[:200].encode(errors="replace"):
            self.form = (self.form * 31 + letter) & 0xFFFFFFFF

    def number(self, value: float) -> None:
        self.count += 1
        if value != value or value in (float("inf"), float("-inf")):
            self.shape(str(value))
            return
        self.size += abs(value)
        self.weighted += value * ((self.count * 40503 & 0xFFFF) / 65536 + 0.5)

    def add(self, value: Any, depth: int) -> None:
        self.visits += 1
        if self.count > LEAVES or self.visits > VISITS or depth > 8:
            return
        if value is None or isinstance(value, (str, bytes)):
            self.shape(repr(value))
        elif isinstance(value, (bool, int, float)):
            try:
                self.number(float(value))
            except OverflowError:
                self.shape(str(value))
        elif isinstance(value, complex):
            self.number(value.real)
            self.number(value.imag)
        elif tensors.is_tensor(value):
            self.tensor(value)
        elif hasattr(value, "__array__") and "numpy" in sys.modules:
            self.array(value)
        elif id(value) not in self.seen:
            self.seen.add(id(value))
            self.parts(value, depth)

    def parts(self, value: Any, depth: int) -> None:
        """The inside of containers and objects."""
        self.shape(type(value).__name__)
        if isinstance(value, dict):
            for key, inner in list(value.items()):
                self.shape(str(key) if isinstance(key, (str, int, float)) else type(key).__name__)
                self.add(inner, depth + 1)
        elif isinstance(value, (list, tuple, array.array, collections.deque)):
            self.shape(str(len(value)))
            for inner in itertools.islice(value, VISITS):
                self.add(inner, depth + 1)
            if getattr(value, "__dict__", None):
                self.attributes(value, depth)
        elif isinstance(value, (set, frozenset)):
            for inner in sorted(value, key=repr):
                self.add(inner, depth + 1)
        elif isinstance(value, (type, types.ModuleType)) or callable(value):
            self.shape(getattr(value, "__name__", ""))
        else:
            self.attributes(value, depth)

    def attributes(self, value: Any, depth: int) -> None:
        names = dict.fromkeys(getattr(value, "__dict__", ()))
        for kind in type(value).__mro__:
            slots = kind.__dict__.get("__slots__", ())
            names.update(dict.fromkeys((slots,) if isinstance(slots, str) else slots))
        # Which attribute was set first says nothing: two assignments may change places.
        for name in sorted(map(str, names)):
            if not name.startswith("__"):
                self.shape(name)
                self.add(getattr(value, name, None), depth + 1)

    def tensor(self, value: Any) -> None:
        """An array of another library, whatever it needs to show its numbers."""
        try:
            tensors.note_precision(value)
            shape, numbers = tensors.numbers_of(value, ARRAY_ELEMENTS if "numpy" in sys.modules else LEAVES)
        except Exception:
            self.shape(type(value).__name__)
            return
        if "numpy" in sys.modules:
            numbers = sys.modules["numpy"].asarray(numbers)
        if shape == ():
            # One number, as Python's own would be: it says nothing else to whoever computes with it.
            self.number(float(numbers[0]))
            return
        self.shape(str(shape))
        if "numpy" in sys.modules:
            self.array(numbers)
            return
        for number in numbers:
            self.add(number, 8)

    def array(self, value: Any) -> None:
        """Anything that numpy can read: arrays, tensors, tables."""
        numpy = sys.modules["numpy"]
        try:
            flat = numpy.asarray(value)
            tensors.note_precision(flat)
            if not flat.shape and flat.dtype.kind in "biuf":
                # One number, as Python's own would be: it says nothing else to whoever computes with it.
                self.number(float(flat))
                return
            self.shape(str(flat.shape))
            flat = flat.reshape(-1)[:: max(1, flat.size // ARRAY_ELEMENTS)]
            if flat.dtype.kind == "c":
                flat = numpy.concatenate([flat.real, flat.imag])
            flat = flat.astype(float)
        except Exception:
            self.shape(type(value).__name__)
            return
        is_finite = numpy.isfinite(flat)
        if not is_finite.all():
            self.shape(str(int((~is_finite).sum())))
            flat = numpy.where(is_finite, flat, 0.0)
        places = numpy.arange(self.count + 1, self.count + 1 + flat.size, dtype="int64")
        self.size += float(numpy.abs(flat).sum())
        self.weighted += float(flat @ ((places * 40503 & 0xFFFF) / 65536 + 0.5))
        # The elements of an array do not count against the leaves, which are slow to look at.
        self.count += min(int(flat.size), 2)
