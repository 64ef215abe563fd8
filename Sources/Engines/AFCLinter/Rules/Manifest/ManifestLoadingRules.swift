internal import AFCPackageFormat

extension LintRules {
    /// The rules about the manifest's text that loading also checks.
    static let manifestLoading: [Description] = [
        Description(
            .manifestBodiesTooLarge,
            "entries whose bodies add up to more than 64 GiB",
            """
            Several entries can name the same member, and its body then counts once for each of them. The limit for \
            all bodies together is 64 GiB. It stops a small file with many entries from expanding into a huge amount \
            of data. Split the package.
            """,
            bad: .words("22 entries that name one member of 3 GiB"),
            good: .words("20 entries that name one member of 3 GiB")
        ),
        Description(
            .manifestByteOrderMark,
            "a byte order mark",
            """
            Windows editors write the three bytes 0xEF 0xBB 0xBF before UTF-8 text. afcache skips them, but other \
            programs read them as part of the first URL, so that entry isn't found. Save the file as UTF-8 without a \
            byte order mark.
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
            "two different entries for the same URL",
            """
            A URL has one response, but two lines give it different dates, types or bodies. Some programs would use \
            the first line and others the last, so the package is refused. Keep the correct line.
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
            Control characters are not valid in a URL, a date or a media type, and on a terminal they can hide or \
            forge text. A NUL usually means that the file is UTF-16 or not text at all. Remove the character, or \
            percent-encode it if it belongs to the URL. Tabs are allowed around fields.
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
            Lines must end in LF. afcache also accepts CR LF, but older AFCache versions read the CR as part of the \
            last field, which corrupts the media type or member name of every line. Convert the file, for example with \
            'dos2unix'. Only the first such line is reported.
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
            "an entry that appears twice",
            """
            The second line repeats the first and is ignored. It does no harm now, but if one of the lines changes \
            later, the package can't be loaded. Often two lists were merged. Remove one of the lines.
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
            The package loads but answers no request, except for redirects in its sidecar. Usually the program that \
            wrote the manifest found nothing to pack. Check its report, and rebuild the package.
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
            Lines are limited to 64 KiB. No entry needs more: a URL is at most 8 KiB long, and a member name at most \
            1,024 bytes. Usually the file isn't a manifest, or its line breaks were lost in a copy. Get the original \
            file again.
            """,
            bad: .words("a line of 65,537 bytes"),
            good: .words("a line of 65,536 bytes")
        ),
        Description(
            .manifestMalformedLine,
            "a line that is neither a header nor an entry of two to five fields",
            """
            Fields are separated by exactly space, semicolon, space, because a semicolon alone can be part of a URL or \
            a media type. A line that doesn't have two to five fields is ambiguous, so the package is refused. Correct \
            the separators, and write 'NULL' for an unknown field.
            """,
            bad: .manifest("http://d.example/a; Sat, 27 Mar 2004 18:43:30 GMT; NULL; text/html\n"),
            good: .manifest(
                "http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/html; charset=utf-8\n"
            )
        ),
        Description(
            .manifestMissing,
            "a zip without the member `manifest.afcache`",
            """
            The manifest says which URL each body belongs to. Without it, the zip isn't a package, and nothing in it \
            can be served. The manifest must be named 'manifest.afcache', in lower case, at the top level of the \
            archive. Zip the contents of the folder, or pack the folder again. A file that is neither a zip nor a \
            manifest is reported as well.
            """,
            bad: .words("a zip with 'site/manifest.afcache'"),
            good: .words("a zip with 'manifest.afcache'")
        ),
        Description(
            .manifestNoLastLineEnd,
            "a last line without a line break",
            """
            The last line is read normally, but a line appended later would be joined to it. A file that was cut off \
            looks the same. Old packagers written in Python omitted the last line break. Add it.
            """,
            bad: .manifest("http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain"),
            good: .manifest("http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n")
        ),
        Description(
            .manifestNotUTF8,
            "a line that is not UTF-8",
            """
            The manifest must be UTF-8. The bytes of another encoding can stand for different letters, so the URL is \
            ambiguous. Percent-encode URLs ('%C3%A4' for 'ä'), or convert the file; for Latin-1, use 'iconv -f \
            ISO-8859-1 -t UTF-8'.
            """,
            bad: .words("a URL with the byte 0xE4, which is 'ä' in Latin-1"),
            good: .words("a URL with the bytes 0xC3 0xA4, which is 'ä' in UTF-8")
        ),
        Description(
            .manifestOddDelimiter,
            "a semicolon, tab or space that looks like a mistyped delimiter ' ; '",
            """
            Fields are separated by exactly space, semicolon, space. With a tab, several spaces or no space around the \
            semicolon, two fields are read as one and all later fields shift: the date becomes part of the URL, and \
            expires is read as last-modified. No fix corrects this, because only a person can tell what was meant. \
            Write ' ; ', or percent-encode the character if it belongs to the URL.
            """,
            bad: .manifest(
                "http://d.example/a\t;\tSat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
            ),
            good: .manifest(
                "http://d.example/a;b ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain; charset=utf-8\n"
            )
        ),
        Description(
            .manifestTrailingDelimiter,
            "a delimiter at the end of a line",
            """
            The semicolon at the end begins one more field, which is empty and counts as NULL. Readers that look for \
            ' ; ' with both spaces take it for a part of the last field instead, and then misread the media type or a \
            date. Remove it.
            """,
            bad: .manifest("http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain ;\n"),
            good: .manifest("http://d.example/a; ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n")
        ),
        Description(
            .manifestUnknownHeader,
            "a header other than `baseURL`",
            """
            A line 'key = value' is a header. The only known header is 'baseURL', spelled exactly like that; any other \
            is ignored. Correct the spelling, or remove the line.
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
            "an entry that sorts before the previous one",
            """
            Entries should be sorted by the bytes of their URLs, uppercase before lowercase. Sorted manifests can be \
            compared line by line, and they take the least time and memory to read. Sort the lines below the header \
            with 'LC_ALL=C sort'.
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
