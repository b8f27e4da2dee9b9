"""SuperGLUE of a model trained from scratch on C4 and Alpaca that runs in 1 GB, or there is no score."""

import sys
from pathlib import Path

sys.path.insert(0, "/truth")
from trusted import memory, quantisation, report, superglue
from trusted.contract import Limits
from trusted.models import load_model
from trusted.weights import Weights

HELD = Path("/held/superglue")
MEMORY_MIB = 1024
LIMITS = Limits(parameters=540_000_000, file_bytes=1_100_000_000, dtypes=("F16", "F32"))


def main() -> None:
    report.judge(
        {
            "code": report.code_only,
            "contract": report.contract_of(LIMITS),
            "no-superglue": report.clean_of(superglue.texts(HELD)),
        },
        {
            "memory": lambda: memory.check(report.MODEL, MEMORY_MIB),
            "no-quantisation": lambda: quantisation.check(Weights(report.MODEL / "model.safetensors"), []),
        },
        lambda: superglue.evaluate_all(load_model(report.MODEL, LIMITS), HELD),
    )


if __name__ == "__main__":
    main()
