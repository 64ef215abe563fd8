"""The records of a zip archive, written by hand so that each field can lie (APPNOTE.TXT 6.3.10)."""

import struct
import zlib
from dataclasses import dataclass, field

LOCAL, ENTRY, END = 0x04034B50, 0x02014B50, 0x06054B50
RECORD64, LOCATOR64, DESCRIPTOR = 0x06064B50, 0x07064B50, 0x08074B50
DATE, TIME = (2026 - 1980) << 9 | 1 << 5 | 2, 3 << 11 | 4 << 5 | 6 // 2
MARK = 0xFFFFFFFF


def u16(value):
    return struct.pack("<H", value)


def u32(value):
    return struct.pack("<I", value)


def u64(value):
    return struct.pack("<Q", value)


def extra(kind, body):
    return u16(kind) + u16(len(body)) + body


def zip64(*values):
    """The extra field for sizes and offsets that are too large for a header (4.5.3)."""
    return extra(1, b"".join(u64(value) for value in values))


def descriptor(body, data=None, signature=True, wide=False, **lies):
    """The data descriptor: sizes and checksum after the data, for a header written before they were known (4.3.9)."""
    values = {"crc": zlib.crc32(body), "csize": len(body if data is None else data), "size": len(body)} | lies
    size = u64 if wide else u32
    mark = u32(lies.get("mark", DESCRIPTOR)) if signature else b""
    return mark + u32(values["crc"]) + size(values["csize"]) + size(values["size"])


@dataclass
class Member:
    """A member; `local` and `central` override the fields of its two headers."""

    name: bytes | str
    body: bytes = b"body\n"
    method: int = 0
    data: bytes | None = None
    flags: int = 0
    descriptor: bytes = b""
    both: dict = field(default_factory=dict)
    local: dict = field(default_factory=dict)
    central: dict = field(default_factory=dict)
    before: bytes = b""

    def fields(self):
        name = self.name.encode() if isinstance(self.name, str) else self.name
        data = self.body if self.data is None else self.data
        return {
            "made_by": 0x031E, "version": 20, "flags": self.flags, "method": self.method, "time": TIME, "date": DATE,
            "crc": zlib.crc32(self.body), "csize": len(data), "size": len(self.body), "name": name, "extra": b"",
            "comment": b"", "disk": 0, "internal": 0, "attributes": 0, "mark": None, "name_size": None,
            "extra_size": None, "comment_size": None,
        } | self.both

    def record(self):
        """The local header, the data, and what follows it."""
        head = self.fields()
        if head["flags"] & 8:
            head |= {"crc": 0, "csize": 0, "size": 0}
        head |= self.local
        name, more = head["name"], head["extra"]
        return struct.pack(
            "<IHHHHHIIIHH", LOCAL if head["mark"] is None else head["mark"], head["version"], head["flags"],
            head["method"], head["time"], head["date"], head["crc"], head["csize"], head["size"],
            len(name) if head["name_size"] is None else head["name_size"],
            len(more) if head["extra_size"] is None else head["extra_size"],
        ) + name + more + (self.body if self.data is None else self.data) + self.descriptor

    def entry(self, offset):
        """The entry in the directory."""
        head = self.fields() | {"offset": offset} | self.central
        name, more, comment = head["name"], head["extra"], head["comment"]
        return struct.pack(
            "<IHHHHHHIIIHHHHHII", ENTRY if head["mark"] is None else head["mark"], head["made_by"], head["version"],
            head["flags"], head["method"], head["time"], head["date"], head["crc"], head["csize"], head["size"],
            len(name) if head["name_size"] is None else head["name_size"],
            len(more) if head["extra_size"] is None else head["extra_size"],
            len(comment) if head["comment_size"] is None else head["comment_size"],
            head["disk"], head["internal"], head["attributes"], head["offset"],
        ) + name + more + comment


@dataclass
class Archive:
    """An archive; `end`, `record64` and `locator64` override the fields of the records at its end."""

    members: list
    end: dict = field(default_factory=dict)
    comment: bytes = b""
    prefix: bytes = b""
    before_directory: bytes = b""
    after_directory: bytes = b""
    before_end: bytes = b""
    suffix: bytes = b""
    record64: dict | None = None
    locator64: dict = field(default_factory=dict)
    order: list | None = None

    def bytes(self):
        out = bytearray(self.prefix)
        entries = []
        for member in self.members:
            out += member.before
            entries.append(member.entry(len(out)))
            out += member.record()
        out += self.before_directory
        start, directory = len(out), b"".join(entries[index] for index in self.order or range(len(entries)))
        out += directory + self.after_directory
        wide = self.record64 is not None
        if wide:
            out += self.zip64_records(len(out), start, len(directory))
        end = {
            "mark": END, "disk": 0, "first_disk": 0, "count": 0xFFFF if wide else len(entries), "total": None,
            "size": MARK if wide else len(directory), "offset": MARK if wide else start, "comment_size": None,
        } | self.end
        out += self.before_end + struct.pack(
            "<IHHHHIIH", end["mark"], end["disk"], end["first_disk"], end["count"],
            end["count"] if end["total"] is None else end["total"], end["size"], end["offset"],
            len(self.comment) if end["comment_size"] is None else end["comment_size"],
        )
        return bytes(out + self.comment + self.suffix)

    def zip64_records(self, position, start, size):
        record = {
            "mark": RECORD64, "record_size": 44, "made_by": 45, "version": 45, "disk": 0, "first_disk": 0,
            "count": len(self.members), "total": None, "size": size, "offset": start, "more": b"",
        } | self.record64
        locator = {"mark": LOCATOR64, "disk": 0, "offset": position, "disks": 1} | self.locator64
        return struct.pack(
            "<IQHHIIQQQQ", record["mark"], record["record_size"], record["made_by"], record["version"], record["disk"],
            record["first_disk"], record["count"], record["count"] if record["total"] is None else record["total"],
            record["size"], record["offset"],
        ) + record["more"] + struct.pack("<IIQI", locator["mark"], locator["disk"], locator["offset"], locator["disks"])
