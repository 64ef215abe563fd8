"""Archives that must be refused: name of the file, rule, stage at which it is noticed, sentence, bytes."""

import zlib

from .deflate import dynamic_zeros, fixed, stored
from .records import (DESCRIPTOR, END, ENTRY, LOCAL, LOCATOR64, MARK, RECORD64, Archive, Member, descriptor, extra, u16,
                      u32, u64, zip64)

PAGE = "docs.example/page.html"
GOOD = Archive([Member(PAGE), Member("docs.example/style.css", b"p {}\n")])
OTHER = Archive([Member("evil.example/index.html", b"evil\n")])


def member(**how):
    """An archive of one page with something wrong in it."""
    return Archive([Member(PAGE, **how)]).bytes()


def named(*names):
    """An archive of members with these names; folders are empty."""
    return Archive([Member(name, b"" if name.endswith("/") else b"body\n") for name in names]).bytes()


def raw(name):
    return Archive([Member(name)]).bytes()


def mode(mode, name=PAGE, body=b"body\n"):
    return Archive([Member(name, body, central={"attributes": mode << 16})]).bytes()


def good(**how):
    return Archive(GOOD.members, **how).bytes()


def described(signature=True, wide=False, **lies):
    body, data = b"body\n", fixed(b"body\n")
    after = descriptor(body, data, signature, wide, **lies)
    announced = {"csize": MARK, "size": MARK, "extra": zip64(0, 0), "version": 45} if wide else {}
    return member(body=body, data=data, method=8, flags=8, descriptor=after, local=announced)


def subject(words, name=PAGE):
    return f"member '{name}' {words}"


def names():
    leaves = "would leave the cache folder"
    control = "has a control character in its name"
    yield "member-parent-path", "name-parent-path", subject(leaves, "docs.example/../../etc/passwd"), named(
        "docs.example/../../etc/passwd")
    yield "member-parent-path-first", "name-parent-path", subject(leaves, "../passwd"), named("../passwd")
    yield "member-parent-path-last", "name-parent-path", subject(leaves, "docs.example/.."), named("docs.example/..")
    yield "member-parent-path-folder", "name-parent-path", subject(leaves, "docs.example/../"), named(
        "docs.example/../")
    yield "member-parent-path-behind-umlaut", "name-parent-path", subject(leaves, "ä.example/../x"), named(
        "ä.example/../x")
    yield "member-only-parent", "name-parent-path", subject(leaves, ".."), named("..")
    yield "member-dot-part", "name-dot", subject("has the part '.' in its name", "docs.example/./page.html"), named(
        "docs.example/./page.html")
    yield "member-only-dot", "name-dot", subject("has the part '.' in its name", "."), named(".")
    yield "member-absolute", "name-absolute", subject("has an absolute name and " + leaves, "/etc/passwd"), named(
        "/etc/passwd")
    yield "member-only-slash", "name-absolute", subject("has an absolute name and " + leaves, "/"), named("/")
    yield "member-network-path", "name-absolute", subject("has an absolute name and " + leaves, "//evil/share"), named(
        "//evil/share")
    yield "member-drive-letter", "name-drive-letter", subject("begins with a drive letter and " + leaves,
                                                              "C:/windows/a.dll"), named("C:/windows/a.dll")
    yield "member-drive-letter-relative", "name-drive-letter", subject("begins with a drive letter and " + leaves,
                                                                       "c:a.dll"), named("c:a.dll")
    backslash = "has a backslash in its name, which Windows reads as a folder separator"
    yield "member-backslash", "name-backslash", subject(backslash, "docs.example\\..\\..\\a.dll"), named(
        "docs.example\\..\\..\\a.dll")
    yield "member-nul", "name-control-character", subject(control, "docs.example/a\\u{0}.html"), named(
        "docs.example/a\0.html")
    yield "member-line-feed", "name-control-character", subject(control, "docs.example/a\\u{a}ok.html"), named(
        "docs.example/a\nok.html")
    yield "member-escape-sequence", "name-control-character", subject(control, "docs.example/\\u{1b}[2Ka.html"), named(
        "docs.example/\x1b[2Ka.html")
    yield "member-delete-character", "name-control-character", subject(control, "docs.example/a\\u{7f}.html"), named(
        "docs.example/a\x7f.html")
    yield "member-c1-control", "name-control-character", subject(control, "docs.example/a\\u{9b}.html"), named(
        "docs.example/a\u009b.html")
    utf8 = "has a name that is not UTF-8"
    yield "member-latin-1", "name-not-utf8", subject(utf8, "docs.example/f�r.html"), raw(b"docs.example/f\xfcr.html")
    yield "member-overlong-utf8", "name-not-utf8", subject(utf8, "docs.example/����x"), raw(
        b"docs.example/\xc0\xae\xc0\xafx")
    yield "member-surrogate-utf8", "name-not-utf8", subject(utf8, "docs.example/���x"), raw(
        b"docs.example/\xed\xa0\x80x")
    yield "member-no-name", "name-empty", "a member has no name", named("")
    yield "member-empty-part", "name-empty-part", subject("has an empty part in its name",
                                                          "docs.example//page.html"), named("docs.example//page.html")
    yield "member-empty-last-part", "name-empty-part", subject("has an empty part in its name", "docs.example//"), named(
        "docs.example//")
    yield "member-long-part", "name-too-long", subject("has a part of more than 255 bytes in its name",
                                                       "n" * 200 + "…"), named("n" * 256)
    yield "member-long-name", "name-too-long", subject("has a name of more than 1,024 bytes",
                                                       "nnn/" * 50 + "…"), named("nnn/" * 256 + "x")
    twice = "occurs twice"
    yield "duplicate", "duplicate", subject(twice), named(PAGE, "docs.example/style.css", PAGE)
    yield "duplicate-folder", "duplicate", subject(twice, "docs.example/"), named("docs.example/", "docs.example/")
    both = "makes a name both a file and a folder"
    other = "has the name of another member, except for case or Unicode form"
    yield "collision-case", "collision", subject(other, "docs.example/PAGE.html"), named(PAGE, "docs.example/PAGE.html")
    yield "collision-case-umlaut", "collision", subject(other, "docs.example/ä"), named(
        "docs.example/Ä", "docs.example/ä")
    yield "collision-case-folding", "collision", subject(other, "docs.example/ς"), named(
        "docs.example/σ", "docs.example/ς")
    yield "collision-long-s", "collision", subject(other, "docs.example/ſtyle.css"), named(
        "docs.example/style.css", "docs.example/ſtyle.css")
    yield "collision-normal-form", "collision", subject(other, "docs.example/a\u0308"), named(
        "docs.example/\u00e4", "docs.example/a\u0308")
    yield "collision-kelvin", "collision", subject(other, "docs.example/\u212a"), named(
        "docs.example/k", "docs.example/\u212a")
    yield "collision-ignored-character", "collision", subject(other, "docs.example/a\\u{200c}b"), named(
        "docs.example/ab", "docs.example/a\u200cb")
    yield "collision-greek-question-mark", "collision", subject(other, "docs.example/a\u037eb"), named(
        "docs.example/a;b", "docs.example/a\u037eb")
    yield "collision-greek-varia", "collision", subject(other, "docs.example/\u1fef"), named(
        "docs.example/`", "docs.example/\u1fef")
    yield "file-and-folder-by-normal-form", "file-and-folder", subject(both, "\u00e4"), \
        named("\u00e4", "a\u0308/b")
    yield "collision-folder-case", "collision", subject(other, "DOCS.example/"), named("docs.example/", "DOCS.example/")
    yield "file-and-folder", "file-and-folder", subject(both, "docs.example/a"), named(
        "docs.example/a", "docs.example/a/b")
    yield "folder-and-file", "file-and-folder", subject(both, "docs.example/a"), named(
        "docs.example/a/b", "docs.example/a")
    yield "folder-member-and-file", "file-and-folder", subject(both, "docs.example/a"), named(
        "docs.example/a/", "docs.example/a")
    yield "file-and-folder-by-case", "file-and-folder", subject(both, "docs.example/A"), named(
        "docs.example/A", "docs.example/a/b")
    yield "file-above-deep-folder", "file-and-folder", subject(both, "docs.example/a"), named(
        "docs.example/a/b/c", "other.example/x", "docs.example/a")


