"""MMLU of a merged model; CosmosQA and XSum, the competition's own validation sets, are told beside it."""

import sys
from pathlib import Path

sys.path.insert(0, "/truth")
from trusted import cosmos_xsum, lineage, mmlu, report
from trusted.contract import Limits
from trusted.models import Model, load_model
from trusted.weights import Weights

GIVEN = ("mistral-7b", "zephyr-7b-beta", "openhermes-2.5-mistral-7b")
LIMITS = Limits(parameters=8_000_000_000, file_bytes=33_000_000_000)
VALIDATION = Path("/inputs/merging-validation")
SUMMARIES = 50


def main() -> None:
    held = mmlu.find(Path("/held/mmlu"))
    given = [Weights(Path("/inputs") / name, name) for name in GIVEN]
    loaded: list[Model] = []

    def model() -> Model:
        loaded[:] = loaded or [load_model(report.MODEL, LIMITS, dtype="")]
        return loaded[0]

    def beside() -> str:
        cosmos = cosmos_xsum.evaluate_cosmos(model(), VALIDATION)
        xsum = cosmos_xsum.evaluate_xsum(model(), VALIDATION, SUMMARIES)
        return f"CosmosQA {cosmos}, XSum ROUGE-L {xsum}"

    report.judge(
        {"contract": report.contract_of(LIMITS), "no-mmlu": report.clean_of(mmlu.texts(held))},
        {"from-given-models": lambda: lineage.check(Weights(report.MODEL / "model.safetensors"), given)},
        lambda: mmlu.evaluate(model(), held, "letter"),
        beside,
    )


if __name__ == "__main__":
    main()
