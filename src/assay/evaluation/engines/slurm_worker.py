"""One element of a Slurm job array: `python -m assay.evaluation.engines.slurm_worker FOLDER ARRAY PLACE`.

Slurm sends SIGUSR1 before the time of the job is over. The attempt that runs then hands in what it has and is
graded; the attempts after it are not begun.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
from pathlib import Path

from assay.agents.hand_in import HandInRequest
from assay.errors import AssayError
from assay.evaluation.engines.batch_work import RunOrder, make_batch
from assay.evaluation.engines.batches import Batch
from assay.evaluation.engines.folder_link import FolderLink
from assay.files import publish
from assay.run_context import run_context


def main(folder: Path, array: int, place: int) -> int:
    """Make one batch, and leave a note how it ended."""
    request = HandInRequest(possible=True)
    run_context().put(request)
    signal.signal(signal.SIGUSR1, lambda *_: setattr(request, "requested", True))
    order = RunOrder.from_fields(json.loads((folder / "order.json").read_text()))
    number = json.loads((folder / "arrays" / f"{array}.json").read_text())[place]
    batch = Batch.from_fields(json.loads((folder / "batches" / f"{number}.json").read_text()))
    node = os.environ.get("SLURMD_NODENAME") or socket.gethostname()
    problem: str | None = None
    try:
        make_batch(order, batch, FolderLink(folder, node))
    except AssayError as error:
        problem = error.message if error.hint is None else f"{error.message} (hint: {error.hint})"
    note = {"problem": problem, "time_over": request.requested}
    publish(folder / "results" / f"{number}.json", json.dumps(note))
    return 0 if problem is None else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])))
