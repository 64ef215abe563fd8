#!/usr/bin/env python3
"""Describes a release and the third-party code in it.

usage: scripts/release_notes.py changes VERSION      what CHANGELOG.md says about the version
       scripts/release_notes.py licenses             licenses and notices of third-party code, as text
       scripts/release_notes.py bom VERSION PROGRAM  the software bill of materials, as SPDX 2.3 JSON
"""
import datetime
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# The Debian packages of the libraries that scripts/portable links into the program.
LIBRARIES = [
    "libbrotli-dev", "libbz2-dev", "libdeflate-dev", "libidn2-dev", "libmbedtls-dev", "libpsl-dev", "libsqlite3-dev", "libstdc++-12-dev",
    "libunistring-dev", "libyaml-dev", "libzip-dev", "libzstd-dev", "zlib1g-dev",
]
RELINKING = """
libidn2 and libunistring are under the GNU Lesser General Public License, version 3 or later. To link the program with versions of
them that you have changed, put your static libraries into .build/portable/lib of afcache's sources, and run scripts/portable.
"""
NAMES = re.compile(r"^(LICENSE|LICENCE|NOTICE|COPYING)(\.\w+)?$", re.IGNORECASE)


def changes(version):
    text = (ROOT / "CHANGELOG.md").read_text()
    found = re.search(rf"^## \[{re.escape(version)}\].*?\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    if not found:
        sys.exit(f"release: CHANGELOG.md has no section for {version}")
    print(found[1].strip())


def needed_packages():
    """The packages whose products the program links, without those that only other packages' tests need."""
    text = subprocess.run(
        ["swift", "package", "show-dependencies", "--format", "json"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout
    found = {}

    def visit(package):
        for each in package["dependencies"]:
            found[each["identity"]] = each
            visit(each)

    visit(json.loads(text))
    return [found[name] for name in sorted(found)]


def license_files(folder):
    return sorted(path for path in pathlib.Path(folder).iterdir() if NAMES.match(path.name) and path.is_file())


def licenses():
    print("afcache contains code of these packages, under the licenses that follow.\n")
    print("Swift's standard library and runtime, Foundation and Dispatch: Copyright Apple Inc. and the Swift project")
    print("authors, Apache License 2.0 with Runtime Library Exception, https://swift.org/LICENSE.txt")
    for package in needed_packages():
        files = license_files(package["path"])
        if not files:
            sys.exit(f"release: '{package['identity']}' has no license file")
        for path in files:
            print(f"\n{'=' * 100}\n{package['name']} {package['version']}: {path.name}\n{package['url']}\n{'=' * 100}\n")
            print(path.read_text(errors="replace").rstrip())
    print(RELINKING)
    texts = {f"{name} {debian_version(name)}, of Debian": f"/usr/share/doc/{name}/copyright" for name in LIBRARIES}
    # What those refer to.
    texts |= {name: f"/usr/share/common-licenses/{name}" for name in ["LGPL-3", "GPL-3", "GPL-2"]}
    for title, path in texts.items():
        print(f"\n{'=' * 100}\n{title}\n{'=' * 100}\n")
        print(pathlib.Path(path).read_text(errors="replace").rstrip())


def debian_version(package):
    return subprocess.run(
        ["dpkg-query", "-W", "-f", "${Version}", package], check=True, capture_output=True, text=True
    ).stdout


def kind_of_license(package):
    text = " ".join(path.read_text(errors="replace") for path in license_files(package["path"]))
    if "Apache License" in text:
        return "Apache-2.0"
    if "Permission is hereby granted, free of charge" in text:
        return "MIT"
    sys.exit(f"release: the license of '{package['identity']}' is unknown")


def libraries(program):
    """The shared libraries that the program loads, with the Debian package and version of each where dpkg knows it."""
    text = subprocess.run(["ldd", program], check=True, capture_output=True, text=True).stdout
    needed = subprocess.run(["objdump", "-p", program], check=True, capture_output=True, text=True).stdout
    for name in sorted(re.findall(r"NEEDED\s+(\S+)", needed)):
        path = re.search(rf"^\s*{re.escape(name)} => (\S+)", text, re.MULTILINE)
        owner = version = None
        if path:
            # Debian may know the file by a folder that is a link to another.
            for candidate in (path[1], os.path.realpath(path[1]), "/usr" + path[1]):
                answer = subprocess.run(["dpkg-query", "-S", candidate], capture_output=True, text=True)
                if answer.returncode == 0:
                    owner = answer.stdout.split(":")[0]
                    version = debian_version(owner)
                    break
        yield name, owner, version


def bom(version, program):
    created = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
    digest = hashlib.sha256(pathlib.Path(program).read_bytes()).hexdigest()
    packages = [
        {
            "SPDXID": "SPDXRef-afcache", "name": "afcache", "versionInfo": version, "downloadLocation": "NOASSERTION",
            "filesAnalyzed": False, "licenseConcluded": "Apache-2.0", "licenseDeclared": "Apache-2.0",
            "copyrightText": "NOASSERTION", "primaryPackagePurpose": "APPLICATION",
            "checksums": [{"algorithm": "SHA256", "checksumValue": digest}],
            "comment": "The checksum is that of the program before its symbols are stripped.",
        }
    ]
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-afcache")]

    def add(identifier, relation, **fields):
        identifier = "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", identifier)
        packages.append({"SPDXID": identifier, "filesAnalyzed": False, "copyrightText": "NOASSERTION", **fields})
        relations.append(("SPDXRef-afcache", relation, identifier))

    swift = subprocess.run(["swift", "--version"], check=True, capture_output=True, text=True).stdout
    add(
        "swift", "STATIC_LINK", name="swift-runtime", versionInfo=re.search(r"Swift version (\S+)", swift)[1],
        downloadLocation="https://www.swift.org/install", licenseConcluded="NOASSERTION",
        licenseDeclared="Apache-2.0 WITH Swift-exception",
    )
    for package in needed_packages():
        kind = kind_of_license(package)
        add(
            "swift-package-" + package["identity"], "STATIC_LINK", name=package["identity"],
            versionInfo=package["version"], downloadLocation=f"git+{package['url']}@{package['version']}",
            licenseConcluded=kind, licenseDeclared=kind,
            externalRefs=[{
                "referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                "referenceLocator": "pkg:swift/" + re.sub(r"^https://|\.git$", "", package["url"]) + "@" + package["version"],
            }],
        )
    for name in LIBRARIES:
        add(
            "library-" + name, "STATIC_LINK", name=name.removesuffix("-dev"), versionInfo=debian_version(name),
            downloadLocation="NOASSERTION", licenseConcluded="NOASSERTION", licenseDeclared="NOASSERTION",
            comment=f"The static library of Debian's package {name}" + (", built from its sources." if name == "libzip-dev" else "."),
        )
    for name, owner, found in libraries(program):
        add(
            "library-" + name, "DYNAMIC_LINK", name=owner or name, versionInfo=found or "NOASSERTION",
            downloadLocation="NOASSERTION", licenseConcluded="NOASSERTION", licenseDeclared="NOASSERTION",
            comment=f"The shared library {name} of the system.",
        )
    document = {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"afcache-{version}",
        "documentNamespace": f"urn:sha256:{digest}",
        "creationInfo": {"created": created.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: scripts/release"]},
        "packages": packages,
        "relationships": [
            {"spdxElementId": source, "relationshipType": relation, "relatedSpdxElement": target}
            for source, relation, target in relations
        ],
    }
    print(json.dumps(document, indent=2))


if len(sys.argv) == 3 and sys.argv[1] == "changes":
    changes(sys.argv[2])
elif sys.argv[1:] == ["licenses"]:
    licenses()
elif len(sys.argv) == 4 and sys.argv[1] == "bom":
    bom(sys.argv[2], sys.argv[3])
else:
    sys.exit(__doc__.strip())
