"""Makes the reference of the libraries from the modules of a build; see scripts/docc.

docc.py SCRATCH SITE BASE all|built|record

With 'built', modules that need a trait are left out if they aren't built. With 'record', the public API of those that are built
is written to Tests/API, and no site is made.
"""

import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# A file for each module, with a line for each public symbol and each conformance, sorted.
API = ROOT / "Tests/API"
# The kinds of symbols that the page of a module must list.
TYPES = "actor|class|enum|protocol|struct|typealias"
# Conformances that the compiler adds by itself; which of them it names depends on its version.
IMPLIED = {"Copyable", "Escapable", "SendableMetatype"}
# The page at the site's root. DocC's own one there only says that there is no such page.
START = '<!doctype html><meta charset="utf-8"><title>afcache</title><meta http-equiv="refresh" content="0; url={0}"><a href="{0}">Documentation</a>\n'


def run(*command):
    """Runs a program, and returns its output; if it fails, its output is this program's error."""
    result = subprocess.run([str(word) for word in command], cwd=ROOT, capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"{result.stdout}{result.stderr}docc: '{pathlib.Path(str(command[0])).name}' failed")
    return result.stdout


def tool(name):
    """The path of a program of Swift's toolchain, which need not be in PATH."""
    beside = pathlib.Path(os.path.realpath(shutil.which("swift") or "swift")).with_name(name)
    return beside if beside.exists() else shutil.which(name) or sys.exit(f"docc: Swift's toolchain has no '{name}'; install a complete one")


class Modules:
    """The modules of the library products, and the arguments with which the compiler finds them."""

    def __init__(self, scratch):
        # With a folder of its own, this doesn't wait for a build.
        with tempfile.TemporaryDirectory(prefix="afcache-docc-") as folder:
            package = json.loads(run("swift", "package", "--scratch-path", folder, "dump-package"))
        libraries = [product for product in package["products"] if "library" in product["type"]]
        self.names = list(dict.fromkeys(name for product in libraries for name in product["targets"]))
        self.folders = {target["name"]: ROOT / target["path"] for target in package["targets"] if target.get("path")}
        self.objects = scratch / "release"
        triple = json.loads(run("swift", "-print-target-info"))["target"]["unversionedTriple"]
        if sys.platform == "darwin":
            triple = triple.replace("macosx", "macosx15.0")
        self.arguments = ["-target", triple, "-I", self.objects / "Modules"]
        # Modules in C: those of the system, those of the dependencies, and those whose map the build made.
        maps = [*(ROOT / "Sources/C").glob("*/module.modulemap"), *self.objects.glob("*.build/module.modulemap")]
        maps += (path for path in (scratch / "checkouts").glob("*/Sources/**/module.modulemap"))
        for path in maps:
            if not path.parent.name.endswith("-tool.build"):
                self.arguments += ["-Xcc", f"-fmodule-map-file={path}"]
        if sys.platform == "darwin":
            self.arguments += ["-sdk", run("xcrun", "--show-sdk-path").strip()]

    def symbols(self, name, folder):
        """Writes the public symbols of a module to a folder, and returns them."""
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        if not (self.objects / f"Modules/{name}.swiftmodule").exists():
            sys.exit(f"docc: the build in '{self.objects}' has no module '{name}'; build the project there")
        run(
            tool("swift-symbolgraph-extract"), "-module-name", name, *self.arguments, "-minimum-access-level", "public",
            "-skip-synthesized-members", "-emit-extension-block-symbols", "-output-dir", folder,
        )
        graphs = [json.loads(path.read_text()) for path in sorted(folder.glob("*.symbols.json"))]
        return [symbol for graph in graphs for symbol in graph["symbols"]]

    def convert(self, name, symbols, archive, base):
        """Makes the archive of a module; a warning is an error."""
        written = self.folders[name] / f"{name}.docc"
        run(
            tool("docc"), "convert", *([written] if written.exists() else []), "--additional-symbol-graph-dir", symbols,
            "--output-dir", archive, "--fallback-display-name", name, "--fallback-bundle-identifier", name,
            "--hosting-base-path", base, "--warnings-as-errors",
        )

    def check(self, source):
        """Compiles a file of a tutorial as a program that has the library, or as a package's manifest."""
        with tempfile.TemporaryDirectory(prefix="afcache-docc-") as name:
            folder, text = pathlib.Path(name), source.read_text()
            if text.startswith("// swift-tools-version"):
                (folder / "Package.swift").write_text(text)
                command = ["swift", "package", "--package-path", folder, "dump-package"]
            else:
                (folder / "main.swift").write_text(text)
                # The package manager adds this property to a target with resources.
                (folder / "Module.swift").write_text("import Foundation\nextension Bundle { static var module: Bundle { .main } }\n")
                command = [
                    "swiftc", "-typecheck", "-swift-version", "6", "-warnings-as-errors", *self.arguments, *folder.glob("*.swift"),
                ]
            result = subprocess.run(list(map(str, command)), capture_output=True, text=True)
        return f"{source.relative_to(ROOT)} doesn't compile:\n{result.stderr}" if result.returncode else None


