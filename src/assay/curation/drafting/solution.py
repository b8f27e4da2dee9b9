"""The oracle's files: the experiment with its settings open, and a program that reads its numbers."""

from __future__ import annotations

import json
import pprint
from collections.abc import Collection, Mapping, Sequence
from importlib.resources import files as package_files

from assay.curation.drafting.model import DraftCommand, DraftMetric
from assay.curation.settings import ExperimentSetting, with_settings

_NAMES = ("experiment.py", "curated_experiment.py", "curated_experiment_main.py")
READER = "output_numbers.py"
REPRODUCE = "#!/bin/bash\nset -eu\npython {main}\n"
_READS_SETTINGS = b'path = _settings_os.environ.get("ASSAY_DATA")'
_INJECTED = package_files("assay.curation.injected")


def injected(name: str) -> str:
    """Return the text of a program that travels with a task."""
    return _INJECTED.joinpath(name).read_text(encoding="utf-8")


def main_program(scripts: Collection[str]) -> str:
    """Return a name for the program that runs the experiment, other than the names of its scripts."""
    return next(name for name in _NAMES if name not in scripts)


def experiment_program(
    commands: Sequence[DraftCommand],
    metrics: Sequence[DraftMetric],
    power: int,
    swapped: tuple[int, int] | None = None,
) -> bytes:
    """Return the program that runs the commands and writes results.json; two numbers may be swapped."""
    addresses = [metric.address for metric in metrics]
    if swapped is not None:
        first, second = swapped
        addresses[first], addresses[second] = addresses[second], addresses[first]
    numbers = [
        {
            "row": metric.row,
            "column": metric.column,
            "command": metric.command,
            "factor": metric.scale * 10.0**power,
            "address": address,
        }
        for metric, address in zip(metrics, addresses, strict=True)
    ]
    runs = [{"id": command.id, "folder": command.folder, "command": command.command} for command in commands]
    text = injected("experiment_template.py")
    text = text.replace('"@COMMANDS@"', pprint.pformat(runs, width=100, sort_dicts=False))
    return text.replace('"@NUMBERS@"', pprint.pformat(numbers, width=100, sort_dicts=False)).encode()


def solution_code(
    commands: Sequence[DraftCommand],
    metrics: Sequence[DraftMetric],
    power: int,
    scripts: Mapping[str, bytes],
    settings: Collection[ExperimentSetting],
    values: Mapping[str, int | float] | None = None,
    fresh: str | None = None,
) -> dict[str, bytes]:
    """Return the oracle's programs; `values` gives settings another value, `fresh` is set by ASSAY_SEED."""
    main = main_program(scripts)
    code = {
        main: experiment_program(commands, metrics, power),
        READER: injected(READER).encode(),
        "reproduce.sh": REPRODUCE.format(main=main).encode(),
    }
    for path, data in scripts.items():
        own_settings = [setting for setting in settings if setting.file == path]
        code[path] = (
            with_settings(data.decode(errors="replace"), own_settings, values, fresh).encode()
            if own_settings
            else data
        )
    return code


def without_settings(code: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the programs that ignore the settings which they are given."""
    return {
        path: data.replace(_READS_SETTINGS, b"path = None")
        for path, data in code.items()
        if _READS_SETTINGS in data
    }


def as_json(value: object) -> bytes:
    """Return a document as the text of a file."""
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()
