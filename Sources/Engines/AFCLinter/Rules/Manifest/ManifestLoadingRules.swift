internal import AFCPackageFormat

extension LintRules {
    /// The rules about the manifest as a text that loading checks, too.
    static let manifestLoading: [Description] = [
        Description(
            .manifestBodiesTooLarge,
            "entries that name more bytes of bodies than a reader takes",
            """
            Several entries may name one member, and whoever loads the package reads its body for each of them. A small \
            file with a million entries could so ask for a million times its largest body; bodies count once for each \
            entry, and together may have 64 GiB. Split the package.
            """,
            bad: .words("22 entries that name one member of 3 GiB"),
            good: .words("20 entries that name one member of 3 GiB")
        ),
        Description(
            .manifestByteOrderMark,
            "a byte order mark",
            """
            Windows editors write the three bytes 0xEF 0xBB 0xBF before UTF-8 text. This reader skips them; others take \
            them for the beginning of the first URL, and lose that entry. Save the file as UTF-8 without a byte order \
            mark.
            """,
            bad: .manifest(
                "\u{FEFF}http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
            ),
            good: .manifest(
                "http://d.example/%EF%BB%BFa ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
            )
        ),
        Description(
            .manifestConflictingDuplicate,
            "two entries for one URL that differ",
            """
            One URL has one response. With two lines that give it different dates, types or bodies, readers would choose \
            differently, some the first and some the last, so the package is refused. Keep the line that is right.
            """,
            bad: .manifest(
                "http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
                    + "http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/html\n"
            ),
            good: .manifest(
                "http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
                    + "https://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/html\n"
            )
        ),
        Description(
            .manifestControlCharacter,
            "a control character in a line",
            """
            Control characters can't stand in a URL, a date or a media type, and on a terminal they can hide or forge \
            text. A NUL shows that the file is UTF-16 or no text. Percent-encode the character where the URL really has \
            it, else remove it; a tab is allowed around fields.
            """,
            bad: .manifest(
                "http://d.example/a\u{1B}[8m ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
            ),
            good: .manifest(
                "http://d.example/a%1B[8m ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
            )
        ),
        Description(
            .manifestCRLF,
            "lines that end in CR LF",
            """
            Lines end in LF. This reader takes CR LF, too; AFCache's own readers keep the CR as a part of the last \
            field, so that a media type or a member's name is wrong in every line. It is reported once, for the first \
            such line. 'dos2unix' converts a file.
            """,
            bad: .manifest(
                "http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\r\n"
            ),
            good: .manifest(
                "http://d.example/a%0D ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
            )
        ),
        Description(
            .manifestDuplicate,
            "an entry that stands twice",
            """
            The second line says the same as the first and is ignored. It does no harm, but as a rule two lists were put \
            together, and one day their lines will differ, which keeps the package from being loaded. Remove one line.
            """,
            bad: .manifest(
                "http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
                    + "http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
            ),
            good: .manifest(
                "http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
                    + "https://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
            )
        ),
        Description(
            .manifestEmpty,
            "a manifest without entries",
            """
            Such a package loads and then answers nothing, except for redirects that its sidecar may hold. As a rule \
            whatever wrote the manifest had found nothing; look at its report, and rebuild the package.
            """,
            bad: .manifest("baseURL = http://d.example/\n"),
            good: .manifest(
                "baseURL = http://d.example/\n"
                    + "http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
            )
        ),
        Description(
            .manifestLineTooLong,
            "a line of more than 64 KiB",
            """
            A reader bounds what one line may cost it, and no entry needs so much: a URL has at most 8 KiB, and a \
            member's name 1,024 bytes. As a rule the file is no manifest at all, or its line ends were lost when it was \
            copied; take it from its source again.
            """,
            bad: .words("a line of 65,537 bytes"),
            good: .words("a line of 65,536 bytes")
        ),
        Description(
            .manifestMalformedLine,
            "a line that has not two to five fields and is no header",
            """
            Fields are separated by exactly space, semicolon, space: a semicolon alone occurs within URLs and media \
            types. A line that can't be cut into two to five fields might name any resource, and no line is dropped \
            silently, so the package is refused. Write the separators, or 'NULL' for a field that is unknown.
            """,
            bad: .manifest("http://d.example/a; Sat, 27 Mar 2004 18:43:30 GMT; NULL; text/html\n"),
            good: .manifest(
                "http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/html; charset=utf-8\n"
            )
        ),
        Description(
            .manifestMissing,
            "a zip without a member `manifest.afcache`",
            """
            The manifest says which URL each body answers; a zip without one is a zip, but no package, and nothing of it \
            can be served. The name is fixed, in lower case, at the top of the archive and not in a folder. Make a \
            package of the folder of files.
            """,
            bad: .words("a zip with 'site/manifest.afcache'"),
            good: .words("a zip with 'manifest.afcache'")
        ),
        Description(
            .manifestNoLastLineEnd,
            "a last line without a line end",
            """
            The last line is read as it is; but a line that somebody appends later would be glued to it, and a file that \
            was cut off looks just the same. Packagers in Python left the line end out. End the last line, too.
            """,
            bad: .manifest("http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain"),
            good: .manifest("http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n")
        ),
        Description(
            .manifestNotUTF8,
            "a line that is not UTF-8",
            """
            The manifest is UTF-8, and bytes that aren't could mean another letter in each encoding, so nobody can tell \
            which URL was meant. URLs are ASCII once they are percent-encoded: write '%C3%A4' for 'ä', or convert the \
            file with 'iconv -f ISO-8859-1 -t UTF-8' where it was written in Latin-1.
            """,
            bad: .words("a URL with the byte 0xE4, which is 'ä' in Latin-1"),
            good: .words("a URL with the bytes 0xC3 0xA4, which is 'ä' in UTF-8")
        ),
        Description(
            .manifestOddDelimiter,
            "a semicolon, tab or space that looks like a mistyped delimiter ' ; '",
            """
            Fields are separated by exactly space, semicolon, space. With a tab, several spaces or no space around the \
            semicolon, the next field becomes part of this one and all later fields shift: a date becomes part of the \
            URL, and expires is read as last-modified. No fix changes such a line, since only a person knows what was \
            meant. Write ' ; '; where the character belongs to the URL, percent-encode it.
            """,
            bad: .manifest(
                "http://d.example/a\t;\tSat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
            ),
            good: .manifest(
                "http://d.example/a;b ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain; charset=utf-8\n"
            )
        ),
        Description(
            .manifestUnknownHeader,
            "a header other than `baseURL`",
            """
            A line 'key = value' is a header. AFCache 0.13 wrote one, 'baseURL', in just this spelling; any other is \
            ignored, so what it asks for doesn't happen. Correct its spelling, or remove the line.
            """,
            bad: .manifest(
                "baseurl = http://d.example/\n"
                    + "http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
            ),
            good: .manifest(
                "baseURL = http://d.example/\n"
                    + "http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
            )
        ),
        Description(
            .manifestUnsorted,
            "an entry that sorts before the one above",
            """
            Entries are sorted by the bytes of their URLs, capitals before small letters. Then two packs of one site can \
            be compared line by line, and reading takes the least time and memory, since a URL that comes twice is seen \
            at once. Sort the lines with 'LC_ALL=C sort', below a header.
            """,
            bad: .manifest(
                "http://d.example/b ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
                    + "http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
            ),
            good: .manifest(
                "http://d.example/B ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
                    + "http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
            )
        ),
    ]
}