def interface(folder):
    """The lines that describe a module's public API, by its symbol graphs in a folder."""
    graphs = [json.loads(path.read_text()) for path in sorted(folder.glob("*.symbols.json"))]
    symbols = {symbol["identifier"]["precise"]: symbol for graph in graphs for symbol in graph["symbols"]}
    names = {identifier: ".".join(symbol["pathComponents"]) for identifier, symbol in symbols.items()}
    lines = set()
    for identifier, symbol in symbols.items():
        if symbol["kind"]["identifier"] != "swift.extension":
            declaration = "".join(part["spelling"] for part in symbol["declarationFragments"])
            lines.add(f"{names[identifier]}: {' '.join(declaration.split())}")
    for relation in (relation for graph in graphs for relation in graph["relationships"]):
        target = names.get(relation["target"]) or relation.get("targetFallback", relation["target"]).removeprefix("Swift.")
        if relation["kind"] in ("conformsTo", "inheritsFrom") and relation["source"] in names and target not in IMPLIED:
            lines.add(f"{names[relation['source']]}: {target}")
    return sorted(lines)


def record(name, lines):
    """Writes down the public API of a module."""
    API.mkdir(exist_ok=True)
    (API / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines))


def changes(name, lines):
    """The problems with a module's public API: what differs from what is written down."""
    try:
        known = (API / f"{name}.txt").read_text().splitlines()
    except FileNotFoundError:
        print(f"docc: the public API of {name} isn't recorded; 'scripts/docc --record' records it", file=sys.stderr)
        return
    removed, added = sorted(set(known) - set(lines)), sorted(set(lines) - set(known))
    if removed or added:
        yield "\n".join([
            f"Tests/API/{name}.txt: the public API has changed: {len(removed)} removed (-), {len(added)} added (+); if that is intended, "
            "run 'scripts/docc --record' and commit the file", *(f"  - {line}" for line in removed), *(f"  + {line}" for line in added),
        ])


def uncompiled(page, sources):
    """The problems with blocks of Swift on a page: the lines of each must follow each other in a source that is compiled."""
    for match in re.finditer(r"^```swift\n(.*?)^```$", page.read_text(), re.DOTALL | re.MULTILINE):
        wanted = plain(match[1])
        if not any(wanted in plain(source.read_text()) for source in sources):
            line = page.read_text().count("\n", 0, match.start()) + 1
            yield f"{page.relative_to(ROOT)}:{line}: no source of a tutorial has these lines; add them to one, so that they are compiled"


def unlisted(name, page, lines):
    """The problems with a module's page: types of its public API that its topics leave out."""
    topics = set((page.read_text().partition("\n## Topics\n")[2] if page.exists() else "").split())
    for line in lines:
        match = re.match(rf"(\w+): (?:@?[\w.]+ )*(?:{TYPES}) \1\b", line)
        if match and not {f"``{match[1]}``", f"``{name}/{match[1]}``"} & topics:
            yield f"{page.relative_to(ROOT)}: the topics leave out '{match[1]}'"


def plain(text):
    """The text without indentation and empty lines, between two line ends."""
    return "".join(["\n", *(f"{line.strip()}\n" for line in text.splitlines() if line.strip())])


def pages(site):
    """The symbols that have a page with a summary, by the compiler's identifiers, and the titles of pages without one."""
    described, bare = set(), []
    for path in (site / "data/documentation").rglob("*.json"):
        page = json.loads(path.read_text())
        metadata = page.get("metadata", {})
        place = path.relative_to(site / "data").with_suffix("")
        if not (site / place / "index.html").exists():
            sys.exit(f"docc: '{place}' has data, but no page")
        if any(part.get("text", part.get("code", part.get("identifier", ""))).strip() for part in page.get("abstract", [])):
            described.add(metadata.get("externalID"))
        elif metadata.get("symbolKind") == "module":
            bare.append(metadata["title"])
    return described, bare


