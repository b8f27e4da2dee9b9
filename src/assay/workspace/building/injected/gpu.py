"""Runs inside the sandbox: prints which library sees CUDA, and runs one step on it with --step."""

import importlib.util
import sys


def main(step: bool) -> str:
    """Return the library and the device."""
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

    devices = [device for device in jax.devices() if device.platform == "gpu"]
    if not devices:
        sys.exit("jax sees no CUDA")
    if step:
        weights = jax.device_put(jax.numpy.ones((64, 64)), devices[0])
        jax.grad(lambda matrix: (matrix @ matrix).sum())(weights).block_until_ready()
    return f"jax {jax.__version__} on {devices[0]}"


if __name__ == "__main__":
    print(main("--step" in sys.argv))
