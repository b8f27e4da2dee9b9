"""Programs of the grader that run in the task's environment, beside the truth: evaluators and rules.

They stand alone: standard library, numpy, and for running a model torch, transformers and tokenizers. A suite
copies this folder into a challenge's tests, so nothing here imports Assay. No code of an agent runs in the
same sandbox: what an agent hands over is read as plain data and believed in nothing.
"""
