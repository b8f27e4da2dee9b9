"""Runs whose code only moves what is written elsewhere: it opens, copies and prints, and computes nothing.

A run that decodes what it moves ("rev data.txt", `base64.b64decode`) computes nothing either. Only standard
modules, a few others and tools for texts count as known there: any other program may have computed.

What it does not cover: code that computes for show. A program that adds two numbers and then writes constants
is no longer recognised here; whoever reads the code sees it. Neither are texts that another language decodes,
such as Perl, and Python code on a command line.
"""

from __future__ import annotations

import ast
import posixpath
import re
import sys
from bisect import bisect_right
from collections.abc import Callable, Collection, Container, Iterator, Mapping

from assay.grading.execution_trace.records import ExecutionTrace
from assay.grading.execution_trace.statements import joins_text, never_run, own_lines, parse, statements
from assay.rules.programs import is_python

_MOVING_CALLS = frozenset(
    """open print dump dumps load loads safe_load safe_dump write writelines writerow writerows read
    readline readlines read_text write_text read_bytes write_bytes copy copyfile copy2 copytree move
    rename replace Path mkdir makedirs join dirname abspath resolve exists isfile is_file unlink
    remove close flush getcwd chdir exit str dict list tuple set float int bool format items keys
    values get append extend update strip split splitlines lower upper encode decode sleep
    ArgumentParser add_argument parse_args reader writer DictReader DictWriter writeheader read_csv
    read_json to_json to_csv to_dict read_yaml deepcopy zip enumerate isinstance basename glob
    OrderedDict""".split()  # noqa: SIM905
)
_MOVING_WORDS = frozenset(
    """echo printf cat cp mv mkdir cd set export touch rm ls tee true exit pwd source sleep ln chmod
    head tail python python3 bash sh exec : . then else fi do done if for [ [[ test trap shopt unset
    local return""".split()  # noqa: SIM905
)
_DECODING_CALLS = _MOVING_CALLS | frozenset(
    """b64decode b32decode b16decode b85decode a85decode urlsafe_b64decode standard_b64decode decodebytes
    decodestring decompress unhexlify hexlify fromhex hex unquote unescape maketrans translate reversed chr
    ord bytes bytearray literal_eval fromkeys partition rpartition rsplit lstrip rstrip removeprefix
    removesuffix startswith endswith zfill rjust ljust title capitalize swapcase casefold sub subn findall
    finditer search match fullmatch group groups groupdict compile BytesIO StringIO getvalue getbuffer ZipFile
    extract extractall namelist seek Decimal Fraction round unpack unpack_from frombuffer to_bytes from_bytes
    tobytes tolist iter next slice import_module insert pop defaultdict namedtuple""".split()  # noqa: SIM905
)
"""Calls that give a stored text another form."""
_PICKING_CALLS = _DECODING_CALLS | {
    "max",
    "min",
    "sorted",
    "sort",
    "len",
    "range",
    "index",
    "count",
    "filter",
}
"""Calls that pick from stored numbers by these numbers alone."""
_READING_LIBRARIES = {"yaml", "pandas", "numpy", "simplejson", "orjson", "ujson", "tomli", "joblib"}
"""Libraries by which programs read and write; what others do in a call of any name is not known."""
_DECODING_MODULES = {"base64", "json.tool", "gzip", "zipfile", "tarfile", "quopri", "uu"}
"""Standard modules that decode as programs: `python -m base64 -d`."""
_DECODING_WORDS = _MOVING_WORDS | frozenset(
    """rev tac tr sed awk gawk mawk cut paste fold fmt column expand xxd od hexdump base64 base32 basenc
    uudecode gzip gunzip zcat bzip2 bunzip2 bzcat xz unxz xzcat zstd zstdcat unzip tar openssl iconv dd
    install sync rmdir mktemp truncate split csplit strings grep egrep fgrep""".split()  # noqa: SIM905
)
"""Tools that give a text another form. Those that count or choose (`wc`, `sort`) are not among them."""
_BEFORE_COMMANDS = frozenset("then do else if elif while until ! time exec command env nohup builtin".split())  # noqa: SIM905
_RUNNERS = frozenset("bash sh source .".split())  # noqa: SIM905
_AWK_COMPUTES = re.compile(
    r"[-+*/%^<>]|\b(?:N[RF]|FNR|length|rand|srand|int|sqrt|exp|log|sin|cos|atan2|index|split|system)\b"
)
_AWK_TEXT = re.compile(r'"(?:\\.|[^"\\])*"?|sub\(/[^/]*/')
_GREP_COUNTS = re.compile(r"grep\b[^\n|;&]{0,200}(?:\s-[A-Za-z]*c|\s--count)")
_SHELL = (".sh", ".bash", ".zsh")
_TEXT = re.compile(r"""\\.|(?<!\S)#[^\n]*|'[^']*'?|"(?:\\.|[^"\\])*"?""", re.DOTALL)
"""A comment or a text of a script, also one without an end, so that every character is read once."""
_HERE_DOCUMENT = re.compile(r"<<-?\s*['\"]?(\w+)['\"]?")
_FIRST_WORD = re.compile(r"\s*(\w+)")


