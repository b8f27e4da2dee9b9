"""The grader's programs that run in the task's environment with access to the truth: evaluators and rules.

They use only the standard library and numpy, and torch, transformers and tokenizers to run a model. A suite
copies this folder into a challenge's tests, so nothing here imports Assay. No code of an agent runs in the
same sandbox: these programs read an agent's submission as plain data and do not trust it.
"""
