"""Runs inside the sandbox: tells which library sees CUDA, and makes one step there if asked for it."""

import importlib.util
import sys


def main(step: bool) -> str:
    """The library and the device."""
    if importlib.util.find_spec("torch"):
        import torch

        if not torch.cuda.is_available():
            sys.exit("torch sees no CUDA")
        if step:
            weights = torch.ones(64, 64, device="cuda", requires_grad=True)
            (weights @ weights).sum().backward()
            torch.cuda.synchronize()
        return f"torch {torch.__version__} on {torch.cuda.get_device_name(0)}"
    import jax

    found = [each for each in jax.devices() if each.platform == "gpu"]
    if not found:
        sys.exit("jax sees no CUDA")
    if step:
        weights = jax.device_put(jax.numpy.ones((64, 64)), found[0])
        jax.grad(lambda each: (each @ each).sum())(weights).block_until_ready()
    return f"jax {jax.__version__} on {found[0]}"


if __name__ == "__main__":
    print(main("--step" in sys.argv))