def only_moves(trace: ExecutionTrace, submitted: Mapping[str, bytes]) -> bool:
    """Whether all that ran only moves numbers; False where too little is known."""
    return _all_plain(trace, submitted, _MOVING_CALLS, shell_moves)


def only_picks(trace: ExecutionTrace, submitted: Mapping[str, bytes]) -> bool:
    """Whether all that ran only moves numbers or picks some of them by their own size or place."""
    return _all_plain(trace, submitted, _PICKING_CALLS, shell_moves)


def only_decodes(trace: ExecutionTrace, submitted: Mapping[str, bytes]) -> bool:
    """Whether all that ran only gives stored text another form; False where any other program ran."""
    for program in trace.started:
        target = posixpath.normpath(posixpath.join(program.folder, program.target[0]))
        module = program.target[0].removeprefix("-m ")
        if target.removeprefix("/workspace/") not in trace.ran and module not in _DECODING_MODULES:
            return False
    for tool in trace.outside:
        name = posixpath.basename(tool.words[0]) if tool.words else ""
        if name not in _DECODING_WORDS | _BEFORE_COMMANDS and tool.file not in trace.ran:
            return False
    texts = {path: submitted[path].decode(errors="replace") for path in trace.ran}
    if not all(_imports_known(texts[path], texts) for path in trace.lines if path in texts):
        return False
    return _all_plain(trace, submitted, _DECODING_CALLS, lambda text: shell_decodes(text, trace.ran))


def _all_plain(
    trace: ExecutionTrace,
    submitted: Mapping[str, bytes],
    calls: frozenset[str],
    is_plain_script: Callable[[str], bool],
) -> bool:
    if trace.gap or trace.blind or trace.inline or trace.loose or trace.given or trace.opened is None:
        return False
    own_names = _own_functions(trace, submitted)
    for path in trace.ran:
        text = submitted[path].decode(errors="replace")
        if path in trace.lines:
            if not _python_moves(text, frozenset(trace.lines[path]), calls | own_names):
                return False
        elif is_python(path, submitted[path]) or not path.endswith(_SHELL) or not is_plain_script(text):
            return False
    return bool(trace.ran)


def _imports_known(text: str, submitted: Container[str]) -> bool:
    """Whether a program imports only standard modules, those that read and write, and submitted ones."""
    tree = parse(text)
    names: list[str] = []
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names.append(node.module or "")
    return all(
        name.partition(".")[0] in sys.stdlib_module_names | _READING_LIBRARIES
        or f"{name.replace('.', '/')}.py" in submitted
        for name in names
    )


def _own_functions(trace: ExecutionTrace, submitted: Mapping[str, bytes]) -> frozenset[str]:
    """The names of the functions that the programs define themselves: their bodies are looked at too."""
    names = set()
    for path in trace.lines:
        tree = parse(submitted[path].decode(errors="replace"))
        for node in ast.walk(tree) if tree is not None else ():
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                names.add(node.name)
    return frozenset(names)


