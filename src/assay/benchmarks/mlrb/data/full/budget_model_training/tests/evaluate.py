"""Accuracy of a served classifier over held images; it sees no label, and knows no image before it is asked."""

import sys
from pathlib import Path

sys.path.insert(0, "/truth")
from trusted import images, report

HELD = Path("/held/imagenet100-held")


def main() -> None:
    report.judge(
        {"code": report.code_only, "plain-weights": report.plain_tensors},
        {},
        lambda: images.accuracy(images.Server(), HELD, "class"),
    )


if __name__ == "__main__":
    main()
