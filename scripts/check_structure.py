"""Checks the rules of docs/developers/architecture.md: which module may import which, what libraries must not say or use, and which tests docs name."""

import pathlib
import re
import sys

FLOORS = ["Rules", "Means", "Engines", "App", "Program"]
# The floors that read the time of day and the environment: the program, and the modules for apps.
SURROUNDED = {"App", "Program"}
# The floor without input, output, clock or environment.
PURE = "Rules"
IMPURE = {"Foundation", "FoundationEssentials", "FoundationNetworking", "Dispatch", "Glibc", "Musl", "Darwin"}
# Discovery reads the tables of legacy encodings from the C library; see docs/developers/decisions/0002-discovery.md.
PERMITTED = {("Sources/Rules/AFCDiscovery/Text/ConversionTable.swift", name) for name in ("Glibc", "Musl", "Darwin")}
# Modules that may import others on their own floor; all others import the floors below only.
STANDS_ON = {
    "AFCArchive": {"AFCHTTP", "AFCText"},
    "AFCCaching": {"AFCHTTP", "AFCText", "AFCURL"},
    "AFCChannel": {"AFCHTTP", "AFCPackageFormat", "AFCText", "AFCURL"},
    "AFCCrawlRules": {"AFCCaching", "AFCCredentials", "AFCDiscovery", "AFCHTTP", "AFCPackageFormat", "AFCText", "AFCURL"},
    "AFCCredentials": {"AFCText", "AFCURL"},
    "AFCDiscovery": {"AFCURL"},
    "AFCPackageFormat": {"AFCCaching", "AFCHTTP", "AFCText", "AFCURL"},
    "AFCBatch": {"AFCPackageFormat", "AFCText", "AFCYAML"},
    "AFCSyncFile": {"AFCPackageFormat", "AFCText", "AFCURL", "AFCYAML"},
    "AFCYAML": {"AFCText"},
    "AFCCoding": {"AFCZip"},
    "AFCFiles": {"AFCPlatform"},
    "AFCOrigin": {"AFCBlocking", "AFCPlatform"},
    "AFCPackageFile": {"AFCFiles", "AFCZip"},
    "AFCPackaging": {"AFCTime"},
    "AFCProcess": {"AFCFiles", "AFCPlatform"},
    "AFCZip": {"AFCFiles", "AFCPlatform"},
    "AFCResolver": {"AFCCache"},
    "AFCSearch": {"AFCCache"},
    "AFCExport": {"AFCCache", "AFCSearch"},
    "AFCServer": {"AFCResolver", "AFCCache", "AFCSearch"},
    "AFCCrawler": {"AFCBrowser"},
    "AFCPackager": {"AFCCrawler"},
    "AFCImport": {"AFCCrawler", "AFCPackager"},
    "AFCProvisioning": {"AFCCache", "AFCDelivery", "AFCDelta"},
    "AFCModelContext": {"AFCCache", "AFCSearch", "AFCServer"},
    "AFCTrial": {"AFCBrowser", "AFCCache", "AFCServer"},
    "AFCRecorder": {"AFCCache", "AFCCrawler", "AFCPackager", "AFCResolver", "AFCServer"},
}
# Only the program and the modules for apps read the time of day and the environment. The files in HEEDING follow a convention of the system.
SURROUNDINGS = re.compile(r"\b(?:time\(nil\)|gettimeofday|CLOCK_REALTIME|Date\(\)|Date\.now|getenv|ProcessInfo)\b")
HEEDING = {"Sources/Means/AFCFiles/OutputTarget.swift", "Sources/Engines/AFCServer/Transport/SocketActivation.swift"}
# External libraries that only one module may import.
OWNED = {"AsyncHTTPClient": "AFCAsyncHTTPClient", "Hummingbird": "AFCHummingbird", "CYAML": "AFCYAML", "CLibzip": "AFCZip", "CZlib": "AFCZip", "CLibdeflate": "AFCZip", "CLibidn2": "AFCURL", "CLibpsl": "AFCURL", "CBrotli": "AFCCoding"}
# Those that two modules import, each for a purpose of its own.
SHARED = {"CZstd": {"AFCDelta", "AFCCoding"}}

IMPORT = re.compile(r"^(?:@\w+ )?(?:(?:public|package|internal|private) )?import (?:(?:struct|enum|class|func|protocol) )?(\w+)")
# Files with text that only looks like a command or an option: a suite's name in a report, properties in a style sheet.
NAMED = {"Sources/Engines/AFCLinter/Output/JUnitReport.swift", "Sources/Rules/AFCBatch/BatchRecord.swift", "Sources/Engines/AFCPackager/Report/ReportStyle.swift", "Sources/Engines/AFCTrial/Report/TrialStyle.swift",
         "Sources/Engines/AFCServer/Pages/PageStyle.swift", "Sources/Engines/AFCExport/HomeParts.swift",
         "Sources/Engines/AFCExport/File/FileShell.swift",
         # An option of the program that loads programs.
         "Sources/Engines/AFCDelivery/Image/ImageProgram.swift"}


def commands():
    """Returns the names of the program's commands, from the types that it lists as subcommands."""
    program = "\n".join(path.read_text() for path in sorted(pathlib.Path("Sources/Program").rglob("*.swift")))
    root = program[program.index("struct AFCacheCommand:") :]
    types = re.findall(r"(\w+)\.self", re.search(r"subcommands: \[(.*?)\]", root, re.DOTALL)[1])
    return [re.search(rf'struct {name}\b.*?commandName: "(\w+)"', program, re.DOTALL)[1] for name in types]


