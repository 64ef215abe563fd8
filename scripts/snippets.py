"""Finds the code blocks of a Markdown page, with the directives before them, which say how its commands are run.

`scripts/test-snippets` runs the commands of the README and of `docs`, and compares what they
print with what the page shows. `scripts/test-snippets PAGE` shows each of one page with its output.

Each page runs from its beginning to its end in an empty folder, with `Fixtures` from the sources,
in namespaces of its own: any user may run it, and nothing on the machine changes. Its network
reaches only a local server, which answers for the hosts in `SITES` (`scripts/test_snippets.py`).
The user is root there; `sudo` only runs its command.

A block is a **session** if it is fenced as `sh`, or not fenced and begins with `$` or a known
program. With prompts, the other lines are output; without, each line is a command, and text after
three spaces a comment. A command must exit with 0, unless its output has a line that begins with
`error:`. If output is shown, it has to be all of it; `…` stands for anything within a line, and a
line with only `…` for any lines. Times, dates, sizes, digests, fingerprints and high ports match
any other. `afcache serve`, `afcache open` and `python3 -m http.server` run until the next one of
the same program, or the end of the page; then Control-C must end them with 0.

Comments before a block, which readers don't see, say the rest:

- `<!-- run: skip REASON -->`: the commands can't run: they need a registry, systemd, a screen
- `<!-- run: given FILE… -->`: what the reader has already, made by commands in `GIVEN`
- `<!-- run: file NAME -->`: the block is the content of this file (`#!/bin/sh`: and runs)
- `<!-- run: text -->`: the block only looks like a session
- `<!-- run: exit N -->`: the exit code of the block's last command
- `<!-- run: $ COMMAND -->`: a step that the page only describes
- `<!-- run: stop -->`: Control-C for all servers

Use the same hosts and file names through a page.

usage: scripts/snippets.py PAGE...     checks the directives of pages, without running anything
"""

import pathlib
import re
import sys

# A block is a session if its first word is one of these, or a prompt. Anything else is what a file or an output contains.
PROGRAMS = {
    "afcache", "apt", "cd", "certutil", "chmod", "chromium", "cp", "curl", "docker", "echo", "git", "if", "kubectl", "make", "mkdir",
    "mv", "npm", "oras", "podman", "python3", "rm", "rsync", "skopeo", "sudo", "swift", "wget",
}
DIRECTIVE = re.compile(r"^\s*<!-- run: (\S+) ?(.*?) -->$")
VERBS = {"skip", "given", "file", "exit", "stop", "text", "$"}
MARKER = re.compile(r"^(\s*)([-*+]|\d+[.)])(\s+)")


class PageError(Exception):
    pass


class Block:
    """A code block, or a place with directives only: 'lines' is empty then."""

    def __init__(self, number, language, lines, directives):
        self.number, self.language, self.lines, self.directives = number, language, lines, directives

    @property
    def is_session(self):
        if self.language in ("sh", "console"):
            return True
        if self.language or not self.lines:
            return False
        words = self.lines[0].split()
        while words and re.match(r"^\w+=", words[0]):
            words.pop(0)
        return bool(words) and (words[0] in PROGRAMS | {"$"} or words[0].startswith("scripts/"))

    @property
    def is_script(self):
        return self.lines[:1] == ["#!/bin/sh"]

    def commands(self):
        """Pairs of a line number and a command with the output that the page shows, or None if it shows none."""
        found, prompted = [], any(line.startswith("$ ") for line in self.lines)
        continued = False
        for number, line in enumerate(self.lines, self.number):
            if continued:
                found[-1][1] += "\n" + line
            elif line.startswith("$ ") or not prompted:
                if line.strip():
                    # In a list of commands, three spaces separate a command from its meaning.
                    found.append([number, line[2:] if prompted else re.split(r" {3,}(?!#)", line)[0], []])
            elif found:
                found[-1][2].append(line)
            continued = bool(found) and not found[-1][2] and line.endswith("\\")
        return [(number, command, shown or None) for number, command, shown in found]


def blocks(path):
    """Returns the blocks of a page."""
    lines, found, directives = pathlib.Path(path).read_text().split("\n"), [], []
    index, hanging, after_blank = 0, 0, True

    def add(number, language, content):
        nonlocal directives
        found.append(Block(number, language, content, directives))
        directives = []

    while index < len(lines):
        line = lines[index]
        directive = DIRECTIVE.match(line)
        if line.lstrip().startswith("<!-- run:") and not (directive and directive[1] in VERBS):
            raise PageError(f"{path}:{index + 1}: not a directive; known are {', '.join(sorted(VERBS))}")
        if directive:
            directives.append((directive[1], directive[2]))
            index, after_blank = index + 1, True
            continue
        fence = re.match(r"^( *)(```|~~~)(\w*)", line)
        marker = MARKER.match(line)
        indent = len(line) - len(line.lstrip())
        if line.strip() and not indent:
            hanging = len(marker[0]) if marker else 0
        if fence:
            end = index + 1
            while not lines[end].startswith(fence[1] + fence[2]):
                end += 1
            add(index + 2, fence[3], [inner.removeprefix(fence[1]) for inner in lines[index + 1 : end]])
            index, after_blank = end + 1, False
        elif after_blank and line.strip() and indent >= 4 + hanging:
            end, content = index, []
            while end < len(lines) and (not lines[end].strip() or lines[end].startswith(" " * (4 + hanging))):
                content.append(lines[end][4 + hanging :])
                end += 1
            while not content[-1].strip():
                content.pop()
                end -= 1
            add(index + 1, "", content)
            index, after_blank = end, False
        else:
            if line.strip() and directives:
                add(index + 1, "", [])
            index, after_blank = index + 1, not line.strip()
    if directives:
        add(len(lines), "", [])
    return found


def problems(path):
    """Returns a sentence for each directive of a page that has no effect."""
    try:
        found = blocks(path)
    except PageError as error:
        return [str(error)]
    result = []
    for block in found:
        for verb, words in block.directives:
            if verb in ("skip", "given", "file", "exit", "$") and not words:
                result.append(f"{path}:{block.number}: '{verb}' needs a word after it")
            if verb in ("skip", "exit") and not block.is_session or verb in ("file", "text") and not block.lines:
                result.append(f"{path}:{block.number}: '{verb}' is not before a block that it is about")
    return result


if __name__ == "__main__":
    sentences = [sentence for path in sys.argv[1:] for sentence in problems(path)]
    sys.exit("\n".join(sentences) if sentences else 0)
