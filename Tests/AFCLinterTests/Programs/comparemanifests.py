"""Reads manifests before and after a fix as three other readers do, and prints where one of them reads something else.

usage: comparemanifests.py FILE

FILE has a record for each manifest: a line with the lengths of what follows, then a name for messages, and the bytes
before and after. The readers are written from what is known of AFCache's sources and from docs/reference/format.md, and share
nothing with the program:

- AFCache 0.6 cuts lines at LF and fields at ' ; ', decodes the whole as ASCII, and takes lines of exactly three fields;
- AFCache 0.13 does the same, and takes lines of five fields and more;
- a person sees a field end at every semicolon with white space on a side, whatever white space that is.

What an older reader read before, it must read after, as the same: no line may get other fields, and none may lose them.
"""
import calendar
import email.utils
import ipaddress
import re
import sys
import unicodedata
import urllib.parse

DEFAULT_PORTS = {"http": "80", "https": "443", "ftp": "21", "ws": "80", "wss": "443"}
SPECIAL = set(DEFAULT_PORTS) | {"file"}
SPACE = "[ \t\u00a0\u2000-\u200b\u202f\u205f\u3000]"
DELIMITER = re.compile(f"{SPACE}+[;\uff1b]{SPACE}*|{SPACE}*[;\uff1b]{SPACE}+|{SPACE}+[;\uff1b]$")


def date(text):
    """An instant in seconds, or the text where it is no date that Python understands."""
    text = text.strip(" \t\r")
    if text in ("", "NULL"):
        return None
    if re.fullmatch(r"[0-9]{9,11}", text):
        return int(text)
    iso = re.fullmatch(
        r"(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:[.,]\d+)?\s*(?:([Zz])|([+-])(\d\d):?(\d\d))", text)
    if iso:
        parts = [int(iso.group(n)) for n in range(1, 7)]
        offset = 0 if iso.group(7) else (int(iso.group(9)) * 60 + int(iso.group(10))) * 60
        return calendar.timegm(tuple(parts) + (0, 0, 0)) - (offset if iso.group(8) != "-" else -offset)
    plain = re.sub(r"(?i)(?:GMT|UTC|UT|Z)\s*([+-]\d\d:?\d\d)$", r"\1", text)
    plain = re.sub(r"(?i)\b(?:UTC|UT|Z)$", "GMT", plain)
    plain = re.sub(r"([+-]\d\d):(\d\d)$", r"\1\2", plain)
    # A day and a month with a hyphen between them, and a year without.
    plain = re.sub(r"\b(\d{1,2})-([A-Za-z]{3}) (\d{4})\b", r"\1 \2 \3", plain)
    asctime = re.fullmatch(r"(\w{3}) (\w{3}) +(\d+) (\d\d:\d\d:\d\d) (\d{4})", plain)
    if asctime:
        plain = f"{asctime.group(1)}, {asctime.group(3)} {asctime.group(2)} {asctime.group(5)} {asctime.group(4)} GMT"
    found = email.utils.parsedate_tz(plain)
    if found and ":" in plain:
        return email.utils.mktime_tz(found)
    return text


def media_type(text):
    """Type and parameters, names in lower case; none of them may be lost."""
    text = text.strip(" \t\r")
    if text in ("", "NULL"):
        return None
    pieces = [piece.strip() for piece in re.split(r';(?=(?:[^"]*"[^"]*")*[^"]*$)', text)]
    parameters = []
    for piece in pieces[1:]:
        if not piece:
            continue
        name, equals, value = piece.partition("=")
        value = value.strip()
        if len(value) > 1 and value[0] == value[-1] == '"':
            value = re.sub(r"\\(.)", r"\1", value[1:-1])
        parameters.append((name.strip().lower(), equals, value))
    return (pieces[0].lower(), tuple(parameters))


def number(text):
    """A number of an IPv4 address, or None."""
    digits, base = (text[2:], 16) if text[:2].lower() == "0x" else (text[1:], 8) if text[:1] == "0" else (text, 10)
    alphabet = "0123456789abcdef"[:base]
    if not text or any(digit not in alphabet for digit in digits.lower()):
        return None
    return int(digits, base) if digits else 0


def host(text):
    """A host of http, in lower case and ASCII, an address in its one spelling."""
    if text.startswith("[") and text.endswith("]"):
        try:
            return "[" + ipaddress.IPv6Address(text[1:-1]).compressed + "]"
        except ValueError:
            return text.lower()
    labels = []
    for label in re.split("[.\u3002\uff0e\uff61]", urllib.parse.unquote(text)):
        # What a host is without, in any spelling: soft hyphens, joiners, and marks of byte order.
        label = re.sub("[\u00ad\u200b\u2060\ufeff]", "", label)
        label = unicodedata.normalize("NFKC", label).lower()
        labels.append(label if label.isascii() else "xn--" + label.encode("punycode").decode())
    parts = labels[:-1] if len(labels) > 1 and labels[-1] == "" else labels
    numbers = [number(part) for part in parts]
    if len(parts) > 4 or None in numbers or any(part > 255 for part in numbers[:-1]):
        return ".".join(labels)
    value = numbers[-1] + sum(part << 8 * (3 - index) for index, part in enumerate(numbers[:-1]))
    if numbers[-1] >= 256 ** (5 - len(numbers)):
        return ".".join(labels)
    return str(ipaddress.IPv4Address(value))


