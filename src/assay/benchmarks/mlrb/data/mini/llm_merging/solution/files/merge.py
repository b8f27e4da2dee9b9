"""Task arithmetic: what each expert learned is added to the base, scaled down; least for the plays, which are furthest."""

from experts import load, save

SCALES = {"news": 0.3, "plays": 0.45, "speeches": 0.3}


def main():
    base, experts = load("base"), {name: load(name) for name in SCALES}
    save({
        name: each + sum(scale * (experts[expert][name] - each) for expert, scale in SCALES.items())
        for name, each in base.items()
    })


if __name__ == "__main__":
    main()