def types():
    yield "link", "link", subject("is a symbolic link"), Archive(
        [Member(PAGE, b"/etc/passwd", central={"attributes": 0o120777 << 16})]).bytes()
    yield "link-by-dos-host", "link", subject("is a symbolic link"), Archive(
        [Member(PAGE, b"/etc", central={"attributes": 0o120777 << 16, "made_by": 20})]).bytes()
    yield "link-reparse-point", "link", subject("is a reparse point, which is how Windows makes links"), Archive(
        [Member(PAGE, b"C:\\", central={"attributes": 0x400, "made_by": 0x0A14})]).bytes()
    # The old Unix field (13, mode and target), libarchive's and ASi's can each make a file a link.
    fields = {"link-pkware-unix-field": 0x000D, "link-libarchive-field": 0x6C78, "link-asi-field": 0x756E}
    for name, kind in fields.items():
        words = f"has an extra field (0x{kind:x}) that some readers turn into a link"
        body = u32(0) + u32(0) + u16(0) + u16(0) + b"/etc/passwd"
        yield name, "link", subject(words), member(central={"extra": extra(kind, body)})
    yield "link-field-in-local-header", "link", subject(
        "has an extra field (0x6c78) that some readers turn into a link"), member(
            local={"extra": extra(0x6C78, b"\x04" + u32(0o120777 << 16))})
    device = subject("is a device, pipe or socket")
    yield "device-character", "device", device, mode(0o020666)
    yield "device-block", "device", device, mode(0o060666)
    yield "device-pipe", "device", device, mode(0o010644)
    yield "device-socket", "device", device, mode(0o140755)
    label = subject("is a volume label or device by its DOS attributes")
    yield "device-dos-volume-label", "device", label, member(central={"attributes": 0x08, "made_by": 20})
    yield "device-dos", "device", label, member(central={"attributes": 0x40, "made_by": 20})
    type_words = "has a name and attributes that disagree on whether it is a folder"
    yield "type-folder-mode-on-file", "type", subject(type_words), mode(0o040755)
    yield "type-folder-attribute-on-file", "type", subject(type_words), member(
        central={"attributes": 0x10, "made_by": 20})
    yield "type-file-mode-on-folder", "type", subject(type_words, "docs.example/"), mode(0o100644, "docs.example/", b"")
    yield "folder-with-data", "folder-with-data", subject("is a folder with data", "docs.example/"), Archive(
        [Member("docs.example/")]).bytes()


