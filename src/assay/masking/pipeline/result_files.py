"""Lets a run write its numbers into several JSON files: a small program merges them into one after it."""

from __future__ import annotations

import dataclasses
import shlex
from collections.abc import Sequence

from assay.masking.pipeline.bench import INJECTED, RepositoryRunner
from assay.masking.pipeline.measures import MetricRequest

PROGRAM = "assay_merge_results.py"
MERGED = "assay_results.json"


def with_merged_results(
    bench: RepositoryRunner, requests: Sequence[MetricRequest]
) -> tuple[RepositoryRunner, list[MetricRequest]]:
    """Return runner and requests for one results file; unchanged if the numbers are in one file already."""
    result_files = list(dict.fromkeys(request.file for request in requests if request.file is not None))
    if len(result_files) < 2:
        return bench, list(requests)
    files = {path: data for path, data in bench.files.items() if path != MERGED}
    files[PROGRAM] = INJECTED.joinpath(PROGRAM).read_bytes()
    merged_requests = [
        request
        if request.file is None
        else dataclasses.replace(
            request, file=MERGED, location=f"{request.file.replace('.', '-')}.{request.location}".rstrip(".")
        )
        for request in requests
    ]
    # Lines of their own, so that the merge also follows a command that ends with a comment or a pipe.
    merge = shlex.join(["python", PROGRAM, *result_files])
    command = f"{{ {bench.command}\n}} && {merge}"
    return dataclasses.replace(bench, files=files, command=command), merged_requests
