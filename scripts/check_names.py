#!/usr/bin/env python3
"""Checks that every command, option, file, test suite and HTTP field that a text names exists, and that an option of
several commands is declared once, so that its name means the same everywhere.

usage: scripts/check_names.py AFCACHE [FOLDER]

AFCACHE is the program; its own description says which commands and options exist. FOLDER is the folder of the project (by
default this one). Each finding is a line with file, line and name; the exit code is then 1.
"""
import json
import pathlib
import re
import subprocess
import sys

# Options of other programs that texts name.
OTHERS = {
    "--break-system-packages", "--build-tests", "--disable-xctest", "--enable-swift-testing", "--experimental-dump-help",
    "--filter", "--health-cmd", "--help", "--insecure-ignore-tlog", "--parallel", "--skip", "--skip-build", "--static-swift-stdlib", "--version",
}
# Options that several commands declare for themselves: how many declarations there are, and why it isn't one.
DECLARED = {
    "--allow-private": (3, "what else can then be reached, and by whom, differs"),
    "--at": (2, "the time by which dates are judged, and the time until which captures count"),
    "--base-url": (2, "the URL of a folder's site, which 'repack' takes, too; that of a ZIM file's entries, with another default"),
    "--ca": (3, "the folder of the authority; without it, it is the user's own, a new one, or none"),
    "--cache": (3, "'sync' has a default of its own, in its file; 'diff' compares files without it"),
    "--fail-on": (2, "a crawl has other levels than lint"),
    "--format": (2, "a report and a certificate have different formats"),
    "--host": (3, "the name of a site's host; 'cache clear' takes one, 'load' several, and 'ca create' several, or addresses"),
    "--include": (2, "the same patterns; 'pack' follows links, and the others list what is there"),
    "--json": (2, "one document, or one object per line"),
    "--listen": (2, "an address; 'serve' always listens, and 'record' runs a program without it"),
    "--max-bytes": (2, "bodies of a crawl, after which it stops; and a file that isn't written"),
    "--match": (2, "the same rules; 'replay' has another default"),
    "--missing": (3, "the same list, written at the end of a trial or of the server; and what 'replay' does without a response"),
    "--name": (2, "the name in caches, and the name that a new package states"),
    "--netrc": (2, "the hosts that get its logins differ"),
    "--output": (8, "a package, a new file, a result, a new folder, one that may be replaced, one that is filled, a pair of keys, and an image"),
    "--overwrite": (3, "what is replaced without it differs, and what it costs to replace an authority"),
    "--password-file": (2, "'cache repair' doesn't ask for a password"),
    "--received": (2, "'cache clear' wants it as a confirmation"),
    "--report": (2, "a page or JSON of a crawl, and JSON of an import"),
    "--shard": (2, "a part of the sites of a batch, and a number of a crawl's shards"),
    "--site": (2, "the same site, of the server or of an image that serves; an image has a default"),
    "--threshold": (2, "a new channel has a default"),
    "--valid-for": (2, "an authority is valid for whole days, and for ten years at most"),
}
# The most options that a command's help page may show.
VISIBLE = {"pack": 45}
# Phrases that look like calls: a certificate's name, the text that is signed, an example of an error, sentences.
NO_CALLS = re.compile(r"^(?:local authority|package [a-z]+ v?[0-9]|(?:package|channel) signature|rollout 1|lnit|skips|understands)")
# A call in a page, a help page or a source; in a script, where a command may stand; in a program in Python.
IN_TEXT = re.compile(r"(?:^|(?<=[\s\"'`(|&;/=]))(?<!-[\w] )(?<!--product )(?:\S*/)?afcache[ \t]+(?=[a-z\"$-])([^\n|;&>`]*)", re.M)
IN_SCRIPT = re.compile(
    r"(?:(?:^\s*(?:- )?|[|&;('\"]\s*|: +|=/\S*/)afcache|\"?\$\{?\(?(?:afcache|AFCACHE|program)\)?\}?\"?) +(?=[a-z-])([^\n|;&>]*)", re.M
)
IN_PYTHON = re.compile(r"\b(?:afcache|AFCACHE|program), (?=\")([^\n]*)")
# Words with hyphens and capitals that aren't HTTP fields.
NO_FIELDS = re.compile(r"^(?:Keep-a-|(?:An?|Each|Extra|Header|No|Other|Structured|The|These|This|Two)$)")
SCRIPTS = ("", ".py", ".yml", ".yaml", ".service", ".socket")
PLACEHOLDER = re.compile(r"^(?:[A-Z_]+$|[$<{…\"@*|]|\.\.\.)")
OPTION = re.compile(r"^(--[A-Za-z][\w-]*|-[A-Za-z])(?:=.*)?$")
FILE = re.compile(r"(?<![\w/.:~$}*-])((?:docs|scripts|Sources|Tests|Fixtures|Benchmarks|Fuzz|support|share/doc/afcache)/[\w./+-]*\w)(?![\w*…<{])")
# Files that the build or a script makes.
MADE = re.compile(r"^(?:Fuzz/(?:\.build|Corpus)|Benchmarks/Results|support/release)|/\.build/")
FIELD = re.compile(r"(?<![\w/-])([A-Z][A-Za-z]*[a-z](?:-[A-Z][A-Za-z0-9]*)+|[A-Z][a-z]+(?= fields?\b))(?![\w/-])")
DECLARATION = re.compile(r"^ *@(?:Option|Flag)\b((?:(?!^ *@(?:Option|Flag|Argument)\b).)*?)(?:^ +|(?<=[)gn]) )var (\w+)", re.M | re.S)
SENT = re.compile(r"\b(?:send|sends|sent|answers? with|adds?|writes?|gets?|has|carries|with)\b")