def methods():
    methods = {6: "implode", 9: "deflate64", 12: "bzip2", 14: "lzma", 93: "zstd", 95: "xz", 98: "ppmd"}
    for number, name in methods.items():
        words = f"is compressed by method {number} ({name}); only stored and deflate are supported"
        yield f"method-{name.lower()}", "method", subject(words), member(method=number)
    yield "method-unknown", "method", subject(
        "is compressed by method 1234; only stored and deflate are supported"), member(method=1234)
    broken = "uses PKZIP's encryption, which is broken; pack it again with AES-256 or without encryption"
    secret = "uses PKWARE's encryption; only WinZip's AES-256 is supported"
    yield "encrypted", "encrypted", subject(broken), member(flags=1, data=b"\0" * 12 + b"body\n")
    yield "encrypted-strongly", "encrypted", subject(secret), member(flags=0x41)
    yield "encrypted-masked-headers", "encrypted", subject(secret), member(flags=0x2000)
    aes = extra(0x9901, u16(2) + b"AE" + b"\x03" + u16(8))
    locked = "the archive is encrypted; give its password"
    yield "encrypted-aes", "password-missing", locked, member(
        flags=1, method=99, data=b"\7" * 33, both={"extra": aes, "version": 51})
    field = subject("has the extra field of an encrypted member, but is not encrypted")
    contradicts = subject("has headers that disagree on whether it is encrypted")
    yield "method-aes", "encrypted", contradicts, member(method=99)
    yield "encrypted-aes-field-only", "encrypted", contradicts, member(both={"extra": aes})
    yield "encrypted-strong-field-only", "encrypted", field, member(both={"extra": extra(0x0017, u16(2) + u16(0x660E))})
    for flag, name in ((0x10, "enhanced-deflate"), (0x20, "patch-data"), (0x1000, "enhanced-compression"),
                       (0x8000, "reserved")):
        yield f"flags-{name}", "flags", subject(f"has flags that this reader doesn't know: 0x{flag:x}"), member(
            flags=flag)
    yield "version-6.3", "version", subject(
        "needs version 6.3 of the zip format; versions up to 4.5 are supported"), member(central={"version": 63})
    yield "version-of-another-system", "version", subject(
        "needs version 77.4 of the zip format; versions up to 4.5 are supported"), member(
            central={"version": 0x0306})
    yield "version-in-local-header", "version", subject(
        "needs version 6.3 of the zip format; versions up to 4.5 are supported"), member(local={"version": 63})


def local_headers():
    for name, changes in {
        "name": {"name": b"docs.example/evil.html"},
        "name-by-case": {"name": b"docs.example/PAGE.html"},
        "name-shorter": {"name": b"docs.example/page"},
        "method": {"method": 8},
        "flag": {"flags": 0x800},
        "flag-of-descriptor": {"flags": 8},
        "flag-of-encryption": {"flags": 1},
        "checksum": {"crc": 1},
        "compressed-size": {"csize": 4},
        "size": {"size": 4},
        "sizes": {"csize": 0, "size": 0},
        "time": {"time": 0},
        "date": {"date": 33},
    }.items():
        what = {"name-by-case": "name", "name-shorter": "name", "flag-of-descriptor": "flag",
                "flag-of-encryption": "encryption flag", "compressed-size": "compressed size",
                "sizes": "compressed size", "date": "time"}.get(name, name)
        if name == "name-shorter":
            # The sum stays, so that the data lies where both say.
            changes = changes | {"extra": extra(0x9999, b"x")}
        yield f"local-{name}-differs", "local-header-differs", subject(
            f"has a different {what} in its local header than in the directory"), member(local=changes)
    yield "local-size-in-zip64-differs", "local-header-differs", subject(
        "has a different size in its local header than in the directory"), member(
            local={"size": MARK, "csize": MARK, "extra": zip64(9, 5), "version": 45})
    missing = subject("has no local header")
    yield "local-header-missing", "no-local-header", missing, member(local={"mark": 0})
    yield "local-header-is-an-entry", "no-local-header", missing, member(local={"mark": ENTRY})


