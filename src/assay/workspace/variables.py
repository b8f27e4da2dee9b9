"""The environment variables of a task's sandboxes: the same for the agent as for grading."""

VARIABLES = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONHASHSEED": "0",
    "LANG": "C.UTF-8",
}
"""One thread and one hash seed, so that results do not depend on the machine."""
