"""Bits per byte of a merged model over the experts' domains: merged, and nothing else, or there is no score."""

import json
import sys
from pathlib import Path

sys.path.insert(0, "/truth")
from trusted import estimates, perplexity, provenance, report
from trusted.contract import Limits, read_config
from trusted.headers import read_header
from trusted.models import load_model
from trusted.verdicts import Rule, verdict
from trusted.weights import Weights

GIVEN = Path("/inputs/experts")
NAMES = ("base", "news", "plays", "speeches")


def score(limits: Limits) -> estimates.Estimate:
    texts = json.loads(Path("/held/texts-held/texts.json").read_text())
    model = load_model(report.MODEL, limits)
    return estimates.average({name: perplexity.evaluate(model, texts[name]) for name in NAMES[1:]})


def configured() -> Rule:
    """Layers may be left out; whatever else config.json says changes what the given weights mean."""
    made, given = ({**values, "num_hidden_layers": 0, "model_type": kind}
                   for kind, values in map(read_config, (report.MODEL, GIVEN / "base")))  # fmt: skip
    others = sorted(key for key in made.keys() | given.keys() if made.get(key) != given.get(key))
    return verdict(not others, f"config.json differs from the base's in: {', '.join(others) or 'nothing'}")


def main() -> None:
    size = sum(each.size for each in read_header(GIVEN / "base" / "model.safetensors").values())
    limits = Limits(parameters=size, file_bytes=100_000_000)
    given = [Weights(GIVEN / name / "model.safetensors", name) for name in NAMES]
    report.judge(
        {
            "code": report.code_only,
            "contract": report.contract_of(limits),
            "tokenizer": report.tokenizer_of(GIVEN / "base"),
            "configuration": configured,
        },
        {"merged": lambda: provenance.check(Weights(report.MODEL / "model.safetensors"), given, projects=False)},
        lambda: score(limits),
    )


if __name__ == "__main__":
    main()
