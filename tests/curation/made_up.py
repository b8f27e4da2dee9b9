"""A small made-up paper with its repository: an estimator's error by sample size, in one table."""

from __future__ import annotations

from pathlib import Path

LIBRARY = '''"""Estimators of the mean of a sample with outliers."""

import random


def contaminated(size, share, seed):
    """Draw a sample around zero in which a share of values is far away."""
    generator = random.Random(seed)
    return [generator.gauss(0, 1) + (20 if generator.random() < share else 0) for _ in range(size)]


def plain_mean(values):
    """The arithmetic mean."""
    return sum(values) / len(values)


def trimmed_mean(values, cut):
    """The mean without a share of the smallest and of the largest values."""
    drop = int(cut * len(values))
    kept = sorted(values)[drop : len(values) - drop]
    return sum(kept) / len(kept)


def median(values):
    """The middle value."""
    return sorted(values)[len(values) // 2]
'''
EXPERIMENT = '''"""Measures the absolute error of three estimators on contaminated samples.

Each sample is drawn anew; the errors of all samples are averaged.
"""

import json

from estimators import contaminated, median, plain_mean, trimmed_mean

SIZE = 200
SHARE = 0.08
CUT = 0.2
SAMPLES = 30
BASE_SEED = 7


def average_error(estimate):
    errors = []
    for number in range(SAMPLES):
        values = contaminated(SIZE, SHARE, BASE_SEED + 1000 * number)
        errors.append(abs(estimate(values)))
    return sum(errors) / len(errors)


if __name__ == "__main__":
    rows = {
        "plain mean": average_error(plain_mean),
        "trimmed mean": average_error(lambda values: trimmed_mean(values, CUT)),
        "median": average_error(median),
    }
    for name, error in rows.items():
        print(f"{name}: error = {error:.4f}")
    with open("errors.json", "w") as file:
        json.dump(rows, file)
'''
PAPER = r"""\documentclass{article}
\newcommand{\estimators}{estimators}
\title{Robust means \\ under contamination}
\begin{document}
\begin{abstract}We compare three \estimators{} of a mean.\end{abstract}
\section{Experiment}
We draw samples of size 200 from a standard normal distribution. A share of 0.08 of the values is moved by 20.
The trimmed mean leaves out a share of 0.2 at both ends. We average the absolute error over 30 samples.
The median has the lowest error, as Table~\ref{tab:errors} shows~\cite{huber1964}.
\begin{equation} e = |\hat\mu - \mu| \end{equation}
% \begin{tabular}{ll} commented & out \\ \end{tabular}
\input{errors}
\section{Outlook}
Nothing is left.
\end{document}
"""
TABLE = r"""\begin{table}[t]
\caption{Absolute error of three estimators, averaged over samples.}
\label{tab:errors}
\begin{tabular}{lr}
\toprule
\textbf{Estimator} & Error \\
\midrule
Plain mean & %s \\
Trimmed mean & $%s$ \\
Median & \textbf{%s} \\
\bottomrule
\end{tabular}
\end{table}
"""
README = """# Robust means

Run the experiment:

```bash
python experiment.py   # a second
python experiment.py --data /path/to/data
```

| estimator | error |
|---|---|
| plain mean | %s |
| trimmed mean | %s |
| median | %s |
"""
BROKEN = """if __name__ == "__main__":
    print(len(open("samples.csv").read()))
"""
LICENCE = "MIT License\n\nPermission is hereby granted, free of charge, to any person obtaining a copy\n"


def printed_errors() -> list[str]:
    """The numbers that the experiment prints."""
    import contextlib
    import io
    import sys
    import types

    module = types.ModuleType("estimators")
    exec(LIBRARY, module.__dict__)
    sys.modules["estimators"] = module
    out = io.StringIO()
    try:
        source = EXPERIMENT.replace(
            'with open("errors.json", "w") as file:\n        json.dump(rows, file)', "pass"
        )
        with contextlib.redirect_stdout(out):
            exec(source, {"__name__": "__main__"})
    finally:
        del sys.modules["estimators"]
    return [line.rpartition(" ")[2] for line in out.getvalue().splitlines()]


def write_repository(folder: Path) -> Path:
    """Write the repository, and return its folder."""
    numbers = printed_errors()
    repository = folder / "robust-means"
    repository.mkdir(parents=True)
    files = {
        "estimators.py": LIBRARY,
        "experiment.py": EXPERIMENT,
        "broken_script.py": BROKEN,
        "README.md": README % tuple(numbers),
        "LICENSE": LICENCE,
        "results/old.csv": "estimator,error\n" + "\n".join(f"x,{number}" for number in numbers) + "\n",
        "figure.png": "no picture",
    }
    for path, text in files.items():
        (repository / path).parent.mkdir(parents=True, exist_ok=True)
        (repository / path).write_text(text)
    return repository


MORE = r"""\section{Data}
Each run of the program reads 250 files from the folder of samples. The folder was made by hand over 12 weeks
in the spring. We repeat all of the measurements in the same way for 40 days.
\end{document}
"""
"""A section with more numbers, instead of the paper's end."""


def write_paper(folder: Path, more: str = "\\end{document}\n") -> Path:
    """Write the LaTeX source, and return its folder."""
    paper = folder / "paper"
    paper.mkdir(parents=True)
    (paper / "main.tex").write_text(PAPER.replace("\\end{document}\n", more))
    (paper / "errors.tex").write_text(TABLE % tuple(printed_errors()))
    return paper
