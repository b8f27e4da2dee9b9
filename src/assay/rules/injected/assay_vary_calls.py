"""Makes fresh calls from recorded ones, in a sandbox with the solution.

First the arguments change, one or two at a time, or come from different calls. A function without other
arguments than its own object gets the object of another call, and at last an object in another state.
"""

import base64
import json
import pickle
import random
import reprlib
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, List, Tuple

if TYPE_CHECKING:
    from assay.rules.injected.assay_call_pickles import pickled, unpickled
    from assay.rules.injected.assay_vary_values import Varier
else:
    from assay_call_pickles import pickled, unpickled
    from assay_vary_values import Varier

HERE = Path(__file__).resolve().parent
FRESH = (80, 40)
"""Calls with changed arguments, and calls with changed objects."""
TRIES = 6
"""So many times more calls are tried: not all can be pickled, and some are made twice."""
MOST_BYTES = 3000000
"""Bytes of the fresh calls of one function."""
BOUND = ("method", "attribute", "class")

Call = Dict[str, List[Tuple[str, Any]]]


class CallMaker:
    """Recorded calls of one function, and new ones."""

    def __init__(self, kind: str, recorded: List[bytes], seed: int) -> None:
        self.kind, self.random = kind, random.Random(seed)
        self.varier = Varier(seed)
        self.recorded: List[bytes] = []
        self.calls: List[Call] = []
        self.unkept = ""
        """Why a call could not be read again."""
        for data in recorded:
            try:
                call = unpickled(data)
            except Exception as error:
                self.unkept = "%s: %s" % (type(error).__name__, error)
                continue
            self.recorded.append(data)
            self.calls.append(call)
            for name, value in [*call["positional"], *call["named"]]:
                self.varier.observe(_place(name), value)

    def fresh(self, stage: int) -> List[Tuple[int, bytes]]:
        """Fresh calls with the number of the recorded call from which each was made."""
        bases: Dict[bytes, int] = {}
        size = 0
        for number in range(TRIES * FRESH[stage]):
            if not self.recorded or len(bases) >= FRESH[stage] or size > MOST_BYTES:
                break
            base = number % len(self.recorded)
            try:
                data = pickled(self.made(base, stage))
            except Exception:
                continue
            if data not in bases and data not in self.recorded:
                bases[data] = base
                size += len(data)
        return [(base, data) for data, base in bases.items()]

    def made(self, base: int, stage: int) -> Call:
        """A call like this one, with one or two other arguments."""
        call: Call = unpickled(self.recorded[base])
        slots = [(part, number) for part in ("positional", "named") for number in range(len(call[part]))]
        if stage:
            slots = [(part, number) for part, number in slots if _has_state(call[part][number][1])]
        elif self.kind in BOUND:
            slots = slots[1:]
        for part, number in self.random.sample(slots, min(len(slots), self.random.choice([1, 1, 2]))):
            name, value = call[part][number]
            call[part][number] = (name, self.another(name, value, stage))
        options = self.random.choice(self.calls)["named"]
        if not stage and options and self.random.random() < 0.3:
            name, value = self.random.choice(options)
            call["named"] = [*(pair for pair in call["named"] if pair[0] != name), (name, value)]
        return call

    def another(self, name: str, value: Any, stage: int) -> Any:
        """Another value for one argument."""
        place = _place(name)
        observed = self.varier.pools[place].like(value)
        if stage and len(observed) > 1 and self.random.random() < 0.5:
            return self.random.choice(observed)
        if not stage and self.random.random() < 0.2:
            return self.random.choice(observed)
        return self.varier.varied(place, value, inside=bool(stage))


def _has_state(value: Any) -> bool:
    is_plain = type(value).__module__ in ("builtins", "collections", "numpy")
    return not is_plain and not isinstance(value, type) and not callable(value)


def _place(name: str) -> str:
    return "*" if name.startswith("*") else name


def shown(call: Call) -> str:
    """The arguments of a call for people."""
    short = reprlib.Repr()
    short.maxstring = short.maxother = 60
    try:
        return ", ".join(short.repr(value) for part in ("positional", "named") for _, value in call[part])[
            :200
        ]
    except Exception:
        return ""


def main() -> None:
    """Read the recorded calls, and write them with the fresh ones."""
    recorded = pickle.loads((HERE / "recorded.pickle").read_bytes())
    seed = json.loads((HERE / "request.json").read_text())["seed"]
    sys.path[:] = [str(Path(path).absolute()) for path in recorded["paths"]]
    entries: List[Dict[str, Any]] = []

    def add(function: int, base: Any, stage: int, data: bytes) -> int:
        text = base64.b64encode(data).decode()
        call = {"id": len(entries), "function": function, "base": base, "stage": stage, "call": text}
        entries.append({**call, "shown": shown(unpickled(data))})
        return len(entries) - 1

    for number, function in enumerate(recorded["functions"]):
        calls = function.pop("calls")
        try:
            maker = CallMaker(function["kind"], calls, seed + number)
            function["unkept"] = function["unkept"] or maker.unkept
            numbers = [add(number, None, 0, data) for data in maker.recorded]
            for stage in (0, 1):
                for base, data in maker.fresh(stage):
                    add(number, numbers[base], stage, data)
        except Exception:
            function["unkept"] = traceback.format_exc().strip().splitlines()[-1]
    report = {"paths": recorded["paths"], "functions": recorded["functions"], "calls": entries}
    (HERE / "calls.json").write_text(json.dumps(report))


if __name__ == "__main__":
    main()