# The text that a signature signs begins with such words, too.
OPTION = re.compile(rf"(?<![\w<!(-])--[a-z][a-z-]+|\bafcache (?:{'|'.join(commands())})\b(?! signature 1)")

problems = []
# The project's modules, and the headers of C libraries, that each module imports.
imports = {}
floor_of = {}
for floor in FLOORS:
    for folder in pathlib.Path("Sources", floor).iterdir():
        floor_of[folder.name] = floor

for path in sorted(pathlib.Path("Sources").rglob("*.swift")):
    floor, module = path.parts[1], path.parts[2]
    # Code of tutorials is a program of its own; scripts/docc compiles it.
    if floor == "C" or any(part.endswith(".docc") for part in path.parts):
        continue
    for number, line in enumerate(path.read_text().splitlines(), 1):
        place = f"{path}:{number}"
        if match := IMPORT.match(line):
            name = match[1]
            imports.setdefault(f"{floor}/{module}", set()).add(name)
            if name in floor_of:
                if FLOORS.index(floor_of[name]) > FLOORS.index(floor):
                    problems.append(f"{place}: {module} is on a lower floor than {name} and can't import it")
                elif floor == floor_of[name] and name not in STANDS_ON.get(module, set()):
                    problems.append(f"{place}: {module} can't import {name} of the same floor; see docs/developers/architecture.md")
            if floor == PURE and (name in IMPURE or name.startswith("NIO")) and (str(path), name) not in PERMITTED:
                problems.append(f"{place}: {module} is a rule, without input and output, and can't import {name}")
            if OWNED.get(name, module) != module:
                problems.append(f"{place}: only {OWNED[name]} imports {name}")
            if module not in SHARED.get(name, {module}):
                problems.append(f"{place}: only {' and '.join(sorted(SHARED[name]))} import {name}")
        if floor not in SURROUNDED and str(path) not in HEEDING and SURROUNDINGS.search(line):
            problems.append(f"{place}: only the program and the modules for apps read the time of day and the environment")
        if floor != "Program" and str(path) not in NAMED and OPTION.search(line):
            problems.append(f"{place}: a library names no option and no command; the program adds the remedy")


def dependencies(text):
    return set(re.findall(r"\w+", text or ""))


# The fuzzers have a manifest of their own, which nothing else builds.
manifest = pathlib.Path("Package.swift").read_text()
MODULE = re.compile(r'module\(\s*"([\w/]+)"(?:,\s*\[([^\]]*)\])?\s*\)')
modules = {place: dependencies(names) for place, names in MODULE.findall(manifest)}
for place, names in modules.items():
    for name in sorted(name for name in names if name.startswith(("AFC", "C")) and name not in imports.get(place, ())):
        problems.append(f"Package.swift: {place} doesn't import '{name}'")
for place, names in MODULE.findall(pathlib.Path("Fuzz/Package.swift").read_text()):
    if place not in modules:
        problems.append(f"Fuzz/Package.swift: Package.swift has no module '{place}'")
    elif modules[place] != dependencies(names):
        problems.append(f"Fuzz/Package.swift: {place} has other dependencies in Package.swift")
for path in [*pathlib.Path("Fuzz").rglob("*"), *pathlib.Path("Tests").rglob("*")]:
    if path.is_symlink() and not path.exists():
        problems.append(f"{path}: the link leads nowhere")

# Every behavior that the lists for those who come from other caches promise has a suite that exists.
suites = set()
for path in pathlib.Path("Tests").rglob("*.swift"):
    suites |= set(re.findall(r"(?m)^(?:@Suite\S* |final )*(?:class|struct|enum) (\w+Tests)\b", path.read_text()))
for page in ["docs/developers/from-nsurlcache.md", "docs/developers/from-afcache.md"]:
    # An item '- described: what AFCache does' ends with its suites, '(SomeTests, OtherTests)', or with '(the same)'.
    items = [" ".join(item.split()) for item in re.findall(r"(?m)^- (?:.|\n  )+", pathlib.Path(page).read_text())]
    items = [item for item in items if re.match(r"- (?:\*\*.+?\*\*|`.+?`(?:, `.+?`)*)[^.:(]*: ", item)]
    ends = [re.search(r" \((\w+Tests(?:, \w+Tests)*|the same)\)$", item) for item in items]
    problems += [f"{page}: '{item[:60]}…' names no suite" for item, end in zip(items, ends) if not end]
    if not items:
        problems.append(f"{page}: no item names a suite")
    for suite in {suite for end in ends if end and end[1] != "the same" for suite in end[1].split(", ")} - suites:
        problems.append(f"{page}: there is no suite '{suite}'")

# A library behind a trait is imported within '#if' and the trait's name only; scripts/test-core builds without all of them.
traits = dict(re.findall(r'(?m)name: "(C\w+)", condition: \.when\(traits: \["(\w+)"\]\)', manifest))
if not traits:
    problems.append("Package.swift: no C library has a trait")
for path in pathlib.Path("Sources").rglob("*.swift"):
    conditions = []
    for line in path.read_text().splitlines():
        if line.startswith("#if"):
            conditions.append(line)
        elif line.startswith("#else"):
            conditions[-1] = ""
        elif line.startswith("#endif"):
            conditions.pop()
        elif (found := re.match(r"(?:\w+ )?import (\w+)", line)) and found[1] in traits:
            if f"#if {traits[found[1]]}" not in conditions:
                problems.append(f"{path}: 'import {found[1]}' isn't within '#if {traits[found[1]]}'")

for problem in problems:
    print(problem, file=sys.stderr)
sys.exit(1 if problems else 0)