def _python_moves(text: str, lines: frozenset[int], known_calls: frozenset[str]) -> bool:
    tree = parse(text)
    if tree is None:
        return False
    idle = never_run(tree, lines)
    executed = [node for node in statements(tree) if own_lines(node)[0] not in idle]
    return all(_moves(part, known_calls) for node in executed for part in own_parts(node))


def own_parts(statement: ast.stmt) -> Iterator[ast.AST]:
    """The statement and its expressions, without the statements inside it."""
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += [child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.stmt)]


def _moves(node: ast.AST, known_calls: frozenset[str]) -> bool:
    if isinstance(node, ast.Call):
        name = _name(node.func)
        return name in known_calls or (
            name == "map" and bool(node.args) and _name(node.args[0]) in known_calls
        )
    if isinstance(node, ast.BinOp):
        return any(joins_text(side) for side in (node.left, node.right))
    return not isinstance(node, ast.AugAssign | ast.Lambda | ast.While)


def _name(called: ast.expr) -> str:
    return called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")


def _without_here_documents(text: str) -> str:
    """The script with one word in place of each text that it gives to a command, in linear time."""
    lines, kept, number = text.split("\n"), [], 0
    ends: dict[str, list[int]] = {}
    for at, line in enumerate(lines):
        if (word := _FIRST_WORD.match(line)) is not None:
            ends.setdefault(word[1], []).append(at)
    while number < len(lines):
        line, end = lines[number], number
        opening = _HERE_DOCUMENT.search(line)
        if opening is not None:
            places = ends.get(opening[1], [])
            found = bisect_right(places, number)
            if found < len(places):
                end = places[found]
                rest = lines[end].lstrip().removeprefix(opening[1])
                inside = _from_first_command("\n".join(lines[number + 1 : end]))
                line = f"{line[: opening.start()]} q {line[opening.end() :]}{rest}\n{inside}"
        kept.append(line)
        number = end + 1
    return "\n".join(kept)


def shell_moves(text: str) -> bool:
    """Whether a shell script only prints, copies and starts programs that are followed themselves."""
    plain = _without_texts(text)
    if "$(" in plain or "`" in plain:
        return False
    return all(words[0] in _MOVING_WORDS or words[0] == "!" for words in _commands(plain))


def shell_decodes(text: str, ran: Collection[str]) -> bool:
    """Whether a shell script only gives texts another form; `ran` are the submitted programs that ran."""
    plain = _without_texts(text)
    if _GREP_COUNTS.search(plain) or "$[" in plain:
        return False
    if "awk" in plain and any(
        _AWK_COMPUTES.search(_AWK_TEXT.sub(" ", quoted[1:-1])) for quoted in _TEXT.findall(text)
    ):
        return False
    for words in _commands(plain.replace("`", "\n").replace('"', " ")):
        while words and words[0] in _BEFORE_COMMANDS:
            del words[0]
        if not words or words[0][0] in "<>":
            continue
        if words[0] not in _DECODING_WORDS and posixpath.normpath(words[0]) not in ran:
            return False
        scripts = [word for word in words[1:] if not word.startswith("-")]
        if words[0] in _RUNNERS and posixpath.normpath("".join(scripts[:1])) not in ran:
            return False
    return True


def _without_texts(script: str) -> str:
    """A script without comments and without texts, but with the commands inside texts."""
    return _TEXT.sub(_shortened, _without_here_documents(script.replace("\\\n", " ")))


def _shortened(match: re.Match[str]) -> str:
    text = match.group()
    if text[0] == "\\":
        return text
    return "" if text[0] == "#" else " q " + ("" if text[0] == "'" else _from_first_command(text))


def _from_first_command(text: str) -> str:
    """What begins with the first command whose output the shell puts into a text; empty without one."""
    places = [place for sign in ("$(", "`", "$[") if (place := text.find(sign)) >= 0]
    return text[min(places) :].replace('"', " ").replace("'", " ") if places else ""


def _commands(plain: str) -> Iterator[list[str]]:
    """The words of each command of a script, without settings of variables before it."""
    for segment in re.split(r"[\n;|&(){}]+", plain):
        words = [word for word in segment.split() if not re.match(r"\w+=", word)]
        if words:
            yield words
