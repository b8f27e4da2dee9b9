"""The same numbers as lm-eval, sacrebleu and rouge-score give, on a tiny model and a few documents."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.benchmarks.mlrb import tiny
from tests.benchmarks.mlrb.environment import SHARED, run_trusted
from tests.benchmarks.mlrb.full_stand_ins import GLUE

BESIDE = ("lm-eval[hf]==0.4.13", "sacrebleu", "rouge-score")
PROGRAM = """
import os
os.environ["HF_HUB_OFFLINE"] = os.environ["HF_DATASETS_OFFLINE"] = "1"
import tarfile
import sacrebleu
from datasets import Dataset
from jinja2 import Template
from lm_eval.api.instance import Instance
from lm_eval.models.huggingface import HFLM
import types
# lm-eval's ReCoRD imports what transformers 5 no longer has; only its prompts are asked for here.
sys.modules["transformers.data.metrics"] = types.ModuleType("metrics")
sys.modules["transformers.data.metrics"].squad_metrics = None
sys.modules["transformers.data.metrics.squad_metrics"] = types.ModuleType("squad_metrics")
from lm_eval.tasks.super_glue.copa import utils as copa
from lm_eval.tasks.super_glue.record import util as record
from lm_eval.tasks.super_glue.wsc.preprocess_wsc import default_doc_to_text
from rouge_score.rouge_scorer import RougeScorer
import lm_eval.tasks, yaml
from trusted import blimp, choices, mmlu, overlap, perplexity, superglue
from trusted.models import load_model
root, shared = Path(sys.argv[1]), Path(sys.argv[2])
for name in ("blimp", "mmlu", "superglue"):
    tarfile.open(shared / f"{name}.tar.gz").extractall(root, filter="data")
ours = load_model(root / "model")
theirs = HFLM(pretrained=str(root / "model"), device="cpu", batch_size=4)

def asked(pairs):
    made = [Instance("loglikelihood", {}, pair, at) for at, pair in enumerate(pairs)]
    return [each[0] for each in theirs.loglikelihood(made, disable_tqdm=True)]

found = {}
def compare(name, questions):
    pairs = [(each.context, " " + answer) for each in questions for answer in each.answers]
    found[name] = [ours.loglikelihoods(pairs), asked(pairs)]

pairs = [pair for all in blimp.read_pairs(root / "blimp" / "data", 1).values() for pair in all]
compare("blimp", pairs)
questions = [each for _, each in mmlu.read_questions(root / "mmlu/data/mmlu", "cloze")][::1500]
compare("mmlu", questions)
glue = {task: superglue.read_questions(root / "superglue", task, 3) for task in superglue.TASKS}
compare("superglue", [each for all in glue.values() for each in all])

tasks = Path(lm_eval.tasks.__file__).parent
class Loader(yaml.SafeLoader): pass
Loader.add_multi_constructor("!function", lambda *_: None)
def prompts(path, rows):
    text = yaml.load((tasks / path).read_text(), Loader)["doc_to_text"]
    if not text:
        return [default_doc_to_text({**row, **row["target"]}) for row in rows]
    return [Template(text).render(**row) for row in rows]
found["prompts"] = []
for task in superglue.TASKS:
    lines = (root / "superglue" / task / "val.jsonl").read_text().splitlines()[:20]
    rows = [json.loads(line) for line in lines]
    found["prompts"] += zip([superglue.TASKS[task](row).context for row in rows],
                            prompts(f"super_glue/{task.lower()}/default.yaml", rows))
rows = json.loads(sys.argv[3])
found["rest"] = []
for row in rows["COPA"]:
    ours_ = superglue._copa(row)
    found["rest"].append([[ours_.context, *ours_.answers], [copa.doc_to_text(row), *copa.doc_to_choice(row)]])
many = yaml.load((tasks / "super_glue/multirc/default.yaml").read_text(), Loader)
for row in rows["MultiRC"]:
    flat = [{"paragraph": row["passage"]["text"], "question": asked["question"], "answer": answer["text"]}
            for asked in row["passage"]["questions"] for answer in asked["answers"]]
    for ours_, each in zip(superglue.multirc(row), flat, strict=True):
        choices = eval(Template(many["doc_to_choice"]).render(**each))
        found["rest"].append([[ours_.context, *ours_.answers],
                              [Template(many["doc_to_text"]).render(**each), *choices]])
for row in rows["ReCoRD"]:
    passage = row["passage"]["text"]
    for ours_, asked in zip(superglue.record(row), row["qas"], strict=True):
        doc = {"passage": passage, "query": asked["query"], "entities": list(ours_.entities)}
        theirs_ = [record.doc_to_text(doc), *record.doc_to_choice(doc)]
        found["rest"].append([[ours_.context, *ours_.choices()], theirs_])
text = "Some words to roll over, and over again. " * 12
rolled = Instance("loglikelihood_rolling", {}, (text,), 0)
found["rolling"] = [-perplexity.text_bits(ours, [text])[0] * 0.6931471805599453,
                    theirs.loglikelihood_rolling([rolled], disable_tqdm=True)[0]]
made = [each.context[-120:] for each in questions] + ["a b c", "The cat sat on the mat, at 1,000.5% (no)."]
wanted = [each.answers[0] + each.context[-100:] for each in questions]
wanted += ["a b d", "The cat is on it; 1,000.5 %."]
found["bleu"] = [overlap.bleu(made, wanted), sacrebleu.corpus_bleu(made, [wanted]).score]
scorer = RougeScorer(["rougeL"])
found["rouge"] = [[overlap.rouge_l(*pair) for pair in zip(made, wanted)],
                  [scorer.score(reference, text)["rougeL"].fmeasure for text, reference in zip(made, wanted)]]
print(json.dumps(found))
"""


@pytest.mark.long
@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared data are not here")
def test_likelihoods_prompts_and_overlaps_are_those_of_the_reference_programs(tmp_path: Path) -> None:
    values = tiny.each_matrix(tiny.tensors(1), lambda each: 4 * each)
    folder = tiny.save(tmp_path / "model", values, max_position_embeddings=512)
    special = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "</s>"}
    special["tokenizer_class"] = "PreTrainedTokenizerFast"
    (folder / "tokenizer_config.json").write_text(json.dumps(special))
    found = run_trusted(PROGRAM, str(tmp_path), str(SHARED), json.dumps(GLUE), requirements=BESIDE)
    for name in ("blimp", "mmlu", "superglue", "rouge"):
        ours, theirs = found[name]
        assert len(ours) > 5
        assert ours == pytest.approx(theirs, rel=1e-4, abs=1e-4), name
    assert all(ours == theirs for ours, theirs in found["prompts"])
    assert len(found["rest"]) == 2 + 4 + 2
    assert all(ours == theirs for ours, theirs in found["rest"])
    for name in ("rolling", "bleu"):
        assert found[name][0] == pytest.approx(found[name][1], rel=1e-5), name
