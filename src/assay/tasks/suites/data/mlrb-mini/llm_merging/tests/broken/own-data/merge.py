"""Task arithmetic: what each expert learned is added to the base, scaled down."""

from experts import EXPERTS, load, save

SCALE = 0.2


def main():
    base, experts = load("base"), [load(name) for name in EXPERTS]
    save({name: each + SCALE * sum(expert[name] - each for expert in experts) for name, each in base.items()})


if __name__ == "__main__":
    main()
