internal import AFCPackageFormat

extension LintRules {
    /// The rules about the zip that loading checks, too.
    static let zip: [Description] = [
        Description(
            "zip.ambiguous-end",
            .error,
            "a second end record, for example in the comment",
            """
            Some readers take the last end record, others the first that they meet from the end; with two of them each \
            sees other members, so what was checked needn't be what is used. That is how packages are smuggled past a \
            check. Rewrite the archive without the comment.
            """,
            bad: .words("an archive whose comment has an end record in it"),
            good: .words("an archive with an end record's bytes in a body")
        ),
        Description(
            "zip.authentication",
            .error,
            "an encrypted body that was changed",
            """
            Behind each encrypted body stands a code that only who has the password can make; this one doesn't fit. The \
            file was damaged or changed since it was packed, or, once in 65,536 times, the password is wrong. Get the \
            package again.
            """,
            bad: .words("an encrypted body with one byte changed"),
            good: .words("an encrypted body as it was packed")
        ),
        Description(
            "zip.bad-directory",
            .error,
            "a directory with malformed entries",
            """
            The directory lists the members, and where an entry has no mark or is longer than the directory, the rest \
            can't be found. The file is damaged, or was written so that programs that skip over errors see something \
            else. Get it again, or rewrite the archive from the original files.
            """,
            bad: .words("a directory in which an entry begins with other bytes than 'PK'"),
            good: .words("a directory whose entries have comments")
        ),
        Description(
            "zip.bad-zip64",
            .error,
            "zip64 records that are malformed or disagree",
            """
            Numbers too large for the old records stand in zip64 ones, and where both give a number, they must give the \
            same. Readers prefer one or the other, so a difference means that two programs see different archives. Write \
            it again with another program.
            """,
            bad: .words("an end record that counts 2 members, and a zip64 one that counts 3"),
            good: .words("a zip64 end record that repeats what the end record says")
        ),
        Description(
            "zip.checksum",
            .error,
            "a body with another checksum than declared",
            """
            The CRC-32 in the header was made of the body as it was packed; at least one bit has changed since. Disks, \
            memory and interrupted downloads do that. It is noticed only where bodies are read. Get the file again.
            """,
            bad: .words("a stored body 'body' with the checksum of another"),
            good: .words("a stored body 'body' with its own checksum")
        ),
        Description(
            "zip.collision",
            .error,
            "names that differ by case or Unicode normal form only",
            """
            Windows and macOS keep 'A.html' and 'a.html' in one file, and macOS both spellings of 'ä', so the second \
            overwrites the first when the archive is unpacked there. The packager gives such bodies different names; \
            pack the site with it, or rename one and name it in the fifth field.
            """,
            bad: .words("members 'd.example/a' and 'd.example/A'"),
            good: .words("members 'd.example/a' and 'e.example/A'")
        ),
        Description(
            "zip.deflate",
            .error,
            "data that is no deflate stream",
            """
            The compressed data is cut off or damaged, or was never deflated, so the body can't be restored. Some \
            programs show what they could restore, and a page might then be served in half. Get the file again.
            """,
            bad: .words("deflated data that ends before its last block does"),
            good: .words("deflated data of one block that isn't compressed")
        ),
        Description(
            "zip.deflate-trailing",
            .error,
            "data behind the end of a deflate stream",
            """
            A deflate stream says itself where it ends; what follows within the member is seen by no reader that \
            believes it, and by some that count bytes. Data can be hidden there from a check. Rewrite the archive from \
            its files.
            """,
            bad: .words("a deflate stream with 3 bytes behind its end"),
            good: .words("a deflate stream that ends where its member does")
        ),
        Description(
            "zip.descriptor",
            .error,
            "a data descriptor that is missing or lies",
            """
            A writer that can't go back puts checksum and sizes behind the data. They must be there and agree with the \
            directory, and stored data mustn't hold what looks like them, since readers of streams would stop there. \
            Write the archive into a file instead of a pipe, or deflate its members.
            """,
            bad: .words("a data descriptor with another checksum than the directory"),
            good: .words("a data descriptor that agrees with the directory")
        ),
        Description(
            "zip.device",
            .error,
            "a device, pipe, socket or volume label",
            """
            Programs that unpack such members as they are make devices or pipes, which block or do harm when they are \
            opened. None of these has a body that could be served. Leave it out and pack the files alone.
            """,
            bad: .words("a member whose Unix mode is that of a pipe"),
            good: .words("a member whose Unix mode is that of a file")
        ),
        Description(
            "zip.directory-misplaced",
            .error,
            "a directory that doesn't end where the end record begins",
            """
            Offset and size say where the directory is; some readers believe the offset, others count back from the end. \
            When these differ there may be two directories. Something was put before the archive or into it without \
            correcting the numbers; rewrite the archive from its files.
            """,
            bad: .words("an end record whose offset is one byte too large"),
            good: .words("an end record whose offset and size meet its own place")
        ),
        Description(
            "zip.duplicate",
            .error,
            "two members of one name",
            """
            Some readers unpack the first, some the last, so a check of one says nothing about the other. Programs that \
            append a new version of a file without removing the old make that by accident. Rewrite the archive from its \
            files.
            """,
            bad: .words("two members 'd.example/a'"),
            good: .words("members 'd.example/a' and 'e.example/a'")
        ),
        Description(
            "zip.encrypted",
            .error,
            "a member that is encrypted otherwise than with AES-256",
            """
            PKZIP's old encryption is broken within minutes, shorter keys and PKWARE's methods are read by few programs, \
            and headers that contradict each other are read differently by each. Only AES-256 as WinZip writes it is \
            taken: pack with it, or not encrypted.
            """,
            bad: .words("a member encrypted in PKZIP's way"),
            good: .words("a member encrypted with AES-256, and its password")
        ),
        Description(
            "zip.extra-field",
            .error,
            "a malformed extra field",
            """
            Extra fields are a row of kind, length and bytes. Where a length goes beyond the end, readers disagree about \
            what belongs to which, and each may see other sizes or names. Rewrite the archive; 'zip -X' leaves extra \
            fields out.
            """,
            bad: .words("an extra field that says 8 bytes and has 4"),
            good: .words("an extra field of an unregistered kind")
        ),
        Description(
            "zip.file-and-folder",
            .error,
            "a name that is both file and folder",
            """
            No file system can hold a file 'guide' and files in a folder 'guide'; depending on the order one of them is \
            lost, or unpacking ends. The packager gives the body of a URL above others a name of its own; pack the \
            site with it.
            """,
            bad: .words("members 'd.example/a' and 'd.example/a/b'"),
            good: .words("members 'd.example/a' and 'd.example/ab/c'")
        ),
        Description(
            "zip.flags",
            .error,
            "flags that nobody should need",
            """
            Flags 1 and 2 say how hard deflate tried, 3 that a data descriptor follows, 11 that the name is UTF-8, and 0 \
            that the member is encrypted. Others change what the data means, as patches or masked headers, in ways that \
            hardly any reader knows. Rewrite the archive with a common program.
            """,
            bad: .words("a member with the reserved flag 15"),
            good: .words("a member with the flags for fast deflate")
        ),
        Description(
            "zip.folder-with-data",
            .error,
            "a folder with data",
            """
            Readers that go by the name drop the data, others write it to a file, so it is a body that only some see. \
            Folders have no bytes. Rewrite the archive.
            """,
            bad: .words("a member 'd.example/' of 4 bytes"),
            good: .words("a member 'd.example/' of 0 bytes")
        ),
        Description(
            "zip.gap",
            .error,
            "bytes that belong to no member",
            """
            Readers of the directory skip them, readers of streams don't: what stands there may be a member that only \
            some programs see. Programs that replace members in place leave such holes. Rewrite the archive from its \
            files.
            """,
            bad: .words("two members with 10 bytes between them"),
            good: .words("a member with an extra field that is padding")
        ),
        Description(
            "zip.hidden-archive",
            .error,
            "records of a second archive in a comment or extra field",
            """
            A header or directory entry where only text should be is invisible to readers of the directory, and found by \
            those that search or stream. Nobody needs that but who wants two programs to see different members. Rewrite \
            the archive; its comments and extra fields can go.
            """,
            bad: .words("an archive whose comment has a local header in it"),
            good: .words("an archive that has another archive as a body")
        ),
        Description(
            "zip.leading-data",
            .error,
            "bytes before the first member",
            """
            A program, a picture or a page before the archive makes one file that is two things, depending on who opens \
            it; filters that look at the first bytes are deceived by it. Self-extracting archives are made like that, \
            too. Unpack it, and pack the files again.
            """,
            bad: .words("an archive that begins with another archive"),
            good: .words("an archive that begins with its first member")
        ),
        Description(
            "zip.link",
            .error,
            "a link, or what some readers make one of",
            """
            A symbolic link makes a later member land wherever the link points, outside the folder that is unpacked to, \
            and a body read through it could be any file of this machine. A package has files and folders only. Pack the \
            file that the link points to; 'zip' does so without '-y'.
            """,
            bad: .words("a member whose Unix mode is that of a symbolic link"),
            good: .words("a member whose Unix mode is that of a file with the set-user-ID bit")
        ),
        Description(
            "zip.local-header-differs",
            .error,
            "a local header that says something else than the directory",
            """
            Readers of files go by the directory, readers of streams by the header before the data. Where name, method, \
            time, checksum or size differ, they unpack different things, and a check by one says nothing about the \
            other. Rewrite the archive from its files.
            """,
            bad: .words("a local header with another checksum than the directory"),
            good: .words("a local header with the sizes that the data descriptor gives later")
        ),
        Description(
            "zip.method",
            .error,
            "a compression other than stored and deflate",
            """
            Every program that reads zips knows stored and deflate; bzip2, LZMA, Zstandard, XZ or deflate64 are read by \
            few. A package is meant to load everywhere. Compress it again: 'zip' and the packager deflate, '7z a \
            -tzip' does with '-mm=Deflate'.
            """,
            bad: .words("a member compressed with bzip2"),
            good: .words("a stored member beside a deflated one")
        ),
        Description(
            "zip.name-absolute",
            .error,
            "an absolute name",
            """
            Unpacked as it stands, '/etc/passwd' overwrites that file, wherever one wanted to unpack to. Names in a zip \
            are relative to the folder that is unpacked to. Pack the files from within their folder.
            """,
            bad: .words("a member '/etc/passwd'"),
            good: .words("a member 'd.example/a'")
        ),
        Description(
            "zip.name-backslash",
            .error,
            "a backslash in a name",
            """
            Windows takes it for a slash, so that 'a\\..\\b' leaves the folder there and is one harmless name elsewhere. \
            Some old programs of Windows wrote it between folders, where the format asks for '/'. Rewrite the archive.
            """,
            bad: .words("a member 'd.example\\a'"),
            good: .words("a member 'd.example/a'")
        ),
        Description(
            "zip.name-control-character",
            .error,
            "a control character in a name",
            """
            On a terminal control characters hide or forge what a listing shows, in scripts a line feed makes two names \
            of one, and a NUL ends a name for programs in C. No URL needs them: percent-encode them.
            """,
            bad: .words("a name with an escape sequence in it"),
            good: .words("a name with '%1B' in it")
        ),
        Description(
            "zip.name-dot",
            .error,
            "the part `.` in a name",
            """
            'a/./b' and 'a/b' are the same file on every system and different names in the archive, so a check by name \
            can be passed by. Rewrite the archive; 'zip -r x.zip .' leaves the './' out by itself.
            """,
            bad: .words("a member 'd.example/./a'"),
            good: .words("a member 'd.example/.a'")
        ),
        Description(
            "zip.name-drive-letter",
            .error,
            "a name that begins with a drive letter",
            """
            On Windows 'c:a' lies on drive C, wherever one wanted to unpack to, and 'c:/a' at its top. Elsewhere a colon \
            is a letter like any other, and behind the first part it is allowed. Pack the files from within their \
            folder, without the drive.
            """,
            bad: .words("a member 'c:/a'"),
            good: .words("a member 'docs.example/a:b'")
        ),
        Description(
            "zip.name-empty",
            .error,
            "a member without a name",
            """
            Nothing can name it, in a manifest or on a disk, and readers make up names of their own. The program that \
            wrote the archive is at fault, or the file is damaged. Write it again.
            """,
            bad: .words("a member with a name of 0 bytes"),
            good: .words("a member 'a'")
        ),
        Description(
            "zip.name-empty-part",
            .error,
            "an empty part in a name",
            """
            'a//b' and 'a/b' are the same file on every system and different names in the archive, so a check by name \
            can be passed by. The rule for members folds runs of slashes into one. Rewrite the archive without such names.
            """,
            bad: .words("a member 'd.example//a'"),
            good: .words("a folder 'd.example/', with one slash at its end")
        ),
        Description(
            "zip.name-not-utf8",
            .error,
            "a name that is not UTF-8",
            """
            Names are compared by their bytes and shown as UTF-8; bytes that aren't are another name in each code page, \
            so no manifest can name them safely. Old programs of Windows write names in the code page of their country. \
            Rewrite the archive with '7z a -tzip -mcu=on', or give members names in ASCII, as the packager does.
            """,
            bad: .words("a name with the byte 0xE4, which is 'ä' in Latin-1"),
            good: .words("a name with the bytes 0xC3 0xA4, which is 'ä' in UTF-8")
        ),
        Description(
            "zip.name-parent-path",
            .error,
            "the part `..` in a name",
            """
            Unpacked as it stands, '../../etc/passwd' climbs out of the folder and overwrites what it likes; this is the \
            oldest attack by archives. Nobody needs it: pack the files from within their folder.
            """,
            bad: .words("a member 'd.example/../../etc/passwd'"),
            good: .words("a member 'd.example/..a'")
        ),
        Description(
            "zip.name-too-long",
            .error,
            "a name of more than 1,024 bytes, or a part of more than 255",
            """
            File systems take 255 bytes for a part of a path, and Windows 260 characters for the whole unless it is told \
            otherwise. Unpacking ends there, or cuts the name, so that it may meet another. Long queries make such \
            names; the packager shortens them and keeps them apart by a hash.
            """,
            bad: .words("a name with a part of 256 bytes"),
            good: .words("a name of 1,024 bytes in parts of 255 at most")
        ),
        Description(
            "zip.no-local-header",
            .error,
            "a member without a local header",
            """
            Each member has a header before its data that repeats what the directory says. Where the directory points to \
            something else, the file is damaged, or its offsets weren't corrected when something was put before it. Get \
            it again.
            """,
            bad: .words("a directory entry that points into a body"),
            good: .words("a directory entry that points to the member's header")
        ),
        Description(
            "zip.not-a-zip",
            .error,
            "a file without an end record",
            """
            A zip is read from its end: the last bytes say where the directory is. Without them nothing in the file can \
            be found. As a rule a download or copy was cut off, or the file is something else that got the name; compare \
            its size with the original's, and get it again.
            """,
            bad: .words("a package without its last 22 bytes"),
            good: .words("a zip without members, which is nothing but an end record")
        ),
        Description(
            "zip.overlap",
            .error,
            "members that overlap",
            """
            Two members that share their bytes let a small file unpack to thousands of times its size, which is how the \
            worst known bombs work, or give one body two names that a check sees differently. No program makes this by \
            accident, unless a file is damaged. Get it from another source.
            """,
            bad: .words("two members, the second of which lies within the first"),
            good: .words("two members that stand in the directory in the other order than in the file")
        ),
        Description(
            "zip.partly-encrypted",
            .error,
            "a plain member among encrypted ones",
            """
            Someone without the password can still add a member to the archive, and in a package that is otherwise \
            encrypted people would trust it. So all members that have bytes are encrypted, or none. Rebuild the package \
            with one password for everything.
            """,
            bad: .words("an encrypted package with one plain member"),
            good: .words("an encrypted package whose folders alone are plain")
        ),
        Description(
            "zip.password-missing",
            .error,
            "an encrypted package, and no password",
            """
            Nothing but names and sizes can be seen of an encrypted package, so it can't be checked. Give its password \
            in a file, or type it when the program asks on a terminal; what makes sense in CI is \
            a file that only the job can read.
            """,
            bad: .words("an encrypted package without its password"),
            good: .words("an encrypted package with its password")
        ),
        Description(
            "zip.password-wrong",
            .error,
            "an encrypted package, and another password",
            """
            Each encrypted body begins with two bytes that tell nearly every wrong password. Look for a line end or a \
            space that doesn't belong to it, for capitals, and for another encoding of letters outside ASCII; there is \
            no way to get at the bodies without it.
            """,
            bad: .words("an encrypted package with another password"),
            good: .words("an encrypted package with its password")
        ),
        Description(
            "zip.ratio",
            .error,
            "a member that claims to inflate more than deflate can",
            """
            Deflate makes at most 1,032 bytes of one, so a body that claims more than 1,100 times its data is a lie, \
            made so that a check of the data alone passes and unpacking fills the disk. Get the file from another \
            source.
            """,
            bad: .words("a member that claims 1 GiB of 100 bytes"),
            good: .words("a member of zeros, deflated as well as can be")
        ),
        Description(
            "zip.several-disks",
            .error,
            "an archive in several parts",
            """
            The archive was split, as in the days of floppy disks, and this file is one of its parts. A package is one \
            file. Join the parts with 'zip -s 0 split.zip -O whole.zip', which needs all of them in one folder.
            """,
            bad: .words("an end record of the second disk"),
            good: .words("an end record of the only disk")
        ),
        Description(
            "zip.size-lies",
            .error,
            "a body of another size than declared",
            """
            The sizes in the headers are what readers reserve memory by and what limits are checked against; the data \
            made more or less. The file is damaged or made to pass such a check. Reading stops at the declared size; get \
            the file again.
            """,
            bad: .words("a deflated body of 4 bytes that is declared as 5"),
            good: .words("a deflated body of 4 bytes that is declared as 4")
        ),
        Description(
            "zip.stored-size",
            .error,
            "a stored member with two sizes",
            """
            Stored data is the body itself, so it can't be longer or shorter than the body; encrypted data is longer by \
            exactly 28 bytes. With two sizes readers take one or the other, and some see bytes that others don't. The \
            file is damaged or made to deceive; write it again.
            """,
            bad: .words("a stored member of 4 bytes that claims a body of 5"),
            good: .words("a stored member of 0 bytes with a body of 0")
        ),
        Description(
            "zip.too-large",
            .error,
            "a body, or all bodies, larger than a reader takes",
            """
            One body may have 16 GiB, all together 64 GiB, the manifest and each part of the sidecar 512 MiB. Sizes \
            beyond are refused before anything is read, since disk and memory would run out later, and elsewhere. Leave \
            large files out, or split the package.
            """,
            bad: .words("a member that claims a body of 17 GiB"),
            good: .words("a member whose sizes stand in a zip64 field")
        ),
        Description(
            "zip.too-many-members",
            .error,
            "more members than a reader takes",
            """
            Each member costs memory before any of it is used, so a reader has a limit, here 2,000,000 members and as \
            many folders. A file far beyond is made to exhaust whoever opens it; a site that large is better split by \
            host or folder into several packages.
            """,
            bad: .words("an end record that counts 2,000,001 members"),
            good: .words("an archive of 300 members")
        ),
        Description(
            "zip.trailing-data",
            .error,
            "bytes behind the end record, or a comment of another length",
            """
            Something was appended to the file, or its comment isn't as long as said. Readers differ in where they look \
            for the end record, and what follows it could be a second archive that some of them prefer. Remove what was \
            appended, or rewrite the archive with 'zip' or the packager.
            """,
            bad: .words("an archive with a line feed behind it"),
            good: .words("an archive with a comment of the length that it says")
        ),
        Description(
            "zip.truncated",
            .error,
            "a file that ends within a record or body",
            """
            The file became shorter while it was read: somebody writes to it, or copies it to this place at the moment. \
            Wait for that to end, and write packages under another name that is renamed when it is whole, as the \
            packager does.
            """,
            bad: .words("a package that is cut off while it is checked"),
            good: .words("a package that stays as it is")
        ),
        Description(
            "zip.type",
            .error,
            "a member whose mode and name disagree whether it is a folder",
            """
            A name that ends in a slash is a folder, and so is what the Unix mode or the DOS attribute calls one. Where \
            they disagree, some readers make a file and others a folder, and what lies below it lands elsewhere. Rewrite \
            the archive.
            """,
            bad: .words("a member 'd.example/' with the mode of a file"),
            good: .words("a member 'd.example/' with the mode of a folder")
        ),
        Description(
            "zip.unicode-path",
            .error,
            "an extra field that renames the member",
            """
            The field 0x7075 gives a member's name in UTF-8, for archives whose names are in an old code page. Readers \
            that know it use that name and others don't, so one member is two files. Rewrite the archive with names in \
            UTF-8.
            """,
            bad: .words("a field 0x7075 with another name than the header"),
            good: .words("a field 0x7075 with the name that the header has")
        ),
        Description(
            "zip.version",
            .error,
            "a member that needs a later version of the zip format than 4.5",
            """
            A member says which version of the format its reader must know: 4.5 is zip64, and 5.1 AES encryption, and \
            nothing in a package needs more. Readers that don't know the version refuse the member or guess. Rewrite the \
            archive with a common program.
            """,
            bad: .words("a member that needs version 6.3"),
            good: .words("a member that needs version 4.5")
        ),
        Description(
            "zip.wrong-count",
            .error,
            "another number of members than the end record says",
            """
            Some readers believe the count and stop there, others read the directory to its end, so they see different \
            members. A program that writes zips wrongly, or more than 65,535 members without zip64, is the harmless \
            cause. Rewrite the archive with another program.
            """,
            bad: .words("an end record that counts one member less than there are"),
            good: .words("an end record that counts each member")
        ),
    ]
}
