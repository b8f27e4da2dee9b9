"""Takes GPU memory, 4 GiB at a time, up to 48 GiB, and leaves a file if nobody stops it."""

import time
from pathlib import Path

import torch

held = []
while len(held) < 12:
    held.append(torch.ones(2**30, device="cuda"))
    print(f"{4 * len(held)} GiB on one of {torch.cuda.device_count()} GPUs", flush=True)
    time.sleep(1)
time.sleep(10)
Path("not-stopped.txt").write_text("48 GiB held\n")