def places():
    words = "overlaps another member or the directory"
    style = "docs.example/style.css"
    overlapping = Archive([Member(PAGE), Member(style)])
    first = len(overlapping.members[0].record())
    overlapping.members[1].central["offset"] = first - 3
    yield "overlap", "overlap", subject(words, PAGE), overlapping.bytes()
    same = Archive([Member(PAGE), Member(style, central={"offset": 0})])
    yield "overlap-one-local-header-for-two", "overlap", subject(words), same.bytes()
    yield "overlap-directory", "overlap", subject(words), member(both={"csize": 400, "size": 400})
    yield "overlap-directory-by-extra-field", "overlap", subject(words), member(local={"extra_size": 400})
    yield "overlap-end-of-file", "overlap", subject(words), member(
        both={"csize": 0x7FFFFFFF, "size": 0x7FFFFFFF})
    yield "overlap-beyond-counting", "overlap", subject(words), Archive([
        Member(PAGE, both={"extra": zip64(16 << 30, 16 << 30), "csize": MARK, "size": MARK, "version": 45})]).bytes()
    yield "overlap-offset-beyond-file", "leading-data", subject(
        "has 2147483647 bytes before it that belong to no record"), member(central={"offset": 0x7FFFFFFF})
    yield "bomb-overlap", "overlap", subject(words, "docs.example/0"), quoted_bomb(30)
    gap = "has {} bytes before it that belong to no record"
    yield "gap", "gap", subject(gap.format(7), style), Archive(
        [Member(PAGE), Member(style, before=b"\0" * 7)]).bytes()
    hidden = Member("docs.example/hidden.html").record()
    yield "gap-hidden-member", "gap", subject(gap.format(len(hidden)), style), Archive(
        [Member(PAGE), Member(style, before=hidden)]).bytes()
    before = "there are {} bytes before the directory that belong to no record"
    yield "gap-before-directory", "gap", before.format(7), good(before_directory=b"\0" * 7)
    yield "gap-hidden-last-member", "gap", before.format(len(hidden)), good(before_directory=hidden)
    signed = u32(0x08064B50) + u32(5) + b"extra"
    yield "gap-archive-extra-data", "gap", before.format(len(signed)), good(before_directory=signed)
    for name, prefix in {
        "line": b"hello\n", "gif": b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff!\xf9\x04\0\0\0\0\0,\0\0\0\0\x01\0\x01\0"
        b"\0\x02\x02D\x01\0;", "html": b"<!doctype html><script>alert(1)</script><!--\n",
        "elf": b"\x7fELF\x02\x01\x01" + b"\0" * 57, "script": b"#!/bin/sh\nexec unzip -p \"$0\"\n",
        "split-mark": u32(DESCRIPTOR), "pdf": b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n",
    }.items():
        yield f"leading-{name}", "leading-data", subject(gap.format(len(prefix))), good(prefix=prefix)
    yield "leading-data-not-counted", "directory-misplaced", MISPLACED, b"MZ" + b"\0" * 30 + GOOD.bytes()
    yield "leading-archive", "directory-misplaced", MISPLACED, OTHER.bytes() + GOOD.bytes()
    yield "leading-archive-counted", "leading-data", subject(gap.format(len(OTHER.bytes()))), good(prefix=OTHER.bytes())


def quoted_bomb(count):
    """Members whose data quotes each other's headers, down to one kernel that all inflate (Fifield, WOOT 2019)."""
    names = [f"docs.example/{index}".encode() for index in range(count)]
    header_sizes = [30 + len(name) for name in names]
    data, body = dynamic_zeros(3000), b"\0" * (1 + 258 * 3000)
    members, tail = [], b""
    for index in reversed(range(count)):
        if tail:
            # A block that isn't compressed holds the next member's header; that member's own stream follows it.
            header = tail[:header_sizes[index + 1]]
            data, body = b"\0" + u16(len(header)) + u16(~len(header) & 0xFFFF) + tail, header + body
        members.insert(0, Member(names[index], body, 8, data))
        tail = members[0].record()
    offset, directory = 0, b""
    for member, header_size in zip(members, header_sizes):
        directory += member.entry(offset)
        offset += header_size + 5
    end = u32(END) + u16(0) * 2 + u16(count) * 2 + u32(len(directory)) + u32(len(tail)) + u16(0)
    return tail + directory + end


MISPLACED = "the directory doesn't end where the end record begins"


