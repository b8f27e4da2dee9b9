"""Loads a model folder of plain data offline, and computes log-likelihoods with it.

No code of the folder runs: the configuration is rebuilt from an allow-list of plain values, the weights are
one safetensors file whose tensors must be exactly those of the architecture, and the tokenizer is
`tokenizer.json`. Tokens, contexts and prefix are the same as in lm-eval's `HFLM`, so the log-likelihoods are
equal.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from .contract import ARCHITECTURES, Limits, check_folder, check_tokenizer, read_config
from .verdicts import Refused

os.environ["HF_HUB_OFFLINE"] = "1"
BATCH_TOKENS = 4096
SMALL = 10_000_000
"""Parameters of a model that one thread evaluates: more threads take more processor time, and save little."""
SHARE = 8
"""How many continuations share one reading of their context."""
CONTEXT = -1
Piece = tuple[int, list[int]]
"""The number of the pair that the piece belongs to, and its tokens."""


class Model:
    """A loaded model with its tokenizer."""

    def __init__(self, network: Any, tokenizer: Any, prefix: int, context: int) -> None:
        self.network, self.tokenizer, self.prefix, self.context = network, tokenizer, prefix, context

    def encode(self, text: str) -> list[int]:
        """Encode a text as tokens, without special tokens."""
        ids: list[int] = self.tokenizer.encode(text, add_special_tokens=False).ids
        return ids

    def encode_pair(self, before: str, after: str) -> tuple[list[int], list[int]]:
        """Encode a context and a continuation; the space between them belongs to the continuation."""
        if not before:
            return [self.prefix], self.encode(after)
        spaces = len(before) - len(before.rstrip())
        if spaces:
            before, after = before[:-spaces], before[-spaces:] + after
        context = self.encode(before)
        return context or [self.prefix], self.encode(before + after)[len(context) :]

    def loglikelihoods(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """Return the log-likelihood (nats) of each continuation given its context."""
        return self.token_loglikelihoods([self.encode_pair(before, after) for before, after in pairs])

    def token_loglikelihoods(self, pairs: Sequence[tuple[list[int], list[int]]]) -> list[float]:
        """Return the log-likelihoods of tokens; a context that is too long loses its beginning."""
        pieces: dict[tuple[int, ...], list[Piece]] = {}
        for number, (before, after) in enumerate(pairs):
            if not after:
                raise Refused("a continuation without tokens cannot be scored")
            for at in range(0, len(after), self.context):
                part = after[at : at + self.context]
                context = tuple((before + after[:at])[-(self.context + 1 - len(part)) :])
                pieces.setdefault(context, []).append((number, part))
        rows = [
            SharedContext(context, tuple(continuations[at : at + SHARE]))
            for context, continuations in pieces.items()
            for at in range(0, len(continuations), SHARE)
        ]
        scores = [0.0] * len(pairs)
        for batch in _batches(sorted(rows, key=lambda row: -len(row.tokens))):
            for row, hidden in zip(batch, self._hidden(batch), strict=True):
                for (number, after), places in zip(row.pieces, row.places, strict=True):
                    scores[number] += self._score(hidden[places], after)
        if not all(math.isfinite(score) for score in scores):
            raise Refused("the model gives log-likelihoods that are not finite numbers")
        return scores

    def _hidden(self, batch: Sequence[SharedContext]) -> Any:
        """Return the last hidden states; a continuation sees its context and itself, nothing sees padding."""
        import torch

        longest = max(len(row.tokens) for row in batch)
        tokens, places = (torch.zeros(len(batch), longest, dtype=torch.long) for _ in range(2))
        visible = torch.eye(longest, dtype=torch.bool).repeat(len(batch), 1, 1)
        for at, row in enumerate(batch):
            size = len(row.tokens)
            owners = torch.tensor(row.owners)
            tokens[at, :size], places[at, :size] = torch.tensor(row.tokens), torch.tensor(row.positions)
            shared = (owners[:, None] == owners[None]) | (owners[None] == CONTEXT)
            visible[at, :size, :size] = shared & torch.ones(size, size, dtype=torch.bool).tril()
        mask = torch.zeros(visible.shape, dtype=self.network.dtype)
        mask.masked_fill_(~visible, -math.inf)  # a finite mask yields to attention scores that are as large
        with torch.inference_mode():
            device = self.network.device
            return self.network.base_model(
                input_ids=tokens.to(device), position_ids=places.to(device),
                attention_mask=mask[:, None].to(device), use_cache=False,
            ).last_hidden_state  # fmt: skip

    def _score(self, hidden: Any, after: list[int]) -> float:
        import torch

        with torch.inference_mode():
            logits = self.network.get_output_embeddings()(hidden).float()
            token_scores = torch.log_softmax(logits, dim=-1)[range(len(after)), after]
            return float(token_scores.double().sum())

    def generate(self, text: str, most: int, stop: str = "\n") -> str:
        """Return the greedy continuation of a text, up to `stop`."""
        import torch

        tokens = self.encode(text)[-(self.context - most) :] or [self.prefix]
        generated: list[int] = []
        cache, new_tokens = None, tokens
        with torch.inference_mode():
            while len(generated) < most and not (
                generated and stop in self.tokenizer.decode(generated).lstrip()
            ):
                ids = torch.tensor([new_tokens], device=self.network.device)
                out = self.network(input_ids=ids, past_key_values=cache, use_cache=True, logits_to_keep=1)
                cache, new_tokens = out.past_key_values, [int(out.logits[0, -1].argmax())]
                if new_tokens[0] in (self.network.config.eos_token_id, self.prefix):
                    break
                generated += new_tokens
        return str(self.tokenizer.decode(generated)).strip().split(stop)[0].strip()


class SharedContext:
    """A context and several continuations in one sequence: the model reads a long question only once."""

    def __init__(self, context: tuple[int, ...], pieces: tuple[Piece, ...]) -> None:
        self.pieces = pieces
        self.tokens, self.owners = list(context), [CONTEXT] * len(context)
        self.positions = list(range(len(context)))
        self.places: list[list[int]] = []
        """The positions of the hidden states that predict each continuation."""
        for owner, (_, after) in enumerate(pieces):
            start, added = len(self.tokens), len(after) - 1
            self.places.append([len(context) - 1, *range(start, start + added)])
            self.tokens += after[:-1]
            self.owners += [owner] * added
            self.positions += range(len(context), len(context) + added)


def _batches(rows: Sequence[SharedContext]) -> Iterator[list[SharedContext]]:
    """Split rows, sorted from long to short, into batches of as many as fit."""
    at = 0
    while at < len(rows):
        number = max(1, BATCH_TOKENS // len(rows[at].tokens))
        yield list(rows[at : at + number])
        at += number


def load_model(folder: Path, limits: Limits | None = None, dtype: str = "float32", device: str = "") -> Model:
    """Check a model folder and load it, or raise Refused with the reason."""
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
        check_tokenizer(folder)
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
    if network.num_parameters() <= SMALL:
        torch.set_num_threads(1)
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
