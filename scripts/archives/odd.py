"""Archives that look odd but are valid: name of the file, bytes, and the expected body for each name."""

import zlib

from .deflate import Bits, dynamic_zeros, fixed, put_fixed, put_stored, stored
from .packages import LINE, BODY, NAME
from .records import MARK, Archive, Member, descriptor, extra, u16, u32, u64, zip64

PAGE, STYLE = "docs.example/page.html", "docs.example/style.css"


def deflated(name, body=b"body\n", **how):
    return Member(name, body, 8, how.pop("data", None) or fixed(body), **how)


def described(name, body=b"body\n", signature=True, wide=False, **how):
    data = fixed(body)
    return Member(name, body, 8, data, flags=8, descriptor=descriptor(body, data, signature, wide), **how)


def mixed_blocks():
    """A stored block, an empty one, a fixed one, an empty stored one, and a last one that ends within a byte."""
    bits = Bits()
    put_stored(bits, b"stored ", False)
    put_stored(bits, b"", False)
    put_fixed(bits, b"fixed ", last=False)
    put_stored(bits, b"", False)
    put_fixed(bits, b"last\n")
    return bits.bytes()


def groups():
    """Name and archive; the bodies are those of its members."""
    two = [Member(PAGE), Member(STYLE, b"p {}\n")]
    yield "plain", Archive(two)
    yield "no-members", Archive([])
    yield "no-members-zip64", Archive([], record64={})
    yield "archive-comment", Archive(two, comment="made for näht, with ☂\n".encode())
    yield "archive-comment-longest", Archive(two, comment=b"c" * 0xFFFF)
    yield "member-comment", Archive([Member(PAGE, central={"comment": b"a comment"})])
    yield "empty-bodies", Archive([Member(PAGE, b""), deflated(STYLE, b""), deflated("x", b"", data=stored(b""))])
    yield "stored-and-deflated", Archive([Member(PAGE), deflated(STYLE), Member("x"), deflated("y")])
    yield "deflate-stored-block", Archive([deflated(PAGE, data=stored(b"body\n"))])
    yield "deflate-stored-blocks", Archive([deflated(PAGE, data=stored(b"bo", b"", b"dy", b"\n"))])
    yield "deflate-mixed-blocks", Archive([deflated(PAGE, b"stored fixed last\n", data=mixed_blocks())])
    yield "deflate-as-tight-as-can-be", Archive([deflated(PAGE, b"\0" * (1 + 258 * 4200), data=dynamic_zeros(4200))])
    yield "deflate-larger-than-body", Archive([deflated(PAGE, bytes(range(144, 256)))])
    yield "deflate-flags-for-speed", Archive([deflated(PAGE, flags=2), deflated(STYLE, flags=4), deflated("x", flags=6)])
    yield "folder-members", Archive([Member("docs.example/", b""), Member(PAGE), Member("other.example/", b"")])
    yield "folder-member-behind-its-files", Archive([Member(PAGE), Member("docs.example/", b"")])
    yield "folder-member-deep", Archive([Member("a/b/c/d/", b""), Member("a/b/x")])
    yield "folder-member-deflated", Archive([deflated("docs.example/", b""), Member(PAGE)])
    yield "folder-member-with-descriptor", Archive([described("docs.example/", b""), described(PAGE)])
    yield "folder-with-unix-mode", Archive(
        [Member("docs.example/", b"", central={"attributes": 0o40755 << 16 | 0x10}), Member(PAGE)])
    yield "order-of-directory-reversed", Archive(two, order=[1, 0])
    yield "order-not-by-name", Archive([Member("z"), Member("a"), Member("m")])
    yield "manifest-first", Archive([Member("manifest.afcache", LINE), Member(NAME, BODY)])
    yield "manifest-last", Archive([Member(NAME, BODY), Member("manifest.afcache", LINE)])
    yield "descriptor-with-mark", Archive([described(PAGE), described(STYLE, b"p {}\n")])
    yield "descriptor-without-mark", Archive([described(PAGE, signature=False), described(STYLE, signature=False)])
    yield "descriptor-zip64", Archive([
        described(PAGE, wide=True, both={"version": 45}, local={"csize": MARK, "size": MARK, "extra": zip64(0, 0)}),
        Member(STYLE)])
    yield "descriptor-with-sizes-in-local-header", Archive([
        described(PAGE, local={"crc": zlib.crc32(b"body\n"), "csize": len(fixed(b"body\n")), "size": 5})])
    yield "descriptor-of-empty-body", Archive([described(PAGE, b""), described(STYLE, b"")])
    yield "descriptor-mark-in-deflated-data", Archive([deflated(
        PAGE, b"PK\7\x08" * 3, data=stored(b"PK\7\x08" * 3), flags=8,
        descriptor=descriptor(b"PK\7\x08" * 3, stored(b"PK\7\x08" * 3)))])
    yield "zip64-end-record", Archive(two, record64={})
    yield "zip64-end-record-that-repeats", Archive(
        two, record64={}, end={"count": 2, "size": sum(len(item.entry(0)) for item in two),
                               "offset": sum(len(item.record()) for item in two)})
    wide = {"size": MARK, "csize": MARK, "extra": zip64(5, 5), "version": 45}
    yield "zip64-sizes", Archive([Member(PAGE, both=wide), Member(STYLE)])
    yield "zip64-sizes-and-offset", Archive([
        Member(PAGE), Member(STYLE, local=wide, central=wide | {"offset": MARK, "extra": zip64(
            5, 5, len(Member(PAGE).record()))})], record64={})
    yield "zip64-size-in-directory-only", Archive([Member(PAGE, central=wide)])
    yield "zip64-field-that-repeats", Archive([Member(PAGE, both={"extra": zip64(5, 5)})])
    yield "extra-timestamps", Archive([Member(
        PAGE, local={"extra": extra(0x5455, b"\3" + u32(1767323046) * 2)},
        central={"extra": extra(0x5455, b"\3" + u32(1767323046))})])
    unix = extra(0x7875, b"\1\4" + u32(1000) + b"\4" + u32(1000))
    yield "extra-user-and-group", Archive([Member(PAGE, both={"extra": unix})])
    ntfs = extra(0x000A, u32(0) + u16(1) + u16(24) + u64(133800000000000000) * 3)
    yield "extra-ntfs-times", Archive([Member(PAGE, central={"extra": ntfs, "made_by": 0x0A14})])
    yield "extra-unknown", Archive([Member(PAGE, both={"extra": extra(0x9999, b"hello") + extra(0xCAFE, b"")})])
    yield "extra-same-unicode-path", Archive([Member(
        PAGE, both={"extra": extra(0x7075, b"\1" + u32(zlib.crc32(PAGE.encode())) + PAGE.encode())})])
    yield "extra-padding", Archive([Member(PAGE, local={"extra": extra(0xD935, u16(4) + b"\0" * 30)})])
    yield "made-by-dos", Archive([Member(PAGE, central={"made_by": 20, "attributes": 0x20})])
    yield "made-by-ntfs", Archive([Member(PAGE, central={"made_by": 0x0A3F, "attributes": 0x80})])
    yield "made-by-unix", Archive([Member(PAGE, central={"made_by": 0x033F, "attributes": 0o100644 << 16})])
    yield "made-by-darwin", Archive([Member(PAGE, central={"made_by": 0x1314, "attributes": 0o100644 << 16})])
    yield "mode-without-type", Archive([Member(PAGE, central={"attributes": 0o600 << 16})])
    yield "mode-setuid", Archive([Member(PAGE, central={"attributes": 0o104755 << 16})])
    yield "internal-text-flag", Archive([Member(PAGE, b"a\r\nb\n", central={"internal": 1})])
    yield "version-1.0", Archive([Member(PAGE, both={"version": 10})])
    yield "version-4.5", Archive([Member(PAGE, both={"version": 45})])
    for name, date, time in (("first", 33, 0), ("last", 127 << 9 | 12 << 5 | 31, 23 << 11 | 59 << 5 | 29),
                             ("leap-day", 44 << 9 | 2 << 5 | 29, 0), ("midnight", 46 << 9 | 12 << 5 | 31, 0)):
        yield f"time-{name}", Archive([Member(PAGE, both={"date": date, "time": time})])
    yield "name-utf8-flag-on-ascii", Archive([Member(PAGE, flags=0x800)])
    yield "name-utf8-with-flag", Archive([Member("docs.example/grün/☂.html", flags=0x800)])
    yield "name-utf8-without-flag", Archive([Member("docs.example/grün.html")])
    yield "name-utf8-decomposed", Archive([Member("docs.example/gru\u0308n.html", flags=0x800)])
    yield "name-beyond-the-first-plane", Archive([Member("docs.example/😀.html", flags=0x800)])
    yield "name-of-url", Archive([Member("docs.example/find?q=a&b=%20+c d;e,f@g=(h)!~'$")])
    yield "name-with-dots", Archive([Member("docs.example/..."), Member("docs.example/a..b"), Member("docs.example/.c")])
    yield "name-with-colon", Archive([Member("docs.example:8080/a:b")])
    yield "name-as-long-as-may-be", Archive([Member("n" * 255)])
    yield "names-alike-in-two-folders", Archive([Member("a.example/x"), Member("b.example/x"), Member("x")])
    yield "names-one-a-part-of-another", Archive([Member("a"), Member("ab"), Member("abc/d"), Member("a.b")])
    yield "zip-as-a-body", Archive([Member("docs.example/inner.zip", Archive(two).bytes()), Member(PAGE)])
    yield "zip-as-the-last-body", Archive([Member(PAGE), Member("docs.example/inner.zip", Archive(two).bytes())])
    yield "body-of-records-marks", Archive([Member(PAGE, b"PK\1\2PK\3\4PK\5\6PK\6\6PK\6\7PK\7\x08" * 4)])
    yield "many-members", Archive([Member(f"docs.example/{index}", str(index).encode()) for index in range(300)])


def all_odd():
    """Name, bytes, and the members as (name, body)."""
    for name, archive in groups():
        members = [archive.members[index] for index in archive.order or range(len(archive.members))]
        yield name, archive.bytes(), [(member.name, member.body) for member in members]