def ends():
    yield "empty-file", "not-a-zip", "the file is empty", b""
    short = "the file is too short to be a zip; it is truncated or not a package"
    yield "one-byte", "not-a-zip", short, b"P"
    yield "only-a-signature", "not-a-zip", short, b"PK\x03\x04"
    none = "there is no end record; the file is truncated or not a zip"
    yield "not-a-zip", "not-a-zip", none, b"<!doctype html>\n<title>404 Not Found</title>\n<p>Not here\n"
    yield "not-a-zip-gzip", "not-a-zip", none, b"\x1f\x8b\x08\0" + b"\0" * 40
    yield "not-a-zip-tar", "not-a-zip", none, b"docs.example/" + b"\0" * 1011
    whole = good(comment=b"a comment")
    one, directory = len(GOOD.members[0].record()), whole.index(u32(ENTRY))
    end = whole.index(u32(END))
    for name, length in {
        "in-local-header": 25, "in-name": 40, "in-data": one - 2, "between-members": one,
        "before-directory": directory, "in-entry": directory + 30,
        "between-entries": whole.index(u32(ENTRY), directory + 4),
        "before-end-record": end, "in-end-record-mark": end + 3,
    }.items():
        yield f"truncated-{name}", "not-a-zip", none, whole[:length]
    trailing = "the last end record doesn't end with the file; something was appended or cut off"
    yield "truncated-in-end-record", "trailing-data", trailing, whole[:end + 12]
    yield "truncated-in-comment", "trailing-data", trailing, whole[:-3]
    wide = good(record64={})
    yield "truncated-in-zip64-record", "not-a-zip", none, wide[:wide.index(u32(RECORD64)) + 30]
    yield "truncated-in-zip64-locator", "not-a-zip", none, wide[:wide.index(u32(LOCATOR64)) + 10]
    middle = whole[:one] + whole[one + 9:]
    yield "truncated-in-the-middle", "directory-misplaced", MISPLACED, middle
    yield "trailing-byte", "trailing-data", trailing, good(suffix=b"\0")
    yield "trailing-line", "trailing-data", trailing, good(suffix=b"\nhello\n")
    yield "trailing-html", "trailing-data", trailing, good(suffix=b"<script>alert(1)</script>")
    yield "trailing-archive", "directory-misplaced", MISPLACED, good(suffix=OTHER.bytes())
    yield "trailing-empty-archive", "directory-misplaced", MISPLACED, good(suffix=Archive([]).bytes())
    yield "comment-longer-than-said", "trailing-data", trailing, good(comment=b"hello", end={"comment_size": 2})
    yield "comment-shorter-than-said", "trailing-data", trailing, good(comment=b"hello", end={"comment_size": 9})
    ambiguous = "there is more than one end record; the comment may hide a second archive"
    yield "comment-hides-archive", "ambiguous-end", ambiguous, good(comment=OTHER.bytes())
    yield "comment-hides-end-record", "ambiguous-end", ambiguous, good(comment=Archive([]).bytes() + b"more")
    yield "comment-hides-end-mark", "ambiguous-end", ambiguous, good(comment=b"PK\5\6 is no end record" + b"." * 30)
    hides = "has {} that contains the records of another archive"
    yield "comment-hides-member", "hidden-archive", "the archive has a comment that contains the records of another archive", \
        good(comment=Member("evil.example/x").record())
    yield "comment-hides-zip64-locator", "hidden-archive", \
        "the archive has a comment that contains the records of another archive", good(comment=u32(LOCATOR64) + b"\0" * 16)
    yield "member-comment-hides-archive", "hidden-archive", subject(hides.format("a comment")), member(
        central={"comment": OTHER.bytes()})
    yield "extra-field-hides-archive", "hidden-archive", subject(hides.format("an extra field")), member(
        central={"extra": extra(0x9999, OTHER.bytes())})
    yield "local-extra-field-hides-archive", "hidden-archive", subject(hides.format("an extra field")), member(
        local={"extra": extra(0x9999, OTHER.bytes())})
    yield "local-extra-field-hides-member", "hidden-archive", subject(hides.format("an extra field")), member(
        local={"extra": extra(0x9999, Member("evil.example/x").record())})


def directories():
    part = "the archive is one of several parts"
    yield "split-last-disk", "several-disks", part, good(end={"disk": 1})
    yield "split-directory-on-another-disk", "several-disks", part, good(end={"first_disk": 1})
    yield "split-member-on-another-disk", "several-disks", subject("is on another disk"), member(central={"disk": 1})
    yield "split-zip64-locator", "several-disks", part, good(record64={}, locator64={"disk": 1})
    yield "split-zip64-disks", "several-disks", part, good(record64={}, locator64={"disks": 2})
    yield "split-zip64-record", "several-disks", part, good(record64={"disk": 1})
    yield "split-zip64-field", "bad-zip64", subject("has a zip64 field that disagrees with its header"), member(
        central={"extra": extra(1, u64(5) + u64(5) + u64(0) + u32(1))})
    yield "count-two-values", "wrong-count", "the end record gives two counts of members, 2 and 9", good(end={"total": 9})
    yield "count-on-this-disk", "wrong-count", "the end record gives two counts of members, 1 and 2", good(
        end={"count": 1, "total": 2})
    yield "count-too-high", "bad-directory", "the directory has no entry where one should begin", Archive(
        [Member(PAGE, central={"comment": b"." * 60})], end={"count": 2}).bytes()
    yield "count-too-high-for-size", "wrong-count", "the directory's size doesn't match its 900 members", good(
        end={"count": 900})
    yield "count-too-low", "wrong-count", "the end record gives 1 as the number of members, but the directory has more", good(
        end={"count": 1})
    yield "count-zero", "wrong-count", "the end record gives 0 as the number of members, but the directory has more", good(
        end={"count": 0})
    yield "count-of-overflow", "wrong-count", "the directory's size doesn't match its 65535 members", good(
        end={"count": 0xFFFF})
    yield "bomb-count", "too-many-members", "the archive has 1099511627776 members, more than 2000000", good(
        record64={"count": 1 << 40})
    yield "directory-size-too-small", "directory-misplaced", MISPLACED, good(end={"size": 46})
    yield "directory-size-too-large", "directory-misplaced", MISPLACED, good(end={"size": 0x7FFFFFFF})
    yield "directory-offset-too-small", "directory-misplaced", MISPLACED, good(end={"offset": 1})
    yield "directory-offset-too-large", "directory-misplaced", MISPLACED, good(end={"offset": 0x7FFFFFFF})
    yield "directory-followed-by-data", "directory-misplaced", MISPLACED, good(after_directory=b"\0" * 4)
    yield "directory-with-signature", "wrong-count", \
        "the end record gives 2 as the number of members, but the directory has more", good_signed()
    no_entry = "the directory has no entry where one should begin"
    yield "entry-without-mark", "bad-directory", no_entry, member(central={"mark": 0})
    yield "entry-is-local-header", "bad-directory", no_entry, member(central={"mark": LOCAL})
    beyond = "an entry of the directory extends beyond the directory's end"
    yield "entry-name-beyond-directory", "bad-directory", beyond, member(central={"name_size": 900})
    yield "entry-extra-field-beyond-directory", "bad-directory", beyond, member(central={"extra_size": 900})
    yield "entry-comment-beyond-directory", "bad-directory", beyond, member(central={"comment_size": 900})


