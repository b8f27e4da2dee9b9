"""Draws enciphered texts, a tokenizer for them, and the hidden texts in the same cipher."""

import json
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from trusted.enciphered import Cipher, draw_texts, train_tokenizer

TEXTS, HELD = Path("/inputs/texts"), Path("/held")


def strings(value):
    """Every text in a JSON value; the names of its fields are none."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from strings(part)


def enciphered(cipher: Cipher, value):
    """The JSON value with every text enciphered."""
    if isinstance(value, dict):
        return {name: enciphered(cipher, part) for name, part in value.items()}
    if isinstance(value, list):
        return [enciphered(cipher, part) for part in value]
    return cipher.encipher(value) if isinstance(value, str) else value


def main() -> None:
    texts = {path.stem: path.read_text("utf-8") for path in TEXTS.glob("*.txt")}
    # A file of JSON lines is a list of its lines, a file of JSON a list of one value.
    held = {}
    for path in sorted(path for kind in ("*.json", "*.jsonl") for path in HELD.rglob(kind)):
        text = path.read_text("utf-8")
        documents = text.splitlines() if path.suffix == ".jsonl" else [text]
        held[path.relative_to(HELD)] = [json.loads(each) for each in documents if each.strip()]
    cipher, drawn = draw_texts(os.environ["ASSAY_SEED"], texts, strings(list(held.values())))
    files = {f"inputs/texts/{name}.txt": text for name, text in drawn.items()}
    files["inputs/tokenizer/tokenizer.json"] = train_tokenizer(drawn)
    for path, values in held.items():
        files[f"truth/enciphered/{path}"] = "\n".join(json.dumps(enciphered(cipher, each)) for each in values)
    for path, text in files.items():
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(text, encoding="utf-8", newline="")


if __name__ == "__main__":
    main()
