"""Read what users read, as an editor would: `python .ci/check_prose.py [FILE ...]`.

Proselint finds clichés, needless words and misused ones; the house's own rules stand beside it. Why
they are rules: docs/writing.md. It reads Markdown pages (the changelog and its fragments among
them), docstrings, the help of commands, messages, and the templates and scripts of pages, and
leaves out code, tables and names in backticks.
"""

import ast
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import proselint.checks
from proselint.registry import CheckRegistry
from proselint.registry.checks import Check, CheckResult, types
from proselint.tools import LintFile

MOST_WORDS = 34
PROSELINT_CHECKS = (
    "archaism",
    "cliches",
    "hedging",
    "industrial_language",
    "malapropisms",
    "mixed_metaphors",
    "needless_variants",
    "nonwords",
    "redundancy",
)
BETTER_WORDS = {
    r"asks? for no": "does not ask for",
    r"(it|this|that) (is|was) no": "is not",
    r"whichever": "the one that",
    r"whereof|thereof|thereby|therein|herein|whereby": "plain words",
    r"in order to": "to",
    r"(is|are) able to": "can",
    r"utili[sz](e|es|ing)": "use",
    r"prior to": "before",
    r"for want of": "without, or because something is missing",
    r"one's": "your",
    r"(is|are) to be": "must be, or say who does it",
    r"leaves? the words of": "what happens to the words",
    r"together to see": "who keeps what together",
    r"to look for them": "to find",
    r"what (was|were) \w+ (from|with|by) (was|were)": "the name of the thing",
    r"(goes|go|going) on (where|from|with|by itself)": "continue, or resume",
    r"(is|are) no fair": "is not a fair",
    r"intervals? of \d+ ?%": "95% interval",
    r"(only|at most|first) so many": "this many",
    r"not certainly": "but not clearly",
    r"shall": "should, or say who does it",
    r"made (tables|tickets|messages|documents)": "invented",
    r"is none of": "is not one of",
    r"without end": "forever",
}
INVERSIONS = (
    r"(?:^\s*|\n\s*\n\s*|[.:;]\s+)(?:"
    + "|".join(
        (
            r"Of \d[\d,]* \w+[^.,;]{0,40}? (?:it|they|he|we) ",
            r"(?:Nowhere|Never|Only then|Nor|Hardly) (?:is|are|was|do|does|did|has|can) ",
            r"(?:Read|Printed|Kept|Counted|Shown|Written|Given|Said) (?:is|are|was|were) ",
        )
    )
    + ")"
)


def long_sentences(text: str, check: Check) -> Iterator[CheckResult]:
    """Sentences of more words than a reader keeps in mind."""
    start = 0
    for end in re.finditer(r"[.?!:;|]['\")]?(?=\s)|\n\s*\n|\n\s*(?:[-*]|\d+\.) ", text):
        words = re.findall(r"\w[\w'.-]*", text[start : end.start()])
        if end.group()[0] in ".?!:;" and len(words) > MOST_WORDS:
            message = f"{len(words)} words in a sentence; make two of it."
            yield CheckResult(check.path, message, (start, end.start()), None)
        start = end.end()


PERCENT = r"\d %(?:[\s.,;:)]|$)"
# A number that begins with its point; file endings and formats of numbers are none.
NO_ZERO = r"(?:^|[\s(+-])\.\d+(?:[\s.,;:)%]|$)"

HOUSE_CHECKS = (
    Check(long_sentences, path="house.long_sentences"),
    Check(types.PreferredForms(BETTER_WORDS), path="house.words", message="'{1}': write '{0}'."),
    Check(
        types.ExistenceSimple(INVERSIONS),
        path="house.inversions",
        message="Start with who does it.",
    ),
    Check(
        types.ExistenceSimple(PERCENT), path="house.percent", message="No space before the sign."
    ),
    Check(types.ExistenceSimple(NO_ZERO), path="house.zero", message="Write 0.5, not .5."),
)