def good_signed():
    """A directory that ends in a digital signature, which is counted in its size (4.3.13)."""
    archive = Archive(GOOD.members, after_directory=u32(0x05054B50) + u16(4) + b"sign")
    size = sum(len(item.entry(0)) for item in GOOD.members) + 10
    archive.end = {"size": size}
    return archive.bytes()


def zip64_records():
    outside = "the zip64 end record is outside the file"
    yield "zip64-record-outside-file", "bad-zip64", outside, good(record64={}, locator64={"offset": 1 << 40})
    yield "zip64-record-beyond-counting", "bad-zip64", outside, good(record64={}, locator64={"offset": (1 << 64) - 1})
    yield "zip64-record-behind-locator", "bad-zip64", outside, good(
        record64={}, locator64={"offset": len(good(record64={})) - 22})
    no_mark = "there is no zip64 end record where its locator points"
    yield "zip64-record-elsewhere", "bad-zip64", no_mark, good(record64={}, locator64={"offset": 0})
    yield "zip64-record-without-mark", "bad-zip64", no_mark, good(record64={"mark": 0})
    size = "the zip64 end record doesn't end where its locator begins"
    yield "zip64-record-size-too-small", "bad-zip64", size, good(record64={"record_size": 43})
    yield "zip64-record-size-too-large", "bad-zip64", size, good(record64={"record_size": 1 << 32})
    yield "zip64-record-size-beyond-counting", "bad-zip64", size, good(record64={"record_size": (1 << 64) - 1})
    yield "zip64-data-before-locator", "bad-zip64", size, good(record64={"more": b"\0" * 9})
    not_there = "the end record refers to a zip64 end record, but there is none"
    yield "zip64-data-behind-locator", "bad-zip64", not_there, good(record64={}, before_end=b"\0" * 4)
    yield "zip64-record-with-extension", "bad-zip64", \
        "the zip64 end record has an extension, which many readers don't support", good(
            record64={"more": b"\0" * 9, "record_size": 53})
    yield "zip64-two-counts", "wrong-count", "the end record gives two counts of members, 2 and 9", good(
        record64={"total": 9})
    yield "zip64-count-beyond-counting", "bad-zip64", "the zip64 end record has a number that is too large", good(
        record64={"count": 1 << 63})
    yield "zip64-offset-beyond-counting", "bad-zip64", \
        "the zip64 end record has a number that is too large", good(record64={"offset": (1 << 64) - 1})
    yield "zip64-size-and-offset-overflow", "directory-misplaced", MISPLACED, good(
        record64={"offset": (1 << 63) - 1, "size": (1 << 63) - 1})
    disagree = "the end record and the zip64 end record disagree about the {}"
    yield "zip64-count-disagrees", "bad-zip64", disagree.format("number of members"), good(record64={}, end={"count": 1})
    yield "zip64-size-disagrees", "bad-zip64", disagree.format("directory's size"), good(record64={}, end={"size": 46})
    yield "zip64-offset-disagrees", "bad-zip64", disagree.format("directory's offset"), good(record64={}, end={"offset": 9})
    yield "zip64-record-missing", "bad-zip64", not_there, good(
        end={"count": 0xFFFF, "size": MARK, "offset": MARK})
    yield "zip64-directory-misplaced", "directory-misplaced", MISPLACED, good(record64={"offset": 1})


