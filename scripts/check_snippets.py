"""Checks that the Swift code of the documentation is compiled: each block must be in a source file, line by line.

Comments and indentation may differ. Lines that import a module must be in the same file, anywhere.
"""

import pathlib
import re
import sys

PAGES = ["README.md", "docs/reference/app.md", "docs/reference/library.md", "docs/reference/mounting.md", "docs/reference/server-side.md",
         *sorted(map(str, pathlib.Path("docs/developers").glob("from-*.md"))), *sorted(map(str, pathlib.Path("Examples").glob("*/README.md")))]
SOURCES = ["Tests", "Examples"]
BLOCK = re.compile(r"^```swift\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def plain(text):
    """Returns the lines of code without comments and spaces at both ends; empty lines are left out."""
    lines = [re.sub(r"(?:^|\s+)//.*", "", line).strip() for line in text.splitlines()]
    return [line for line in lines if line]


def contains(lines, wanted):
    """Returns true if the wanted lines follow each other."""
    return any(lines[start : start + len(wanted)] == wanted for start in range(len(lines) - len(wanted) + 1))


sources = [plain(path.read_text()) for folder in SOURCES for path in pathlib.Path(folder).rglob("*.swift") if ".build" not in path.parts]
problems, blocks = 0, 0
for page in PAGES:
    text = pathlib.Path(page).read_text()
    for match in BLOCK.finditer(text):
        blocks += 1
        wanted = plain(match[1])
        imports = {line for line in wanted if line.startswith("import ")}
        code = [line for line in wanted if line not in imports]
        if not any(imports <= set(lines) and contains(lines, code) for lines in sources):
            line = text.count("\n", 0, match.start()) + 1
            print(f"{page}:{line}: no source below {' or '.join(SOURCES)} has this code; add it to Tests/Outside/Sources/Snippets", file=sys.stderr)
            problems += 1
if not blocks:
    print("check_snippets: the documentation has no Swift code; is this the project's folder?", file=sys.stderr)
sys.exit(1 if problems or not blocks else 0)
