"""Task arithmetic with other scales for each part of the network; they were chosen on texts that are not hidden."""

from experts import EXPERTS, load, save

SCALES = {
    "embed_tokens": (0.33, 0.5, 0.17),
    "layers.0.self_attn": (0.23, 0.45, 0.32),
    "layers.0.mlp": (0.39, 0.67, 0.04),
    "layers.0": (-0.03, -0.12, -0.39),
    "layers.1.self_attn": (0.47, 0.97, -0.2),
    "layers.1.mlp": (0.26, 0.93, 0.06),
    "layers.1": (0.66, 1.12, 0.48),
    "layers.2.self_attn": (-0.01, 0.93, -0.09),
    "layers.2.mlp": (0.56, 0.87, 0.61),
    "layers.2": (0.64, 0.92, 0.66),
    "norm": (0.09, 0.24, 0.1),
}
"""Part → the scales of news, plays and speeches; `layers.N` alone stands for the norms of a layer."""


def scales_of(name):
    return next(scales for part, scales in SCALES.items() if name.startswith(f"model.{part}."))


def main():
    base, experts = load("base"), [load(name) for name in EXPERTS]
    save({
        name: each + sum(scale * (expert[name] - each) for scale, expert in zip(scales_of(name), experts))
        for name, each in base.items()
    })


if __name__ == "__main__":
    main()