def extra_fields():
    missing = subject("marks a size or offset as zip64, but has no zip64 value for it")
    yield "zip64-field-missing", "bad-zip64", missing, member(both={"size": MARK})
    yield "zip64-field-missing-for-offset", "bad-zip64", missing, member(central={"offset": MARK})
    yield "zip64-field-too-short", "bad-zip64", missing, member(
        both={"size": MARK, "csize": MARK, "extra": zip64(5)})
    yield "zip64-field-cut-off", "bad-zip64", missing, member(both={"size": MARK, "extra": extra(1, b"\5\0\0")})
    yield "zip64-field-missing-in-local-header", "bad-zip64", missing, member(
        local={"size": MARK, "csize": MARK})
    twice = subject("has two zip64 fields")
    yield "zip64-field-twice", "bad-zip64", twice, member(
        both={"size": MARK, "csize": MARK}, central={"extra": zip64(5, 5) + zip64(9, 9)},
        local={"extra": zip64(5, 5)})
    yield "zip64-field-twice-in-local-header", "bad-zip64", twice, member(
        both={"size": MARK, "csize": MARK}, central={"extra": zip64(5, 5)},
        local={"extra": zip64(5, 5) + zip64(5, 5)})
    differs = subject("has a zip64 field that disagrees with its header")
    yield "zip64-field-not-asked-for-lies", "bad-zip64", differs, member(central={"extra": zip64(9, 5)})
    yield "zip64-field-not-asked-for-lies-locally", "bad-zip64", differs, member(local={"extra": zip64(5, 9)})
    yield "zip64-field-of-odd-length", "bad-zip64", differs, member(both={"extra": extra(1, b"\5\0\0\0\0")})
    yield "zip64-field-too-long", "bad-zip64", differs, member(both={"extra": extra(1, zip64(5, 5, 0, 0, 0)[4:])})
    yield "zip64-field-beyond-counting", "bad-zip64", subject("has a size that is too large"), member(
        both={"size": MARK, "csize": MARK, "extra": zip64((1 << 64) - 1, 5)})
    malformed = subject("has a malformed extra field")
    yield "extra-field-cut-off", "extra-field", malformed, member(central={"extra": u16(0x5455) + u16(9) + b"\1"})
    yield "extra-field-cut-off-in-local-header", "extra-field", malformed, member(
        local={"extra": u16(0x5455) + u16(9) + b"\1"})
    yield "extra-field-without-head", "extra-field", malformed, member(central={"extra": b"\0\0\0"})
    yield "unicode-path-twice", "extra-field", malformed, member(
        central={"extra": extra(0x7075, b"") + extra(0x7075, b"")})
    path = b"\1" + u32(zlib.crc32(PAGE.encode()))
    renamed = subject("has an extra field that gives it another name")
    evil = extra(0x7075, path + b"docs.example/evil.html")
    yield "unicode-path-renames", "unicode-path", renamed, member(both={"extra": evil})
    yield "unicode-path-renames-in-directory", "unicode-path", renamed, member(central={"extra": evil})
    yield "unicode-path-renames-in-local-header", "unicode-path", renamed, member(local={"extra": evil})
    yield "unicode-path-parent-path", "unicode-path", renamed, member(
        both={"extra": extra(0x7075, path + b"../../etc/passwd")})
    yield "unicode-path-with-nul", "unicode-path", renamed, member(
        both={"extra": extra(0x7075, path + PAGE.encode() + b"\0")})
    yield "unicode-path-too-short", "unicode-path", renamed, member(both={"extra": extra(0x7075, b"\1\0")})


def descriptors():
    differs = subject("has a data descriptor that differs from the directory in its {}")
    what = {"crc": "checksum", "csize": "compressed size", "size": "size"}
    for field, words in what.items():
        name = words.replace(" ", "-")
        rule = "descriptor"
        yield f"descriptor-{name}-lies", rule, differs.replace("{}", words), described(**{field: 9})
        yield f"descriptor-{name}-lies-without-mark", rule, differs.replace("{}", words), described(False, **{field: 9})
        yield f"descriptor-{name}-lies-in-zip64", rule, differs.replace("{}", words), described(True, True, **{field: 9})
    yield "descriptor-other-mark", "descriptor", subject("has a malformed data descriptor"), described(mark=7)
    none = subject("has no data descriptor between its data and what follows")
    yield "descriptor-missing", "descriptor", none, member(body=b"body\n", data=fixed(b"body\n"), method=8, flags=8)
    yield "descriptor-cut-off", "descriptor", none, member(
        body=b"body\n", data=fixed(b"body\n"), method=8, flags=8, descriptor=b"PK\7\x08\0\0\0\0")
    width = subject("has a data descriptor of a different width than its local header announces")
    yield "descriptor-wide-without-zip64", "descriptor", width, member(
        body=b"body\n", data=fixed(b"body\n"), method=8, flags=8,
        descriptor=descriptor(b"body\n", fixed(b"body\n"), wide=True))
    yield "descriptor-narrow-with-zip64", "descriptor", width, member(
        body=b"body\n", data=fixed(b"body\n"), method=8, flags=8,
        descriptor=descriptor(b"body\n", fixed(b"body\n")),
        local={"csize": MARK, "size": MARK, "extra": zip64(0, 0), "version": 45})
    yield "descriptor-stored-without-mark", "descriptor", subject(
        "is stored with its sizes after the data and no signature before them, so streaming readers can't find its end"), member(
            flags=8, descriptor=descriptor(b"body\n", signature=False))
    yield "descriptor-not-announced", "gap", "there are 16 bytes before the directory that belong to no record", member(
        body=b"body\n", data=fixed(b"body\n"), method=8, descriptor=descriptor(b"body\n", fixed(b"body\n")))
    yield "descriptor-with-local-sizes-that-lie", "local-header-differs", subject(
        "has a different size in its local header than in the directory"), member(
            body=b"body\n", data=fixed(b"body\n"), method=8, flags=8,
            descriptor=descriptor(b"body\n", fixed(b"body\n")), local={"size": 9})


