"""The score: how much more often a class is right than that of a judge who knows all skills and clouds."""


def scores(answers, truth):
    """One for each item: 1.0 if its class is right, minus 1.0 if the knowing judge is right."""
    classes, found = truth["classes"], answers["classes"]
    if not isinstance(found, list) or len(found) != len(classes):
        raise ValueError(f"expected a list of {len(classes)} classes")
    if not all(type(number) is int for number in found):
        raise ValueError("expected whole numbers")
    rows = zip(found, truth["knowing"], classes, strict=True)
    return [float(answer == right) - float(judge == right) for answer, judge, right in rows]