def main():
    scratch, site, base, wanted = pathlib.Path(sys.argv[1]).absolute(), pathlib.Path(sys.argv[2]), *sys.argv[3:]
    modules = Modules(scratch)
    with tempfile.TemporaryDirectory(prefix="afcache-docc-") as name, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        work = pathlib.Path(name)
        graphs = dict(zip(modules.names, pool.map(lambda name: modules.symbols(name, work / "symbols" / name), modules.names)))
        # Modules that need a trait are empty without it; scripts/test-examples builds them in a folder of its own.
        outside = ROOT / ".build-outside"
        if (outside / "release/Modules").is_dir():
            traits = Modules(outside)
            graphs |= {name: traits.symbols(name, work / "symbols" / name) for name, symbols in graphs.items() if not symbols}
        empty = [name for name, symbols in graphs.items() if not symbols]
        apis = {name: interface(work / "symbols" / name) for name in modules.names if name not in empty}
        if wanted == "record":
            for name, lines in apis.items():
                record(name, lines)
            for path in API.glob("*.txt"):
                if path.stem not in modules.names:
                    path.unlink()
            print(f"{sum(map(len, apis.values()))} lines for {len(apis)} modules: {API.relative_to(ROOT)}")
            return
        if empty:
            message = f"without their traits, there is nothing in {', '.join(empty)}; 'scripts/test-examples' builds them"
            if wanted == "all":
                sys.exit(f"docc: {message}")
            print(f"docc: left out: {message}", file=sys.stderr)
        shown = [name for name in modules.names if name not in empty]
        archives = [work / f"{name}.doccarchive" for name in shown]
        jobs = [pool.submit(modules.convert, name, work / "symbols" / name, work / f"{name}.doccarchive", base) for name in shown]
        sources = [path for name in shown for path in sorted((modules.folders[name] / f"{name}.docc").rglob("*.swift"))]
        problems = [problem for problem in pool.map(modules.check, sources) if problem]
        problems += [problem for name in shown for problem in changes(name, apis[name])]
        problems += [f"{path.relative_to(ROOT)}: no library has such a module" for path in API.glob("*.txt") if path.stem not in modules.names]
        # Those that aren't built, by what is recorded.
        recorded = {name: (API / f"{name}.txt").read_text().splitlines() for name in empty if (API / f"{name}.txt").exists()}
        for name, lines in (recorded | apis).items():
            problems += unlisted(name, modules.folders[name] / f"{name}.docc/{name}.md", lines)
        for name in shown:
            for page in sorted((modules.folders[name] / f"{name}.docc").rglob("*.md")):
                problems += uncompiled(page, sources)
        for job in jobs:
            job.result()
        run(tool("docc"), "merge", *archives, "--synthesized-landing-page-name", "afcache", "--output-path", work / "site")
        described, bare = pages(work / "site")
        count = 0
        for symbol in (symbol for symbols in graphs.values() for symbol in symbols if symbol["kind"]["identifier"] != "swift.extension"):
            count += 1
            if symbol["identifier"]["precise"] not in described:
                place = symbol.get("location", {})
                line = place.get("position", {}).get("line", 0) + 1
                file = place.get("uri", "").removeprefix(f"file://{ROOT}/")
                problems.append(f"{file}:{line}: '{'.'.join(symbol['pathComponents'])}' has no page with a summary; add a doc comment")
        problems += [f"docc: the module {name} has no page of its own; add '{name}.docc/{name}.md' to its folder" for name in bare]
        if problems:
            sys.exit("\n".join(problems))
        (work / "site/index.html").write_text(START.format(f"{base.rstrip('/')}/documentation/"))
        # DocC's pages ask for this file even if there is none.
        (work / "site/theme-settings.json").write_text("{}\n")
        site.parent.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(site, ignore_errors=True)
        shutil.move(work / "site", site)
    # Others than the one who made it may serve it.
    for path in [site, *site.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)
    print(f"{count} symbols of {len(shown)} modules, {len(sources)} sources of tutorials compiled: {os.path.relpath(site)}")


if __name__ == "__main__":
    main()