def sizes():
    yield "stored-sizes-differ", "stored-size", subject("is stored, but its two sizes differ"), member(both={"size": 3})
    bomb = subject("claims to inflate to more than 1100 times its size; it is a zip bomb")
    yield "bomb-ratio", "ratio", bomb, member(method=8, data=fixed(b"body\n"), both={"size": 1 << 30})
    yield "bomb-ratio-zip64", "ratio", bomb, member(method=8, data=fixed(b"body\n"), both={
        "size": MARK, "csize": MARK, "extra": zip64(15 << 30, len(fixed(b"body\n"))), "version": 45})
    yield "bomb-ratio-no-data", "ratio", bomb, member(method=8, data=b"", both={"size": 2 << 20})
    yield "bomb-size", "too-large", subject("has 18253611008 bytes, more than 17179869184"), member(
        method=8, data=fixed(b"body\n"), both={
            "size": MARK, "csize": MARK, "extra": zip64(17 << 30, len(fixed(b"body\n"))), "version": 45})
    yield "bomb-size-near-counting", "too-large", subject(
        "has 9223372036854775807 bytes, more than 17179869184"), member(
            method=8, data=fixed(b"body\n"), both={
                "size": MARK, "csize": MARK, "extra": zip64((1 << 63) - 1, len(fixed(b"body\n"))), "version": 45})


def bodies():
    yield "body-checksum", "checksum", subject("is damaged: its checksum is wrong"), member(both={"crc": 1})
    yield "body-checksum-deflated", "checksum", subject("is damaged: its checksum is wrong"), member(
        method=8, data=fixed(b"body\n"), both={"crc": 1})
    yield "body-inflates-beyond", "size-lies", subject("inflates to more than the 100 bytes it declares"), member(
        method=8, data=fixed(b"0", 40), both={"size": 100})
    yield "bomb-inflates-beyond", "size-lies", subject("inflates to more than the 100 bytes it declares"), member(
        method=8, data=dynamic_zeros(40000), both={"size": 100})
    yield "body-inflates-to-less", "size-lies", subject("has 5 bytes instead of 9"), member(
        method=8, data=fixed(b"body\n"), both={"size": 9})
    no_deflate = subject("is damaged: its data is not a deflate stream")
    yield "body-no-deflate", "deflate", no_deflate, member(method=8, data=b"\xff\xff\xff\xff\xff")
    yield "body-no-data", "deflate", no_deflate, member(method=8, data=b"")
    yield "body-deflate-cut-off", "deflate", no_deflate, member(method=8, data=fixed(b"body\n" * 9)[:-4], both={"size": 45})
    yield "body-deflate-not-last", "deflate", no_deflate, member(method=8, data=b"\0\5\0\xfa\xffbody\n")
    yield "body-deflate-stored-length-lies", "deflate", no_deflate, member(method=8, data=b"\1\5\0\0\0body\n")
    yield "body-deflate-distance-too-far", "deflate", no_deflate, member(
        method=8, data=bytes([0x03, 0x1D, 0x00]), both={"size": 258})
    trailing = subject("has data after the end of its deflate stream")
    yield "body-trailing-data", "deflate-trailing", trailing, member(method=8, data=fixed(b"body\n") + b"evil")
    yield "body-trailing-stream", "deflate-trailing", trailing, member(
        method=8, data=fixed(b"body\n") + fixed(b"evil\n"))
    yield "body-empty-deflate-trailing-data", "deflate-trailing", trailing, member(
        body=b"", method=8, data=stored(b"") + b"evil")
    inner = b"first" + descriptor(b"first") + b"rest\n"
    yield "body-stored-looks-like-descriptor", "descriptor", subject(
        "is stored with its sizes after the data, and the data contains what looks like their signature"), member(
            body=inner, flags=8, descriptor=descriptor(inner))


def all_hostile():
    """Name, rule, stage, sentence, bytes; the stage is `read` if the defect is in a body, otherwise `open`."""
    for group in (names, types, methods, local_headers, places, ends, directories, zip64_records, extra_fields,
                  descriptors, sizes):
        for name, rule, sentence, content in group():
            yield name, "zip." + rule, "open", sentence, content
    for name, rule, sentence, content in bodies():
        yield name, "zip." + rule, "read", sentence, content
