"""Reads manifests before and after a fix as three other readers do, and prints where one of them reads something else.

usage: comparemanifests.py FOLDER

FOLDER has files N.before and N.after, and N.txt with a name for messages. The readers are written from what is known of
AFCache's sources and from docs/format.md, and share nothing with the program:

- AFCache 0.6 cuts lines at LF and fields at ' ; ', decodes the whole as ASCII, and takes lines of exactly three fields;
- AFCache 0.13 does the same, and takes lines of five fields and more;
- a person sees a field end at every semicolon with white space on a side, whatever white space that is.

What an older reader read before, it must read after, as the same: no line may get other fields, and none may lose them.
"""
import calendar
import email.utils
import os
import re
import sys
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


def url(text):
    """What a URL asks for, in one spelling: without fragment, escaped, host in lower case, dots resolved."""
    text = text.strip(" \t\r")
    text = re.sub("[\t\r\n]", "", text).split("#")[0]
    match = re.fullmatch(r"([A-Za-z][A-Za-z0-9+.-]*):(.*)", text, re.S)
    if not match:
        return text
    scheme, rest = match.group(1).lower(), match.group(2)
    if scheme not in SPECIAL:
        return scheme + ":" + urllib.parse.quote(rest, safe="%!$&'()*+,;=:@/?-._~[]\\^|{}`<>\" ")
    rest = rest.split("?", 1)
    path, query = rest[0].replace("\\", "/"), rest[1] if len(rest) > 1 else None
    path = path.lstrip("/") if scheme != "file" else re.sub("^//", "", path)
    host, slash, path = path.partition("/")
    user, at, host = host.rpartition("@")
    name, colon, port = host.partition(":") if not host.startswith("[") else (host, "", "")
    name = urllib.parse.unquote(name)
    try:
        name = name.encode("idna").decode().lower()
    except UnicodeError:
        name = name.lower()
    if port == DEFAULT_PORTS.get(scheme) or port.lstrip("0") == DEFAULT_PORTS.get(scheme):
        port = ""
    resolved = []
    parts = path.split("/")
    for number, part in enumerate(parts):
        dots = re.sub("(?i)%2e", ".", part)
        if dots == "..":
            resolved = resolved[:-1]
        if dots in (".", ".."):
            if number == len(parts) - 1:
                resolved.append("")
            continue
        resolved.append(part)
    path = urllib.parse.quote("/".join(resolved), safe="%!$&'()*+,;=:@/-._~[]\\^|")
    if query is not None:
        query = urllib.parse.quote(query, safe="%!$&()*+,;=:@/?-._~[]\\^|{}`").replace("'", "%27")
    return (scheme, user, name, port.lstrip("0"), path, query)


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
        line = re.sub(r"(/[A-Za-z0-9.+-]+);(?=[ \t]+;|[ \t]*$)", r"\1", line.strip())
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


def main():
    folder = sys.argv[1]
    names = sorted(name[:-7] for name in os.listdir(folder) if name.endswith(".before"))
    for name in names:
        def read(suffix):
            with open(os.path.join(folder, name + suffix), "rb") as file:
                return file.read()
        before, after = read(".before"), read(".after")
        title = read(".txt").decode()
        for reader, wanted in (("0.6", lambda count: count == 3), ("0.13", lambda count: count >= 5)):
            lost = old(before, wanted) - old(after, wanted)
            if lost:
                print(f"{title}: AFCache {reader} no longer reads {sorted(map(repr, lost))[:3]}")
        one, other = person(before), person(after)
        if one != other:
            gone, new = sorted(map(repr, one - other))[:3], sorted(map(repr, other - one))[:3]
            print(f"{title}: somebody who read {gone} now reads {new}")
    print(f"{len(names)} compared")


main()
