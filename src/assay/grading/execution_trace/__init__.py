"""What a re-made run executed: programs of the submission, line by line where that can be known.

`place_hook` prepares a run, `read_trace` puts together what it left and what was seen from outside,
`why_hollow` says that a run computed nothing.
"""

from assay.grading.execution_trace.altered import altered, same_results
from assay.grading.execution_trace.constants import HollowRun, is_informative, why_hollow
from assay.grading.execution_trace.grids import ReorderedLists
from assay.grading.execution_trace.placing import Placed, place_hook
from assay.grading.execution_trace.records import MOST_BYTES, ExecutionTrace, read_trace
from assay.grading.execution_trace.statements import never_run, parse, share_run
from assay.rules.literals import literals
from assay.rules.programs import OTHER_CODE, PYTHON, first_line, is_program, is_python

__all__ = [
    "MOST_BYTES",
    "OTHER_CODE",
    "PYTHON",
    "ExecutionTrace",
    "HollowRun",
    "Placed",
    "ReorderedLists",
    "altered",
    "first_line",
    "is_informative",
    "is_program",
    "is_python",
    "literals",
    "never_run",
    "parse",
    "place_hook",
    "read_trace",
    "same_results",
    "share_run",
    "why_hollow",
]
