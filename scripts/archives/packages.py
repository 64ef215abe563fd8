"""Packages that must not be loaded although their archives are sound, and one beside them that is."""

import hashlib
import json

from .deflate import fixed
from .records import Archive, Member

URL, NAME, BODY = "http://docs.example/page.html", "docs.example/page.html", b"<p>page</p>\n"
LINE = f"{URL} ; Sun, 06 Nov 1994 08:49:37 GMT ; NULL ; text/html\n".encode()


def record(**changes):
    values = {"url": URL, "status": 200, "fields": [["content-type", "text/html"]], "fetched": "2026-01-02T03:04:06Z",
              "size": len(BODY), "sha256": hashlib.sha256(BODY).hexdigest()} | changes
    return json.dumps({key: value for key, value in values.items() if value is not None}).encode() + b"\n"


def package(manifest=LINE, records=None, info=None, match=None, fallback=None, absent=None, body=Member(NAME, BODY)):
    members = [body] if body else []
    if manifest is not None:
        members.append(manifest if isinstance(manifest, Member) else Member("manifest.afcache", manifest))
    if info is not None:
        members.insert(0, info if isinstance(info, Member) else Member(".afcache/package.json", info))
    if fallback is not None:
        members.insert(0, Member(".afcache/fallback.json", fallback))
    if absent is not None:
        members.insert(0, Member(".afcache/absent", absent))
    if match is not None:
        members.insert(0, Member(".afcache/match.json", match))
    if records is not None:
        members.insert(0, records if isinstance(records, Member) else Member(".afcache/resources.jsonl", records))
    return Archive(members).bytes()


