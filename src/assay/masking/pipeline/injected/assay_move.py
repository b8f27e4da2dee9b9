"""A function's outputs moved by one part in ten million: what it returns, and what it changes in place.

Arrays and tensors of coarser precision are moved by two of their epsilons. The probe uses it in the sandbox.
Attributes, elements and entries of an argument that a call left with other numbers are moved where they
stand, so that whoever else holds the argument sees it too.
"""

import functools
import inspect
import time
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Tuple

if TYPE_CHECKING:
    from assay.masking.pipeline.injected import assay_tensor as tensors
    from assay.masking.pipeline.injected.assay_summary import Summary, summarise
else:
    import assay_tensor as tensors
    from assay_summary import Summary, summarise

Function = Callable[..., Any]

SHARE = 0.5
"""Looking at arguments may take this share of the time that has gone by; calls beyond it are left alone."""
DEPTH = 4
PARTS = 1000
"""An argument with more parts than this is looked at as a whole."""

_started = time.process_time()
moved_floats: Dict[str, List[float]] = {}
"""Function → of its outputs in all calls: floats moved (an array counts as one), values exact by their kind,
values that could not be moved, and the coarsest epsilon of what was moved."""


def perturb(name: str) -> Callable[[Function], Function]:
    """Move every float that a function returns, up or down in turn."""
    return functools.partial(_moving, name, False)


def perturb_all(name: str) -> Callable[[Function], Function]:
    """Move also every float that a function leaves changed in its arguments, which takes longer."""
    return functools.partial(_moving, name, True)


def _moving(name: str, in_place: bool, function: Function) -> Function:
    total = moved_floats.setdefault(name, [0, 0, 0, 0.0])
    calls, spent = 0, 0.0

    @functools.wraps(function)
    def moved(*positional: Any, **named: Any) -> Any:
        nonlocal calls, spent
        calls += 1
        mover = Mover(calls)
        start_time = time.process_time()
        look = in_place and spent < 0.2 + SHARE * (start_time - _started - spent)
        arguments = [*positional, *named.values()] if look else []
        before = [_snapshot(input_value) for input_value in arguments]
        spent += time.process_time() - start_time
        result = function(*positional, **named)
        start_time = time.process_time()
        for argument, old in zip(arguments, before):
            mover.changed(argument, old)
        spent += time.process_time() - start_time
        if not any(result is input_value for input_value in arguments):
            result = mover.moved(result, calls, 0)
        total[:] = [
            total[0] + mover.count,
            total[1] + mover.exact,
            total[2] + mover.opaque,
            max(total[3], mover.epsilon),
        ]
        return result

    moved.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
    return moved


def _parts(value: Any) -> Dict[Any, Any]:
    """What can be put into a value piece by piece: attributes, elements, entries."""
    if isinstance(value, list) and len(value) <= PARTS:
        return dict(enumerate(value))
    if isinstance(value, dict) and len(value) <= PARTS:
        return value
    attributes = getattr(value, "__dict__", None)
    return (
        attributes
        if isinstance(attributes, dict) and not isinstance(value, type) and not callable(value)
        else {}
    )


def _snapshot(value: Any) -> Tuple[Summary, Dict[Any, Summary]]:
    """Summaries of a value and of its parts, taken before a call."""
    return summarise(value), {key: summarise(part) for key, part in _parts(value).items()}


class Mover:
    """Moves floats and counts them."""

    def __init__(self, place: int) -> None:
        self.place, self.count, self.exact, self.opaque = place, 0, 0, 0
        self.epsilon = 0.0

    def changed(self, value: Any, before: Tuple[Summary, Dict[Any, Summary]]) -> None:
        """Move, where it stands, what a call changed of an argument."""
        summary, parts = before
        if _is_block(value):
            if summarise(value) != summary:
                self.in_place(value)
            return
        for key, part in list(_parts(value).items()):
            if parts.get(key) != summarise(part):
                self.put(value, key, part)

    def put(self, holder: Any, key: Any, part: Any, depth: int = 0) -> None:
        """A part moved: in place if it can be, else put there new."""
        if _is_block(part) and getattr(part, "shape", ()) != () and self.in_place(part):
            return
        inner = {} if _is_block(part) or depth > DEPTH else _parts(part)
        if inner:
            for name, inner_part in list(inner.items()):
                self.put(part, name, inner_part, depth + 1)
            return
        new = self.moved(part, self.place + self.count, depth)
        if new is part:
            return
        if isinstance(holder, (list, dict)):
            holder[key] = new
        else:
            vars(holder)[key] = new

    def in_place(self, block: Any) -> bool:
        """The floats of an array or tensor, where they can be written."""
        if tensors.is_exact(block):
            self.exact += 1
            return True
        epsilon = tensors.epsilon_of(block)
        if not epsilon or not tensors.move_in_place(block, self._sign(self.place)):
            return False
        self._moved(epsilon)
        return True

    def moved(self, value: Any, place: int, depth: int) -> Any:
        """A value like this one, its floats moved."""
        if type(value) is float or isinstance(value, complex) or _is_own_float(value):
            self._moved(0.0)
            product: Any = value * (1 + self._sign(place) * tensors.PART)
            return type(value)(product)
        if isinstance(value, (bool, int, str, bytes)):
            self.exact += 1
            return value
        if _is_block(value):
            return self._moved_block(value, place)
        if depth > DEPTH:
            self.opaque += 1
            return value
        if isinstance(value, tuple):
            parts = [self.moved(part, place + number, depth + 1) for number, part in enumerate(value)]
            return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
        if type(value) is list:
            return [self.moved(part, place + number, depth + 1) for number, part in enumerate(value)]
        if type(value) is dict:
            pairs = enumerate(value.items())
            return {key: self.moved(part, place + position, depth + 1) for position, (key, part) in pairs}
        return self._moved_object(value, depth)

    def _moved_block(self, value: Any, place: int) -> Any:
        if tensors.is_exact(value):
            self.exact += 1
            return value
        epsilon = tensors.epsilon_of(value)
        try:
            new = tensors.moved(value, self._sign(place)) if epsilon else None
        except Exception:
            new = None
        if new is None:
            self.opaque += 1
            return value
        self._moved(epsilon)
        return new

    def _moved_object(self, value: Any, depth: int) -> Any:
        """An object's own numbers, where they stand: whoever gets it looks at them."""
        parts = _parts(value)
        for key, part in list(parts.items()):
            self.put(value, key, part, depth + 1)
        if not parts and value is not None:
            self.opaque += 1
        return value

    def _moved(self, epsilon: float) -> None:
        self.count += 1
        self.epsilon = max(self.epsilon, epsilon)

    @staticmethod
    def _sign(place: int) -> int:
        return 1 if (place * 40503 >> 7) & 1 else -1


def _is_block(value: Any) -> bool:
    return tensors.is_array(value) or tensors.is_tensor(value)


def _is_own_float(value: Any) -> bool:
    """Whether a value is a float of a kind that somebody made, not NumPy's."""
    return isinstance(value, float) and not tensors.is_array(value)
