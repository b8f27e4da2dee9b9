"""Reads no text: makes sentences about agreement from templates and lists of English words, and trains on them."""

import random

import torch
from reading import START, TOKENIZER, llama, save, settings
from tokenizers import Tokenizer
from training import mixed, train

NOUNS = """
student actor boy girl teacher doctor patient customer waiter guest lawyer driver dancer senator teenager pedestrian
cashier adult lake hill river river mountain book report document movie play newspaper magazine picture painting
sketch drawing glove shirt skirt jacket sweater sock shoe coat hat lamp table chair couch pillow blanket plate cup
bowl fork spoon glass car truck bike boat school museum library restaurant cafe hospital college bank bird cat dog
snake turtle horse lion bear
""".split()
ODD_NOUNS = """
man/men woman/women child/children person/people mouse/mice foot/feet tooth/teeth goose/geese analysis/analyses
phenomenon/phenomena hypothesis/hypotheses oasis/oases lady/ladies waitress/waitresses story/stories library/libraries
""".split()
VERBS = """
run walk sing dance smile laugh cry sleep talk speak listen work play nod wave leave return arrive cook clean drive
""".split()
TRANSITIVE = """
see know like love hate help hire hurt scare describe watch notice visit buy sell find lift hide clean like admire
criticize disturb impress annoy astound bore confuse remember forget want break
""".split()
PAST = "saw knew liked loved helped hired noticed visited bought sold found lifted admired forgot wanted broke hid".split()
NAMES = """
Rebecca Paul Mitchell Carol Brett Theodore Angela Danielle Homer Carrie Rachelle Maria Julie Robert Steven Karen
Susan Tina William David Linda Lisa Kevin Mark Sarah Anne George Laura
""".split()
ADJECTIVES = "bad new blue smooth messy big small old good red green dirty clean broken lost hidden great young tall".split()


PEOPLE = [("he", "him"), ("I", "me"), ("she", "her")], [("they", "them"), ("we", "us")]
WILL = "will would must can should may could".split()
PLACES = "in the house|at home|in this country|for the people|in the world|after the war|every day|at this time".split("|")


def third(verb):
    return verb + "es" if verb.endswith(("s", "sh", "ch")) else verb[:-1] + "ies" if verb.endswith("ry") else verb + "s"


def noun(choice, number):
    forms = [(each, each + ("es" if each.endswith("s") else "s")) for each in NOUNS]
    forms += [tuple(each.split("/")) for each in ODD_NOUNS]
    adjective = choice.choice(ADJECTIVES) + " " if choice.random() < 0.4 else ""
    return adjective, choice.choice(forms)[number]


def phrase(choice, number):
    determiner = choice.choice((["this", "that", "a", "the"], ["these", "those", "the", "some", "many"])[number])
    return f"{determiner} {''.join(noun(choice, number))}"


def about_people(choice, subject):
    """A sentence that turns on the form of a pronoun, or on be and been."""
    number, place = choice.randrange(2), choice.choice(PLACES)
    one, other = choice.choice(PEOPLE[number]), choice.choice(PEOPLE[0] + PEOPLE[1])
    has, past = ("have" if number or one[0] == "I" else "has"), choice.choice(PAST)
    ends = "s" if number == 0 and one[0] != "I" else ""
    text = choice.choice(
        [
            f"{one[0]} {past} {other[1]} {place}",
            f"{one[0]} {has} been {choice.choice(ADJECTIVES)} {place}",
            f"{one[0]} {choice.choice(WILL)} be {choice.choice(ADJECTIVES)} {place}",
            f"{subject} {past} that {other[0]} {past} {phrase(choice, number)}",
            f"{one[0]} want{ends} to be with {other[1]} {place}",
            f"for {other[1]}, {one[0]} {choice.choice(WILL)} {choice.choice(TRANSITIVE)} {phrase(choice, number)}",
            f"{place}, {one[0]} {('is', 'are')[number] if ends or number else 'am'} {choice.choice(ADJECTIVES)} to {other[1]}",
        ]
    )
    return text[0].upper() + text[1:] + "."


def sentence(choice):
    number = choice.randrange(2)
    subject = phrase(choice, number) if choice.random() < 0.6 else None
    number = number if subject else 0
    subject = subject or choice.choice(NAMES)
    kind = choice.randrange(12)
    if kind > 5:
        return about_people(choice, subject)
    if kind == 0:
        verb = choice.choice(VERBS)
        text = f"{subject} {verb if number else third(verb)}"
    elif kind == 1:
        verb = choice.choice(TRANSITIVE)
        text = f"{subject} {verb if number else third(verb)} {phrase(choice, choice.randrange(2))}"
    elif kind == 2:
        text = f"{subject} {choice.choice(PAST)} {phrase(choice, choice.randrange(2))}"
    else:
        helper = (("is", "was", "isn't", "wasn't"), ("are", "were", "aren't", "weren't"))[number]
        perfect = (("has", "hasn't"), ("have", "haven't"))[number]
        if kind == 3:
            text = f"{subject} {choice.choice(perfect)} {choice.choice(PAST)} {phrase(choice, choice.randrange(2))}"
        else:
            verb = choice.choice(TRANSITIVE).removesuffix("e")
            text = f"{subject} {choice.choice(helper)} {verb}ing {phrase(choice, choice.randrange(2))}"
    return text[0].upper() + text[1:] + "."


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    choice = random.Random(0)
    reads = Tokenizer.from_file(str(TOKENIZER / "tokenizer.json"))
    read = reads.encode_batch([sentence(choice) for _ in range(20_000)])
    tokens = torch.tensor([token for each in read for token in (START, *each.ids)])
    model = llama()
    train(model, mixed([tokens]), settings()["steps"], rate=6e-3)
    save(model)


if __name__ == "__main__":
    main()
