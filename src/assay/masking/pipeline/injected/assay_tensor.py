"""Arrays of every library: how fine their numbers are, the numbers, and the same moved a little.

The probe uses it in the sandbox, under the task's own Python. A tensor is known by what it can do
(`__array__`, `__dlpack__`, `__array_namespace__`, `dtype`), so that torch, jax, cupy and the like need not be
named; torch alone has ways of its own, since its tensors carry gradients.
"""

import sys
from typing import Any, Callable, List

PART = 1e-7
FINE = 2
"""A number is moved by this many epsilons of its precision, or by one part in ten million if that is more."""
EPSILONS = {"float64": 2.0**-52, "float32": 2.0**-23, "float16": 2.0**-10, "bfloat16": 2.0**-7}
_COMPLEX = {"complex128": "float64", "complex64": "float32"}
_EXACT = ("bool", "int", "uint", "str", "bytes", "datetime", "timedelta")
_FRAMEWORKS = ("torch", "jax", "tensorflow", "cupy", "mlx", "paddle", "mxnet")

_coarsest_epsilon = [0.0]


def is_array(value: Any) -> bool:
    """Whether a value is NumPy's: an array or one number of its own types."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, (numpy.ndarray, numpy.generic))


def is_tensor(value: Any) -> bool:
    """Whether a value is an array of another library."""
    if isinstance(value, type) or is_array(value):
        return False
    if not any(hasattr(type(value), method) for method in ("__array__", "__dlpack__", "__array_namespace__")):
        return False
    try:
        return isinstance(value.shape, tuple) and bool(_kind(value))
    except Exception:
        return False


def _kind(value: Any) -> str:
    """The name of a value's precision or kind, as float32 or int64, in every library."""
    name = str(getattr(value.dtype, "name", value.dtype)).rpartition(".")[2]
    return _COMPLEX.get(name, name)


def epsilon_of(value: Any) -> float:
    """The distance from 1 to the next number in the value's precision; 0 where it holds no floats."""
    name = _kind(value)
    if name in EPSILONS:
        return EPSILONS[name]
    if name.startswith("float8"):
        return 0.125
    return EPSILONS["float64"] if name.startswith(("float", "complex")) else 0.0


def is_exact(value: Any) -> bool:
    """Whether it holds whole numbers, words or nothing: there is nothing to round in it."""
    return _kind(value).startswith(_EXACT) or 0 in tuple(value.shape)


def note_precision(value: Any) -> None:
    """Remember the coarsest precision that was met; half precisions are judged where they are moved."""
    epsilon = epsilon_of(value)
    if _coarsest_epsilon[0] < epsilon <= EPSILONS["float32"]:
        _coarsest_epsilon[0] = epsilon
    elif epsilon > EPSILONS["float32"]:
        _coarsest_epsilon[0] = max(_coarsest_epsilon[0], EPSILONS["float32"])


def run_epsilon() -> float:
    """The precision of the run: the coarsest met, and that in which a framework computes unless told."""
    return max(_coarsest_epsilon[0], *(_default(name) for name in _FRAMEWORKS))


def _default(name: str) -> float:
    module = sys.modules.get(name)
    if module is None:
        return 0.0
    try:
        if name == "torch":
            return min(EPSILONS["float32"], float(module.finfo(module.get_default_dtype()).eps))
        if name == "jax" and module.config.jax_enable_x64:
            return 0.0
    except Exception:
        pass
    return EPSILONS["float32"]


def numbers_of(value: Any, most: int) -> Any:
    """The shape of a tensor, and some of its numbers as a list or an array of NumPy."""
    flat = value.detach() if hasattr(value, "detach") else value
    shape = tuple(int(length) for length in flat.shape)
    size = 1
    for length in shape:
        size *= length
    flat = flat.reshape(-1)[:: max(1, size // most)]
    numpy = sys.modules.get("numpy")
    readers: List[Callable[[], Any]] = [lambda: flat.tolist()]
    if numpy is not None:
        # Memory of a GPU, and precisions that NumPy does not know, take a copy first.
        readers = [
            lambda: numpy.asarray(flat),
            lambda: flat.get(),
            lambda: numpy.asarray(flat.double().cpu()),
            *readers,
        ]
    for reader in readers:
        try:
            return shape, reader()
        except Exception:
            continue
    raise TypeError("its numbers cannot be read")


def moved(value: Any, sign: int) -> Any:
    """An array or tensor like this one, its floats moved up or down in turn; None where that cannot be."""
    epsilon = epsilon_of(value)
    part = max(PART, FINE * epsilon)
    if is_array(value):
        if not value.shape:
            return (
                value.dtype.type(value * (1 + sign * part))
                if not _is_0d(value)
                else _moved_array(value, part)
            )
        return _moved_array(value, part)
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor):
        return _moved_torch(torch, value, part)
    return _moved_other(value, part, sign)


def _is_0d(value: Any) -> bool:
    return isinstance(value, sys.modules["numpy"].ndarray)


def _moved_array(value: Any, part: float) -> Any:
    return (value * (1 + signs(value.shape) * part)).astype(value.dtype).view(type(value))


def signs(shape: Any) -> Any:
    """1 and -1 in the form of an array, the same every time."""
    numpy = sys.modules["numpy"]
    size = int(numpy.prod(shape, dtype="int64"))
    return numpy.where(numpy.arange(size).reshape(shape) * 40503 >> 7 & 1, 1.0, -1.0)


def _torch_factors(torch: Any, value: Any, part: float) -> Any:
    places = torch.arange(value.numel(), device=value.device)
    directions = (((places * 40503) >> 7) & 1) * 2 - 1
    # In double precision: 1 + part is 1 in the precision of the tensor itself, or nearly so.
    return (1 + directions.to(torch.float64) * part).reshape(value.shape)


def _moved_torch(torch: Any, value: Any, part: float) -> Any:
    with torch.no_grad():
        plain = value.detach()
        wide = plain.to(torch.complex128 if plain.is_complex() else torch.float64)
        new = (wide * _torch_factors(torch, plain, part)).to(plain.dtype)
        if value.requires_grad and value.is_leaf:
            # A parameter stays the same object: an optimiser may hold it.
            value.data.copy_(new)
            return value
    # The difference is a constant, so that gradients flow as they did.
    return value + (new - plain) if value.requires_grad else new


def _moved_other(value: Any, part: float, sign: int) -> Any:
    """By elements where the library takes NumPy's factors, else all of it in one direction."""
    movers: List[Callable[[], Any]] = [lambda: value * (1 + sign * part)]
    if "numpy" in sys.modules:
        factors = 1 + signs(tuple(value.shape)) * part
        movers.insert(0, lambda: value * factors.astype(str(value.dtype).rpartition(".")[2]))
        if hasattr(value, "__array_namespace__"):
            movers.insert(0, lambda: value * value.__array_namespace__().asarray(factors, dtype=value.dtype))
    for mover in movers:
        try:
            new = mover()
            if type(new) is type(value) and tuple(new.shape) == tuple(value.shape):
                return new
        except Exception:
            continue
    return None


def move_in_place(value: Any, sign: int) -> bool:
    """An array's own floats, where they can be written; whether they were."""
    try:
        new = moved(value, sign)
        if new is None:
            return False
        if hasattr(value, "requires_grad"):
            value.data.copy_(new)
        else:
            value[...] = new
    except Exception:
        return False
    return True