class Command:
    """A command with its options and subcommands, as the program describes them."""

    def __init__(self, value):
        self.options, self.hidden, self.shown = set(), set(), 0
        for argument in value.get("arguments", []):
            names = [("--" if name["kind"] == "long" else "-") + name["name"] for name in argument.get("names") or []]
            is_shown = argument.get("shouldDisplay", True)
            # An option and its opposite are one line of the page.
            if is_shown and names and not (names[0].startswith("--no-") and names[0].replace("--no-", "--", 1) in self.options):
                self.shown += 1
            # A hidden option that is explained is in the manual page.
            if is_shown or argument.get("abstract"):
                self.options.update(names)
                if not is_shown:
                    self.hidden.update(name for name in names if name.startswith("--") and not name.startswith("--no-"))
        self.commands = {child["commandName"]: Command(child) for child in value.get("subcommands", [])}

    def everything(self):
        return self.options.union(*(child.everything() for child in self.commands.values()))

    def everything_hidden(self):
        return self.hidden.union(*(child.everything_hidden() for child in self.commands.values()))


class Text:
    """A text file and what is code in it."""

    def __init__(self, root, path):
        self.path, self.name = path, path.relative_to(root).as_posix()
        self.text = path.read_text(encoding="utf-8", errors="replace")

    def line(self, offset):
        return self.text.count("\n", 0, offset) + 1

    def code(self):
        """Pairs of an offset and code: what a reader would type, or what is set in a code's quotes."""
        if self.path.suffix == ".md":
            prose = list(self.text)
            for match in re.finditer(r"^ *```[^`]*^ *```$|^(?: {4}|\t).*$", self.text, re.M):
                yield match.start(), match[0]
                for index in range(match.start(), match.end()):
                    prose[index] = "\n" if prose[index] == "\n" else " "
            for match in re.finditer(r"`([^`]+)`", "".join(prose)):
                if "\n\n" not in match[1]:
                    yield match.start(1), " ".join(match[1].split())
        elif self.path.suffix == ".swift":
            for match in re.finditer(r"^ *///? ?.*$", self.text, re.M):
                for span in re.finditer(r"`([^`]+)`", match[0]):
                    yield match.start() + span.start(1), span[1]
            for match in re.finditer(r"(?<![\w\\(])'((?:afcache |--?[a-z])(?:[^'\n\\]|\\\n *)*)'", self.text):
                yield match.start(1), match[1].replace("\\\n", " ")
            for match in re.finditer(r"^ +(afcache [a-z].*)$", self.text, re.M):
                yield match.start(1), match[1]
        elif self.path.suffix == ".txt":
            for match in re.finditer(r"(?<!\w)'((?:afcache |--?[a-z])[^']*)'|^ +(afcache [a-z].*)$", self.text, re.M):
                yield match.start(match.lastindex), match[match.lastindex]
        elif self.path.suffix == ".py":
            for match in IN_PYTHON.finditer(self.text):
                yield match.start(), "afcache " + " ".join(re.findall(r"(?<=[\s,\[(*])\"(--?\w[\w-]*|[a-z]+)\"", " " + match[1]))
        else:
            for match in IN_SCRIPT.finditer(re.sub(r"(?m)(?:^|(?<=\s))#.*", lambda found: " " * len(found[0]), self.text)):
                yield match.start(), "afcache " + match[1]


