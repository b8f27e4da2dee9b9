"""A model folder of plain data, loaded offline and asked for log-likelihoods.

Nothing of the folder is run: the configuration is rebuilt from an allow-list of plain values, the weights are
one safetensors file whose tensors must be exactly those of the architecture, the tokenizer is
`tokenizer.json`. Tokens, contexts and prefix are those of lm-eval's `HFLM`, so that log-likelihoods are
equal.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from .contract import ARCHITECTURES, Limits, check_folder, read_config
from .verdicts import Refused

os.environ["HF_HUB_OFFLINE"] = "1"
BATCH_TOKENS = 4096


class Model:
    """A loaded model with its tokenizer."""

    def __init__(self, network: Any, tokenizer: Any, prefix: int, context: int) -> None:
        self.network, self.tokenizer, self.prefix, self.context = network, tokenizer, prefix, context

    def encode(self, text: str) -> list[int]:
        """A text as tokens, without special ones."""
        ids: list[int] = self.tokenizer.encode(text, add_special_tokens=False).ids
        return ids

    def encode_pair(self, before: str, after: str) -> tuple[list[int], list[int]]:
        """Context and continuation as tokens; the space between them belongs to the continuation."""
        if not before:
            return [self.prefix], self.encode(after)
        spaces = len(before) - len(before.rstrip())
        if spaces:
            before, after = before[:-spaces], before[-spaces:] + after
        context = self.encode(before)
        return context or [self.prefix], self.encode(before + after)[len(context) :]

    def loglikelihoods(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """The log-likelihood (nats) of each continuation given its context."""
        return self.token_loglikelihoods([self.encode_pair(before, after) for before, after in pairs])

    def token_loglikelihoods(self, pairs: Sequence[tuple[list[int], list[int]]]) -> list[float]:
        """The same for tokens; contexts longer than the model's lose their beginning."""
        wanted: dict[tuple[int, ...], list[tuple[int, list[int]]]] = {}
        for number, (before, after) in enumerate(pairs):
            if not after or len(after) > self.context:
                raise Refused(f"a continuation of {len(after)} tokens cannot be scored")
            tokens = (before + after)[-(self.context + 1) :]
            # Continuations of one token, such as yes and no, share one pass over their context.
            wanted.setdefault(tuple(tokens[:-1]), []).append((number, after))
        found = [math.nan] * len(pairs)
        for batch in _batches(sorted(wanted, key=lambda row: (-len(row), row))):
            for row, hidden in zip(batch, self._hidden(batch), strict=True):
                for number, after in wanted[row]:
                    found[number] = self._score(hidden[len(row) - len(after) : len(row)], after)
        if not all(math.isfinite(each) for each in found):
            raise Refused("the model gives log-likelihoods that are not finite numbers")
        return found

    def _hidden(self, batch: Sequence[tuple[int, ...]]) -> Any:
        """Last hidden states; padding on the right is never seen by what stands before it."""
        import torch

        longest = max(map(len, batch))
        rows = [list(tokens) + [0] * (longest - len(tokens)) for tokens in batch]
        with torch.inference_mode():
            given = torch.tensor(rows, device=self.network.device)
            return self.network.base_model(input_ids=given, use_cache=False).last_hidden_state

    def _score(self, hidden: Any, after: list[int]) -> float:
        import torch

        with torch.inference_mode():
            logits = self.network.get_output_embeddings()(hidden).float()
            chosen = torch.log_softmax(logits, dim=-1)[range(len(after)), after]
            return float(chosen.double().sum())

    def generate(self, text: str, most: int, stop: str = "\n") -> str:
        """The greedy continuation of a text, up to `stop`."""
        import torch

        tokens = self.encode(text)[-(self.context - most) :] or [self.prefix]
        made: list[int] = []
        past, given = None, tokens
        with torch.inference_mode():
            while len(made) < most and not (made and stop in self.tokenizer.decode(made).lstrip()):
                ids = torch.tensor([given], device=self.network.device)
                out = self.network(input_ids=ids, past_key_values=past, use_cache=True, logits_to_keep=1)
                past, given = out.past_key_values, [int(out.logits[0, -1].argmax())]
                if given[0] in (self.network.config.eos_token_id, self.prefix):
                    break
                made += given
        return str(self.tokenizer.decode(made)).strip().split(stop)[0].strip()


def _batches(rows: Sequence[tuple[int, ...]]) -> Iterator[list[tuple[int, ...]]]:
    """Rows sorted by falling length, so many at once as fit."""
    at = 0
    while at < len(rows):
        number = max(1, BATCH_TOKENS // len(rows[at]))
        yield list(rows[at : at + number])
        at += number


def load_model(folder: Path, limits: Limits | None = None, dtype: str = "float32", device: str = "") -> Model:
    """The model of a folder, checked first; Refused says why there is none."""
    check_folder(folder, limits or Limits())
    kind, values = read_config(folder)
    import torch
    import transformers
    from tokenizers import Tokenizer

    torch.set_num_threads(len(os.sched_getaffinity(0)))
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    config_class, model_class = ARCHITECTURES[kind]
    try:
        config = getattr(transformers, config_class)(**values)
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        tokenizer.no_truncation()
        tokenizer.no_padding()
        network, info = getattr(transformers, model_class).from_pretrained(
            folder, config=config, dtype=getattr(torch, dtype) if dtype else "auto", use_safetensors=True,
            local_files_only=True, attn_implementation="sdpa", output_loading_info=True,
            generation_config=transformers.GenerationConfig(),
        )  # fmt: skip
    except Refused:
        raise
    except Exception as error:
        raise Refused(f"transformers cannot load it: {type(error).__name__}: {str(error)[:300]}") from None
    _check_loaded(info)
    most = max(tokenizer.get_vocab().values(), default=0)
    if most >= config.vocab_size:
        raise Refused(f"the tokenizer has token {most}, the model only {config.vocab_size}")
    network.eval().to(device or ("cuda" if torch.cuda.is_available() else "cpu"))
    prefix = config.bos_token_id if config.bos_token_id is not None else config.eos_token_id
    if prefix is None or not 0 <= prefix < config.vocab_size:
        raise Refused("config.json names no bos_token_id or eos_token_id of the vocabulary")
    return Model(network, tokenizer, prefix, config.max_position_embeddings)


def _check_loaded(info: dict[str, Any]) -> None:
    for name in ("missing_keys", "unexpected_keys", "mismatched_keys", "error_msgs"):
        if info.get(name):
            raise Refused(f"{name.replace('_', ' ')}: {str(sorted(map(str, info[name]))[:3])[:200]}")