def resolve(path):
    """A path without dots."""
    resolved = []
    parts = path.split("/")
    for index, part in enumerate(parts):
        dots = re.sub("(?i)%2e", ".", part)
        if dots == "..":
            resolved = resolved[:-1]
        if dots in (".", ".."):
            if index == len(parts) - 1:
                resolved.append("")
            continue
        resolved.append(part)
    return "/".join(resolved)


def url(text):
    """What a URL asks for, in one spelling: without fragment, escaped, host in lower case, dots resolved."""
    text = text.strip(" \t\r")
    text = re.sub("[\t\r\n]", "", text).split("#")[0]
    match = re.fullmatch(r"([A-Za-z][A-Za-z0-9+.-]*):(.*)", text, re.S)
    if not match:
        return text
    scheme = match.group(1).lower()
    path, mark, query = match.group(2).partition("?")
    # A character that no URL may have is the same as its escape.
    query = mark + urllib.parse.quote(query, safe="%!$&'()*+,;=:@/?-._~[]\\^|{}`")
    if scheme in SPECIAL:
        query = query.replace("'", "%27")
        path = path.replace("\\", "/")
        authority, _, path = (path.lstrip("/") if scheme != "file" else re.sub("^//", "", path)).partition("/")
    elif path.startswith("//"):
        authority, slash, path = path[2:].partition("/")
        path = slash + path
    else:
        authority = ""
    user, _, name = authority.rpartition("@")
    port = re.search(r":([0-9]*)$", name)
    if port:
        name = name[:port.start()]
    port = port.group(1).lstrip("0") or ("0" if port.group(1) else "") if port else ""
    if port == DEFAULT_PORTS.get(scheme):
        port = ""
    if scheme in SPECIAL or name.startswith("["):
        name = host(name)
    else:
        name = urllib.parse.quote(name, safe="%!$&'()*+,;=:@/?-._~[]\\^|{}`\"")
    if scheme in SPECIAL or path.startswith("/"):
        leading = "" if scheme in SPECIAL else "/"
        path = leading + resolve(path[len(leading):])
    path = urllib.parse.quote(path, safe="%!$&'()*+,;=:@/-._~[]\\^|")
    return (scheme, user, name, port, path, query)


def lines(data):
    if data.startswith(b"\xef\xbb\xbf"):
        data = data[3:]
    return [line for line in data.split(b"\n") if line.strip(b" \t\r")]


def old(data, wanted):
    """The entries that AFCache 0.6 or 0.13 reads: its decoder loses all where a byte isn't ASCII."""
    try:
        text = data.decode("ascii")
    except UnicodeDecodeError:
        return set()
    entries = set()
    for line in text.split("\n"):
        fields = line.split(" ; ")
        if not wanted(len(fields)) or not re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", fields[0]):
            continue
        if " " in fields[0] or "\t" in fields[0] or fields[0] != fields[0].strip():
            # NSURL takes no such text, so the line is dropped.
            continue
        more = fields[4] if len(fields) > 4 else None
        kind = media_type(fields[3]) if len(fields) > 3 else None
        # A CR at the end of a line is a part of its last field, which then says something else or nothing.
        if fields[-1] != fields[-1].strip():
            continue
        entries.add((url(fields[0]), date(fields[1]), date(fields[2]), kind, None if more in ("", "NULL") else more))
    return entries


def person(data):
    """What somebody sees in each line: how many fields, and what is in them."""
    seen = set()
    for raw in lines(data):
        try:
            line = raw.decode("utf-8")
        except UnicodeDecodeError:
            seen.add(("undecodable", raw.strip(b" \t\r")))
            continue
        # A semicolon that ends a media type begins nothing, and one that is a field by itself ends two empty ones.
        line = re.sub(r"(?<![^ \t;])([A-Za-z0-9.+-]+/[A-Za-z0-9.+-]+);(?=[ \t]+;|[ \t]*$)", r"\1", line.strip())
        fields = []
        for field in DELIMITER.split(line):
            fields.extend(["", ""] if field.strip() == ";" else [field.strip()])
        count = len(fields)
        # The semicolon of a media type may have a space behind it.
        while len(fields) > 4 and re.fullmatch(r'[A-Za-z0-9-]+=("[^"]*"|[^ ;/]*)', fields[4]):
            fields[3:5] = [fields[3] + "; " + fields[4]]
            count -= 1
        if count < 2:
            seen.add(("other", re.sub(r"\s+", " ", line.strip())))
            continue
        values = [url(fields[0]), date(fields[1])]
        if count > 2:
            values.append(date(fields[2]))
        if count > 3:
            values.append(media_type(fields[3]))
        values.extend(None if field in ("", "NULL") else field for field in fields[4:])
        seen.add((count,) + tuple(values))
    return seen


def records(file):
    """Each record: its name, and a manifest before and after."""
    for head in iter(file.readline, b""):
        parts = [(int(size), file.read(int(size))) for size in head.split()]
        if len(parts) != 3 or any(size != len(part) for size, part in parts):
            sys.exit("a record is cut off")
        yield [part for _, part in parts]


def main():
    with open(sys.argv[1], "rb") as file:
        compared = list(records(file))
    for name, before, after in compared:
        title = name.decode()
        for reader, wanted in (("0.6", lambda fields: fields == 3), ("0.13", lambda fields: fields >= 5)):
            lost = old(before, wanted) - old(after, wanted)
            if lost:
                print(f"{title}: AFCache {reader} no longer reads {sorted(map(repr, lost))[:3]}")
        one, other = person(before), person(after)
        if one != other:
            gone, new = sorted(map(repr, one - other))[:3], sorted(map(repr, other - one))[:3]
            print(f"{title}: somebody who read {gone} now reads {new}")
    print(f"{len(compared)} compared")


main()