class Checker:
    def __init__(self, program, root):
        described = json.loads(subprocess.run([program, "--experimental-dump-help"], check=True, capture_output=True).stdout)
        self.root, self.program, self.findings = root, Command(described["command"]), []
        # A plan takes options of packing as they are.
        self.program.commands["crawl"].commands["plan"].options |= self.program.commands["pack"].options
        self.options = self.program.everything()
        sources = [path for path in (root / "Sources").rglob("*.swift")]
        exact = "\n".join(path.read_text() for path in sources)
        self.sources = exact.lower()
        # A field of one word is often a word for something else as well, so it has to stand where fields do.
        self.fields = set(re.findall(r"\[\.([a-z]+)\]|(?:[(]|: |^ *)\"([A-Z][a-z]+)\"", exact, re.M))
        self.fields = {name.lower() for pair in self.fields for name in pair}
        tests = list((root / "Tests").rglob("*.swift"))
        self.suites = {path.stem for path in tests} | {path.name for path in (root / "Tests").glob("*")}
        for path in tests:
            self.suites |= set(re.findall(r"\b(?:struct|class|enum|extension) (\w+Tests)\b", path.read_text()))
        tools = [path for folder in ("scripts", "Benchmarks", "Tests", ".ci") for path in (root / folder).rglob("*")]
        self.script_options = set(OTHERS)
        for path in tools:
            if path.is_file() and path.name != "check_names.py" and (path.suffix == ".py" or not path.suffix):
                text = path.read_text(errors="replace")
                self.script_options |= set(re.findall(r"^\s*(?:-\w \| )?(--[a-z][a-z-]+)(?:=?\*)?\)", text, re.M))
                self.script_options |= set(re.findall(r"add_argument\(\s*\"(--[a-z][a-z-]+)", text))
                self.script_options |= set(re.findall(r"(?<=\")--[a-z][a-z-]+(?=\" in)|(?<== )--[a-z][a-z-]+", text))

    def report(self, text, offset, sentence):
        self.findings.append(f"{text.name}:{text.line(offset)}: {sentence}")

    def call(self, text, offset, words, of=None):
        """Checks the words behind 'afcache'."""
        command, call, index = of or self.program, "afcache", 0
        while index < len(words):
            word = words[index].strip("`\"',.;:()[]")
            index += 1
            option = OPTION.match(word)
            if option:
                if option[1] == "--generate-completion-script":
                    return
                if option[1] not in command.options | {"--help", "-h", "--version"} and option[1] not in OTHERS:
                    self.report(text, offset, f"'{call}' has no option '{option[1]}'")
            elif command.commands:
                if PLACEHOLDER.match(word) or not word:
                    return
                if word == "help" and command is self.program:
                    continue
                if word not in command.commands:
                    return self.report(text, offset, f"there is no command '{call} {word}'")
                command, call = command.commands[word], f"{call} {word}"

    def check_code(self, text):
        known = set(self.program.commands)
        for offset, code in text.code():
            seen = False
            for match in IN_TEXT.finditer(code):
                seen = True
                if not NO_CALLS.match(match[1]):
                    self.call(text, offset + match.start(), re.split(r" {3,}", match[1])[0].split())
            if seen or text.path.suffix not in (".md", ".swift", ".txt"):
                continue
            words = code.removeprefix("… ").split()
            if not words:
                continue
            if words[0] in known and len(words) > 1 and (OPTION.match(words[1]) or words[1] in self.program.commands[words[0]].commands):
                self.call(text, offset, re.split(r"[|;&>]", " ".join(words))[0].split())
            elif words[0].startswith("--") and not words[0].startswith("---"):
                option = OPTION.match(words[0].strip("`\"',.;:()[]"))
                if option and option[1] not in self.options | self.script_options:
                    self.report(text, offset, f"no command has an option '{option[1]}'")

    def check_files(self, text):
        # The files that recipes name, and those of small sites, are sites' own.
        if text.path.name in ("BuiltInRecipes.swift", "small_sites.py"):
            return
        for match in FILE.finditer(text.text):
            name = match[1]
            if name.startswith("share/doc/afcache/"):
                name = "docs/" + name.removeprefix("share/doc/afcache/")
            if MADE.search(name) or (self.root / name).exists() or (text.path.parent / name).exists():
                continue
            # A file is also named without its suffix, and a suite by its folder.
            if list((self.root / name).parent.glob((self.root / name).name + ".*")):
                continue
            self.report(text, match.start(), f"there is no file '{name}'")

    def check_page(self, text):
        for match in re.finditer(r"\b[A-Z]\w+Tests\b(?!/)", text.text):
            if match[0] not in self.suites:
                self.report(text, match.start(), f"there is no test suite '{match[0]}'")
        for match in FIELD.finditer(text.text):
            name = match[1]
            if NO_FIELDS.search(name):
                continue
            if "-" not in name:
                if name.lower() not in self.fields:
                    self.report(text, match.start(), f"no source has a field '{name}'")
            elif name.lower() not in self.sources and name.lower().replace("-", "") not in self.sources:
                self.report(text, match.start(), f"no source has a field '{name}'")

    def check_declarations(self):
        """Checks that each option is declared once in the program, but for those with a reason."""
        places = {}
        for path in sorted((self.root / "Sources/Program").rglob("*.swift")):
            text = Text(self.root, path)
            for match in DECLARATION.finditer(text.text):
                names = re.findall(r"\.customLong\(\"([^\"]+)\"\)", match[1])
                if not names or re.search(r"\.(?:long|shortAndLong)\b", match[1]):
                    names.append(re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "-", match[2]).lower())
                for name in names:
                    places.setdefault(f"--{name}", []).append((text, match.start()))
        for name, found in sorted(places.items()):
            if len(found) != DECLARED.get(name, (1,))[0]:
                self.report(*found[-1], f"'{name}' is declared in {len(found)} places; share it, or give a reason in check_names.py")
        if self.root == pathlib.Path(__file__).resolve().parent.parent:
            known = {name for name in self.options if name.startswith("--")} - {"--help", "--version"}
            lost = {name for name in known if name not in places and name.replace("--no-", "--", 1) not in places}
            for name in sorted(lost | DECLARED.keys() - places.keys()):
                self.findings.append(f"scripts/check_names.py: no source declares '{name}'")

    def check_visible(self):
        """Checks that help pages stay readable, and that what they leave out is in the reference."""
        for name, limit in VISIBLE.items():
            command = self.program.commands.get(name)
            if command and command.shown > limit:
                self.findings.append(f"'{name} --help' shows {command.shown} options; hide some, since more than {limit} are hard to read")
        reference = "\n".join(path.read_text() for path in (self.root / "docs/reference").glob("*.md"))
        for name in sorted(self.program.everything_hidden()):
            if reference and not re.search(rf"{name}(?![\w-])", reference):
                self.findings.append(f"'{name}' is in no help page and in no page of docs/reference; explain it in one")

    def run(self):
        self.check_declarations()
        self.check_visible()
        pages = [*self.root.glob("*.md"), *(self.root / "docs").rglob("*.md")]
        helps = list((self.root / "Tests/EndToEndTests/Help").glob("*.txt"))
        sources = list((self.root / "Sources").rglob("*.swift"))
        files = [self.root / name for name in ("action.yml", "Makefile", ".pre-commit-hooks.yaml")]
        files += [path for folder in ("Benchmarks", "Tests") for path in (self.root / folder).rglob("*.py")]
        for folder in ("scripts", "support", "share", ".ci", ".github"):
            files += [path for path in (self.root / folder).rglob("*") if path.suffix in SCRIPTS]
        for path in sorted(pages + helps + sources + [path for path in files if path.is_file() and path.name != "check_names.py"]):
            text = Text(self.root, path)
            self.check_code(text)
            self.check_files(text)
            if path.suffix == ".md":
                self.check_page(text)
        return self.findings


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3) or sys.argv[1] in ("-h", "--help"):
        sys.exit(__doc__)
    folder = sys.argv[2] if len(sys.argv) == 3 else pathlib.Path(__file__).parent.parent
    found = Checker(sys.argv[1], pathlib.Path(folder).resolve()).run()
    print("\n".join(found), end="\n" if found else "")
    sys.exit(1 if found else 0)