def blanked(text: str, pattern: str, filling: str = " ") -> str:
    """The text with matches blanked out, and every line where it was."""
    return re.sub(
        pattern, lambda match: re.sub(r"[^\n]", filling, match.group()), text, flags=re.M | re.S
    )


def markdown_prose(text: str) -> str:
    """A page without code, tables, headings, addresses and directives."""
    text = blanked(text, r"^ *(```+|~~~+|:::+)[^\n]*$.*?^ *\1\s*?$")
    text = blanked(text, r"<!--.*?-->|\A---\n.*?\n---$")
    text = blanked(text, r"^ *\|[^\n]*$|^#[^\n]*$|^ *:[\w-]+:[^\n]*$")
    text = blanked(text, r"\]\([^)]*\)|https?://\S+|<[^>\n]+>|[\[\]*]")
    return blanked(text, r"`[^`]+`", "x")


def python_prose(text: str) -> Iterator[tuple[int, str]]:
    """Docstrings, help and messages: strings of several words, each with its line."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            prose = blanked(node.value, r"^\s*(>>>|\.\.\.)[^\n]*$|https?://\S+|:\w+:")
            prose = blanked(prose, r"``?[^`]+``?", "x")
            prose = blanked(prose, r"^[^\n]*\n\s*[-=~]{3,}\s*$|^\s*\w[\w, ]* : [^\n]*$")
            if len(re.findall(r"[a-z]{2,} ", prose)) >= 4:
                yield node.lineno, prose


def template_prose(text: str) -> str:
    """A template without its statements, its values and its markup; a value stands as a word."""
    text = blanked(text, r"\{#.*?#\}|\{%.*?%\}|<style>.*?</style>|<code>.*?</code>")
    text = blanked(text, r"\{\{.*?\}\}", "x")
    # A paragraph, a cell or an item ends a sentence.
    text = re.sub(r"</?(?:p|li|td|th|h\d|span|option)\b", "|", text)
    return blanked(text, r"<[^>]*>|^[^<|]*?>")


def script_prose(text: str) -> Iterator[tuple[int, str]]:
    """The strings of several words in a script, each with its line."""
    for found in re.finditer(r'"([^"\n]*)"', text):
        if len(re.findall(r"[a-z]{2,} ", found[1])) >= 4:
            yield text.count("\n", 0, found.start()) + 1, found[1]


def pieces_of(path: Path) -> Iterable[tuple[int, str]]:
    """What a file tells its readers, in pieces, each with its first line."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        return python_prose(text)
    if path.suffix == ".js":
        return script_prose(text)
    return [(1, template_prose(text) if path.suffix == ".html" else markdown_prose(text))]


def findings(path: Path, checks: list[Check]) -> Iterator[str]:
    """What an editor would say of a file, a line each."""
    for first_line, prose in pieces_of(path):
        page = LintFile(str(path), prose)
        for check in checks:
            for result in check.check_with_flags(page.content):
                if page.is_quoted_pos(result.span[0]):
                    continue
                line = first_line + page.content.count("\n", 0, result.span[0] + 1) - 1
                passage = " ".join(page.content[slice(*result.span)].split())
                yield f"{path}:{line}: {result.message} [{check.path}] {passage[:90]}"


def main(names: list[str]) -> int:
    """Print the findings; 1 if there are any."""
    if not names:
        patterns = ("*.md", "src/*.py", "src/*.html", "src/*.js", "cookbook/*.py", "examples/*.py")
        command = ["git", "ls-files", *patterns, ":!results", ":!paper/results"]
        names = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    registry = CheckRegistry()
    registry.register_many((*proselint.checks.__register__, *HOUSE_CHECKS))
    checks = registry.get_all_enabled(dict.fromkeys((*PROSELINT_CHECKS, "house"), True))
    lines = [line for name in names for line in findings(Path(name), checks)]
    if lines:
        print(*lines, sep="\n")
    return bool(lines)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
