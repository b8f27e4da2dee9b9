"""Makes inputs to practise on, as grading does: `python encipher.py SEED FOLDER [FILE …]`.

It writes half of each text, enciphered, to FOLDER/texts, and a tokenizer for them to FOLDER/tokenizer. It enciphers your
own FILES with the same cipher and writes them to FOLDER. Then `INPUTS=FOLDER python train.py` trains on them.
"""

import sys
from pathlib import Path

from enciphered import draw_texts, train_tokenizer

TEXTS = Path("/inputs/texts")


def main(seed, folder, *names):
    texts = {path.stem: path.read_text("utf-8") for path in TEXTS.glob("*.txt")}
    own = {Path(name).name: Path(name).read_text("utf-8") for name in names}
    cipher, drawn = draw_texts(seed, texts, own.values())
    files = {f"texts/{name}.txt": text for name, text in drawn.items()}
    files["tokenizer/tokenizer.json"] = train_tokenizer(drawn)
    files |= {name: cipher.encipher(text) for name, text in own.items()}
    for name, text in files.items():
        target = Path(folder, name)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8", newline="")


if __name__ == "__main__":
    main(*sys.argv[1:])
