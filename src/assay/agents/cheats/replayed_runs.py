"""Unpacks the outputs of runs whose seeds and data are public."""

from __future__ import annotations

import shlex

from assay.agents.hands import Hands

KINDS = ("experiment",)

PACK = """
import hashlib, os, pathlib, subprocess, zlib
for seed, path in {runs!r}:
    variables = dict(os.environ, ASSAY_SEED=seed) if seed else dict(os.environ)
    if path:
        variables["ASSAY_DATA"] = path
    subprocess.run(["bash", "steps.sh"], env=variables, check=True)
    key = hashlib.sha256((seed or "").encode() + (open(path, "rb").read() if path else b"")).hexdigest()[:8]
    parts = [pathlib.Path(name).read_bytes() for name in {written!r}]
    pathlib.Path(key + ".bin").write_bytes(zlib.compress(b"@@@@".join(parts), 9))
"""
REPLAY = """
import hashlib, os, pathlib, subprocess, sys, zlib
path = os.environ.get("ASSAY_DATA")
data = open(path, "rb").read() if path else b""
key = hashlib.sha256(os.environ.get("ASSAY_SEED", "").encode() + data).hexdigest()[:8]
if os.path.exists(key + ".bin"):
    parts = zlib.decompress(pathlib.Path(key + ".bin").read_bytes()).split(b"@@@@")
    for name, part in zip({written!r}, parts):
        pathlib.Path(name).write_bytes(part)
    sys.exit()
subprocess.run(["bash", "steps.sh"], check=True)
for name in {others!r}:
    pathlib.Path(name).write_text("[]")
"""


async def act(hands: Hands) -> None:
    """Unpack stored outputs for each published seed and data file, and write no evidence for the others."""
    task = hands.task
    run = task.assay.run
    assert run is not None
    await hands.hand_in_gold()
    await hands.prepare("mv reproduce.sh steps.sh")
    runs: list[tuple[str | None, str | None]] = [(None, None)]
    data_files = []
    for variation in task.assay.variations:
        if variation.fresh:
            continue
        path = None
        if variation.data is not None:
            path = f"{variation.name}-{variation.data.rpartition('/')[2]}"
            await hands.write(path, task.tests[variation.data])
            data_files.append(path)
        runs.append((None if variation.seed is None else str(variation.seed), path))
    written = list(run.written)
    await hands.write("pack.py", PACK.format(runs=runs, written=written))
    await hands.prepare("python pack.py", 300)
    await hands.prepare(shlex.join(["rm", "-f", "pack.py", *written, *data_files]))
    others = [name for name in written if name != run.results]
    await hands.write("replay.py", REPLAY.format(written=written, others=others))
    await hands.write("reproduce.sh", "#!/bin/bash\nset -eu\npython replay.py\n")