def all_packages():
    """Name, rule, stage, sentence, bytes; the stage is `lint` if only the bodies show the defect, otherwise `package`."""
    line = "manifest.afcache:1:1: "
    yield "manifest-missing", "manifest.missing", "package", \
        "there is no member 'manifest.afcache'; this is a zip, but not a package", package(None)
    yield "manifest-is-folder", "manifest.missing", "package", \
        "there is no member 'manifest.afcache'; this is a zip, but not a package", package(
            Member("manifest.afcache/", b""))
    control = "the line has the control character 0x"
    two = " (and {} more; linting lists them)"
    quoted = f"'{URL}'"
    yield "manifest-binary", "manifest.not-utf8", "package", \
        line + "the line is not UTF-8; percent-encode the URL" + two.format(2), package(
            b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    yield "manifest-nul", "manifest.control-character", "package", \
        "manifest.afcache:1:23: " + control + "00", package(LINE.replace(b"page", b"pa\0ge"))
    yield "manifest-escape-sequence", "manifest.control-character", "package", line + control + "1b", package(
        b"\x1b]0;owned\x07" + LINE)
    yield "manifest-utf16", "manifest.not-utf8", "package", \
        "manifest.afcache:1:1: the manifest is UTF-16; save it as UTF-8", package(LINE.decode().encode("utf-16-le"))
    yield "manifest-latin-1", "manifest.not-utf8", "package", \
        "manifest.afcache:1:22: the line is not UTF-8; percent-encode the URL", package(
            LINE.replace(b"page", b"p\xe4ge"))
    yield "manifest-html", "manifest.malformed-line", "package", \
        line + "the line has 1 field; an entry has two to five, with ' ; ' between them", package(b"<!doctype html>\n")
    yield "manifest-huge-line", "manifest.line-too-long", "package", line + "the line is longer than 65536 bytes", \
        package(Member("manifest.afcache", b"a" * (1 + 258 * 255), 8, fixed(b"a", 255)))
    yield "manifest-huge-url", "url.invalid", "package", line + "'http://docs.example/" + "a" * 180 + \
        "…' is not an absolute URL: longer than 8192 bytes", package(LINE.replace(b"page", b"a" * 9000))
    yield "manifest-relative-url", "url.invalid", "package", \
        line + "'//docs.example/page.html' is not an absolute URL: it has no scheme such as 'http:'", package(
            LINE.replace(b"http:", b""))
    yield "manifest-credentials", "url.credentials", "package", \
        line + "the URL has a user name or password; remove it and rebuild the package", package(
            LINE.replace(b"//", b"//u:p@"))
    yield "manifest-two-that-differ", "manifest.conflicting-duplicate", "package", \
        f"manifest.afcache:2:1: {quoted} is already on line 1, with other fields; keep one of them", package(
            LINE + LINE.replace(b"text/html", b"text/css"))
    missing = quoted + " has its body in '{}', which is not in the package"
    yield "manifest-names-missing-member", "member.missing", "package", line + missing.format(NAME), package(body=None)
    fifth = f"manifest.afcache:1:{len(LINE) + 3}: "
    yield "manifest-names-member-outside", "member.missing", "package", \
        fifth + missing.format("../../etc/passwd"), package(LINE[:-1] + b" ; ../../etc/passwd\n")
    yield "manifest-names-folder", "member.is-folder", "package", \
        f"{fifth}{quoted} has its body in 'docs.example/', which is a folder", package(
            LINE[:-1] + b" ; docs.example/\n", body=Member("docs.example/", b""))
    yield "manifest-damaged-body", "zip.deflate", "package", \
        "member 'manifest.afcache' is damaged: its data is not a deflate stream", package(
            Member("manifest.afcache", LINE, 8, b"\xff" * 9))
    info, entry = "member '.afcache/package.json': the file ", ".afcache/resources.jsonl:{}: "
    yield "sidecar-no-json", "sidecar.bad-info", "package", info + "is not a JSON object", package(info=b"hello")
    yield "sidecar-deep-json", "sidecar.bad-info", "package", info + "is not a JSON object", package(
        info=Member(".afcache/package.json", b"[" * (1 + 258 * 80), 8, fixed(b"[", 80)))
    yield "sidecar-newer-format", "sidecar.newer-format", "package", "member '.afcache/package.json': the package has " \
        "format version 2, but this program reads versions up to 1; use a newer afcache", package(info=b'{"format":2}')
    rules = "member '.afcache/match.json': {}; correct or remove the member"
    yield "sidecar-match-no-json", "sidecar.bad-match", "package", rules.format("the rules are not JSON at byte 0"), \
        package(match=b"hello")
    yield "sidecar-match-without-names", "sidecar.bad-match", "package", rules.format(
        "rule 1 must have either 'ignore' or 'keep', a list of names"), package(match=b'{"rules":[{"path":"/*"}]}')
    yield "sidecar-match-many-stars", "sidecar.bad-match", "package", rules.format(
        "rule 1 must have a 'path' that begins with '/', has at most one '*', and is at most 1024 bytes long"), \
        package(match=b'{"rules":[{"path":"/*a*a*a*a*a*a*b","ignore":["x"]}]}')
    rules = "member '.afcache/fallback.json': {}; correct or remove the member"
    yield "sidecar-fallback-no-json", "sidecar.bad-fallback", "package", rules.format(
        "the fallbacks are not JSON at byte 0"), package(fallback=b"hello")
    yield "sidecar-fallback-other-host", "sidecar.bad-fallback", "package", rules.format(
        "'missing' must be a URL below the base"), package(
            fallback=b'{"base":"http://docs.example/","missing":"http://bank.example/page.html"}')
    yield "sidecar-fallback-not-stored", "sidecar.bad-fallback", "package", rules.format(
        "'application' is 'http://docs.example/app.html', which the package doesn't have with status 200"), package(
            fallback=b'{"base":"http://docs.example/","application":"http://docs.example/app.html"}')
    rules = "member '.afcache/absent': {}; correct or remove the member"
    yield "sidecar-absent-no-list", "sidecar.bad-absent", "package", rules.format(
        "line 1 isn't a status, 404 or 410, and a URL in its normal form"), package(absent=b"hello\n")
    yield "sidecar-absent-other-origin", "sidecar.bad-absent", "package", rules.format(
        "'https://bank.example/login.js' is of an origin from which the package has nothing"), package(
            absent=b"404 https://bank.example/login.js\n")
    yield "sidecar-absent-stored", "sidecar.bad-absent", "package", rules.format(
        f"the package has '{URL}'"), package(absent=b"404 " + URL.encode() + b"\n")
    yield "sidecar-absent-unsorted", "sidecar.bad-absent", "package", rules.format(
        "line 2 isn't sorted by its URL, or has the URL of another line"), package(
            absent=b"404 http://docs.example/y\n404 http://docs.example/x\n")
    yield "sidecar-record-no-json", "sidecar.bad-record", "package", \
        entry.format(1) + "the record is not JSON at byte 0", package(records=b"hello\n")
    yield "sidecar-record-huge-line", "sidecar.bad-record", "package", \
        entry.format(1) + "the record is longer than 65536 bytes", package(records=Member(
                ".afcache/resources.jsonl", b"a" * (1 + 258 * 255), 8, fixed(b"a", 255)))
    yield "sidecar-record-header-injection", "sidecar.bad-record", "package", \
        entry.format(1) + "the record has no valid 'fields'", package(
            records=record(fields=[["x", "a\r\nset-cookie: b"]]))
    yield "sidecar-record-twice", "sidecar.duplicate-record", "package", \
        f"{entry.format(2)}{quoted} already has a record; keep one of them", package(records=record() + record())
    yield "sidecar-size-lies", "sidecar.size", "package", \
        f"{entry.format(1)}{quoted} has 12 bytes, but its record says 9", package(
            records=record(size=9, sha256=None))
    yield "sidecar-digest-lies", "sidecar.digest", "lint", \
        "the body's SHA-256 differs from its record", package(
            records=record(sha256="0" * 64))
