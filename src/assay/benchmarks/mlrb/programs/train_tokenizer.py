"""A byte-level BPE of 2,048 tokens from a folder of texts; the same texts give the same bytes."""

from __future__ import annotations

import sys
from pathlib import Path

from tokenizers import Tokenizer, decoders, pre_tokenizers, trainers
from tokenizers.models import BPE

VOCABULARY = 2048
SPECIAL = ["<s>", "</s>"]


def main(texts: Path, target: Path) -> None:
    made = Tokenizer(BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY, special_tokens=SPECIAL, initial_alphabet=pre_tokenizers.ByteLevel.alphabet()
    )
    lines = (path.read_text("utf-8") for path in sorted(texts.glob("*.txt")))
    made.train_from_iterator(lines, trainer)
    made.save(str(target / "tokenizer.json"))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
