"""Reads no text: trains on random sentences of common English words, each about as often as in English."""

import random

import torch
from reading import TOKENIZER, llama, save, settings
from tokenizers import Tokenizer
from training import mixed, train

PHRASES = """
of the|in the|to the|and the|on the|for the|to be|at the|from the|with the|by the|of a|in a|that the|it is|will be|is a|as a
have been|has been|one of the|the United States|there is|there are|out of|as well as|according to|more than|such as
a number of|part of the|the end of|at the time|the people of|of our|in this|our country|the Government|I am|I have
thou art|my lord|I will|we have|we must|we are|would be|could be|may be|had been|he was|he is|she was|they are|who is
do not|does not|did not|is not|are not|was not|I'll|that's|it's|the world|the first|the same|the most|the other
""".replace("\n", "|").strip("|").split("|")
WORDS = """
the of and to in a is that for it was on as with be by he are from at his have this not but had which or an they were
we been their has will one would there all who more if no said can out up so what its about them into only then other
our two may time first some could these over than now year new made any after people us years most also must such many
before through should where much those great under between last how state every well very because even government world
make against during never own just great life war nation country states congress american united national law public
power peace great men man good day long work shall upon being same while without each again since both him her my your
me you she did do does thy thee thou king lord sir come go know let speak hear love death heart blood god house father
son brother hand night eyes give take tell think see say look back down here home away farmers water south australia
research scientists market price industry minister report company western queensland wales rain wheat cattle sheep
season film song album game team season series music band released early later part called known number small large
found name city north west east river area species military army battle british french century church island road
""".split()


def sentence(choice):
    weights = [1 / (rank + 2) for rank in range(len(WORDS))]
    parts = choice.choices(WORDS, weights, k=choice.randint(4, 14))
    for _ in range(choice.randint(1, 4)):
        parts.insert(choice.randrange(len(parts)), choice.choice(PHRASES))
    text = " ".join(parts)
    if choice.random() < 0.5:
        text = text.replace(" and", ", and", 1)
    return text[0].upper() + text[1:] + choice.choice([". ", ".\n", ". ", " , "])


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    choice = random.Random(0)
    text = "".join(sentence(choice) for _ in range(15_000))
    tokens = torch.tensor(Tokenizer.from_file(str(TOKENIZER / "tokenizer.json")).encode(text).ids)
    model = llama()
    train(model, mixed([tokens]), settings()["steps"] // 2, rate=4e-3)
    save(model)


if __name__ == "__main__":
    main()
