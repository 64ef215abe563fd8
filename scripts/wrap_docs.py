#!/usr/bin/env python3
"""Wraps the prose of Markdown files at 100 columns. Tables, code and headings keep their lines.

usage: scripts/wrap_docs.py [--check] FILE...
"""
import pathlib
import re
import sys

WIDTH = 100
MARKER = re.compile(r"^(\s*)([-*+]|\d+[.)])(\s+)")
# A wrapped line must not begin with these, because Markdown would read it as something else.
SPECIAL = re.compile(r"^([-*+>|#=]|\d+[.)]|```|~~~)(\s|$)|^[-=]+$|^\|")


def wrapped(text, first, rest):
    """Returns the lines of a paragraph. 'first' precedes the first line, 'rest' the others."""
    # A line may also end at a space within code or within a link's text.
    words, lines, line = text.split(), [], None
    for index, word in enumerate(words):
        if line is None:
            line = first + word
        elif len(line) + 1 + len(word) <= WIDTH or SPECIAL.match(" ".join(words[index:index + 2])):
            line += " " + word
        else:
            lines.append(line)
            line = rest + word
    return lines + [line]


def reflowed(source):
    lines, out, paragraph, prefix, hanging, fence = source.split("\n"), [], [], "", "", None

    def flush():
        nonlocal paragraph
        if paragraph:
            # A line that ends with two spaces or a backslash is a line break.
            out.extend(wrapped(" ".join(paragraph), prefix, hanging))
        paragraph = []

    for index, line in enumerate(lines):
        opening = re.match(r"^\s*(```|~~~)", line)
        if fence or opening:
            flush()
            out.append(line)
            if opening:
                fence = None if fence == opening[1] else fence or opening[1]
            continue
        marker = MARKER.match(line)
        indent = len(line) - len(line.lstrip())
        after_blank = index == 0 or not lines[index - 1].strip()
        if not line.strip() or line.lstrip().startswith(("|", "#", "<!--", "<p", "<img", "</")):
            flush()
            out.append(line)
            if line.strip() and not indent:
                hanging = ""
        elif marker and not (indent >= 4 and not hanging):
            flush()
            prefix, hanging = marker[0], " " * len(marker[0])
            paragraph = [line[len(marker[0]):].strip()]
        elif paragraph:
            paragraph.append(line.strip())
        elif indent >= len(hanging) + 4:
            out.append(line)
        elif after_blank or out[-1:] == [""] or out:
            if indent == 0:
                hanging = ""
            prefix = hanging = " " * indent if indent <= len(hanging) else hanging
            paragraph = [line.strip()]
    flush()
    return "\n".join(out)


def main():
    arguments = sys.argv[1:]
    check = arguments[:1] == ["--check"]
    unwrapped = 0
    for name in arguments[1:] if check else arguments:
        path = pathlib.Path(name)
        source = path.read_text()
        result = reflowed(source)
        if result.split() != source.split():
            sys.exit(f"{name}: wrapping would change the words")
        if result == source:
            continue
        if not check:
            path.write_text(result)
            continue
        pairs = zip(source.split("\n") + [""], result.split("\n") + [""])
        line = next(number for number, (old, new) in enumerate(pairs, 1) if old != new)
        print(f"{name}:{line}: not wrapped at {WIDTH} columns; run 'scripts/wrap_docs.py {name}'", file=sys.stderr)
        unwrapped += 1
    sys.exit(1 if unwrapped else 0)


main()
