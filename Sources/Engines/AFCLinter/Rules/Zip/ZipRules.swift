internal import AFCPackageFormat

extension LintRules {
    /// The rules about the zip that loading checks, too.
    static let zip = [
        refused(
            "zip.ambiguous-end",
            "a second end record, for example in the comment",
            """
            Some readers take the last end record, others the first that they meet from the end; with two of them each \
            sees other members, so what was checked needn't be what is used. That is how packages are smuggled past a \
            check. Rewrite the archive without the comment.
            """,
            bad: "an archive whose comment has an end record in it",
            good: "an archive with an end record's bytes in a body"
        ),
        refused(
            "zip.authentication",
            "an encrypted body that was changed",
            """
            Behind each encrypted body stands a code that only who has the password can make; this one doesn't fit. The \
            file was damaged or changed since it was packed, or, once in 65,536 times, the password is wrong. Get the \
            package again.
            """,
            bad: "an encrypted body with one byte changed",
            good: "an encrypted body as it was packed"
        ),
        refused(
            "zip.bad-directory",
            "a directory with malformed entries",
            """
            The directory lists the members, and where an entry has no mark or is longer than the directory, the rest \
            can't be found. The file is damaged, or was written so that programs that skip over errors see something \
            else. Get it again, or rewrite the archive from the original files.
            """,
            bad: "a directory in which an entry begins with other bytes than 'PK'",
            good: "a directory whose entries have comments"
        ),
        refused(
            "zip.bad-zip64",
            "zip64 records that are malformed or disagree",
            """
            Numbers too large for the old records stand in zip64 ones, and where both give a number, they must give the \
            same. Readers prefer one or the other, so a difference means that two programs see different archives. Write \
            it again with another program.
            """,
            bad: "an end record that counts 2 members, and a zip64 one that counts 3",
            good: "a zip64 end record that repeats what the end record says"
        ),
        refused(
            "zip.checksum",
            "a body with another checksum than declared",
            """
            The CRC-32 in the header was made of the body as it was packed; at least one bit has changed since. Disks, \
            memory and interrupted downloads do that. It is noticed only where bodies are read. Get the file again.
            """,
            bad: "a stored body 'body' with the checksum of another",
            good: "a stored body 'body' with its own checksum"
        ),
        refused(
            "zip.collision",
            "names that differ by case or Unicode normal form only",
            """
            Windows and macOS keep 'A.html' and 'a.html' in one file, and macOS both spellings of 'ä', so the second \
            overwrites the first when the archive is unpacked there. The packager gives such bodies different names; \
            pack the site with it, or rename one and name it in the fifth field.
            """,
            bad: "members 'd.example/a' and 'd.example/A'",
            good: "members 'd.example/a' and 'e.example/A'"
        ),
        refused(
            "zip.deflate",
            "data that is no deflate stream",
            """
            The compressed data is cut off or damaged, or was never deflated, so the body can't be restored. Some \
            programs show what they could restore, and a page might then be served in half. Get the file again.
            """,
            bad: "deflated data that ends before its last block does",
            good: "deflated data of one block that isn't compressed"
        ),
        refused(
            "zip.deflate-trailing",
            "data behind the end of a deflate stream",
            """
            A deflate stream says itself where it ends; what follows within the member is seen by no reader that \
            believes it, and by some that count bytes. Data can be hidden there from a check. Rewrite the archive from \
            its files.
            """,
            bad: "a deflate stream with 3 bytes behind its end",
            good: "a deflate stream that ends where its member does"
        ),
        refused(
            "zip.descriptor",
            "a data descriptor that is missing or lies",
            """
            A writer that can't go back puts checksum and sizes behind the data. They must be there and agree with the \
            directory, and stored data mustn't hold what looks like them, since readers of streams would stop there. \
            Write the archive into a file instead of a pipe, or deflate its members.
            """,
            bad: "a data descriptor with another checksum than the directory",
            good: "a data descriptor that agrees with the directory"
        ),
        refused(
            "zip.device",
            "a device, pipe, socket or volume label",
            """
            Programs that unpack such members as they are make devices or pipes, which block or do harm when they are \
            opened. None of these has a body that could be served. Leave it out and pack the files alone.
            """,
            bad: "a member whose Unix mode is that of a pipe",
            good: "a member whose Unix mode is that of a file"
        ),
        refused(
            "zip.directory-misplaced",
            "a directory that doesn't end where the end record begins",
            """
            Offset and size say where the directory is; some readers believe the offset, others count back from the end. \
            When these differ there may be two directories. Something was put before the archive or into it without \
            correcting the numbers; rewrite the archive from its files.
            """,
            bad: "an end record whose offset is one byte too large",
            good: "an end record whose offset and size meet its own place"
        ),
        refused(
            "zip.duplicate",
            "two members of one name",
            """
            Some readers unpack the first, some the last, so a check of one says nothing about the other. Programs that \
            append a new version of a file without removing the old make that by accident. Rewrite the archive from its \
            files.
            """,
            bad: "two members 'd.example/a'",
            good: "members 'd.example/a' and 'e.example/a'"
        ),
        refused(
            "zip.encrypted",
            "a member that is encrypted otherwise than with AES-256",
            """
            PKZIP's old encryption is broken within minutes, shorter keys and PKWARE's methods are read by few programs, \
            and headers that contradict each other are read differently by each. Only AES-256 as WinZip writes it is \
            taken: pack with it, or not encrypted.
            """,
            bad: "a member encrypted in PKZIP's way",
            good: "a member encrypted with AES-256, and its password"
        ),
        refused(
            "zip.extra-field",
            "a malformed extra field",
            """
            Extra fields are a row of kind, length and bytes. Where a length goes beyond the end, readers disagree about \
            what belongs to which, and each may see other sizes or names. Rewrite the archive; 'zip -X' leaves extra \
            fields out.
            """,
            bad: "an extra field that says 8 bytes and has 4",
            good: "an extra field of an unregistered kind"
        ),
        refused(
            "zip.file-and-folder",
            "a name that is both file and folder",
            """
            No file system can hold a file 'guide' and files in a folder 'guide'; depending on the order one of them is \
            lost, or unpacking ends. The packager gives the body of a URL above others a name of its own; pack the \
            site with it.
            """,
            bad: "members 'd.example/a' and 'd.example/a/b'",
            good: "members 'd.example/a' and 'd.example/ab/c'"
        ),
        refused(
            "zip.flags",
            "flags that nobody should need",
            """
            Flags 1 and 2 say how hard deflate tried, 3 that a data descriptor follows, 11 that the name is UTF-8, and 0 \
            that the member is encrypted. Others change what the data means, as patches or masked headers, in ways that \
            hardly any reader knows. Rewrite the archive with a common program.
            """,
            bad: "a member with the reserved flag 15",
            good: "a member with the flags for fast deflate"
        ),
        refused(
            "zip.folder-with-data",
            "a folder with data",
            """
            Readers that go by the name drop the data, others write it to a file, so it is a body that only some see. \
            Folders have no bytes. Rewrite the archive.
            """,
            bad: "a member 'd.example/' of 4 bytes",
            good: "a member 'd.example/' of 0 bytes"
        ),
        refused(
            "zip.gap",
            "bytes that belong to no member",
            """
            Readers of the directory skip them, readers of streams don't: what stands there may be a member that only \
            some programs see. Programs that replace members in place leave such holes. Rewrite the archive from its \
            files.
            """,
            bad: "two members with 10 bytes between them",
            good: "a member with an extra field that is padding"
        ),
        refused(
            "zip.hidden-archive",
            "records of a second archive in a comment or extra field",
            """
            A header or directory entry where only text should be is invisible to readers of the directory, and found by \
            those that search or stream. Nobody needs that but who wants two programs to see different members. Rewrite \
            the archive; its comments and extra fields can go.
            """,
            bad: "an archive whose comment has a local header in it",
            good: "an archive that has another archive as a body"
        ),
        refused(
            "zip.leading-data",
            "bytes before the first member",
            """
            A program, a picture or a page before the archive makes one file that is two things, depending on who opens \
            it; filters that look at the first bytes are deceived by it. Self-extracting archives are made like that, \
            too. Unpack it, and pack the files again.
            """,
            bad: "an archive that begins with another archive",
            good: "an archive that begins with its first member"
        ),
        refused(
            "zip.link",
            "a link, or what some readers make one of",
            """
            A symbolic link makes a later member land wherever the link points, outside the folder that is unpacked to, \
            and a body read through it could be any file of this machine. A package has files and folders only. Pack the \
            file that the link points to; 'zip' does so without '-y'.
            """,
            bad: "a member whose Unix mode is that of a symbolic link",
            good: "a member whose Unix mode is that of a file with the set-user-ID bit"
        ),
        refused(
            "zip.local-header-differs",
            "a local header that says something else than the directory",
            """
            Readers of files go by the directory, readers of streams by the header before the data. Where name, method, \
            time, checksum or size differ, they unpack different things, and a check by one says nothing about the \
            other. Rewrite the archive from its files.
            """,
            bad: "a local header with another checksum than the directory",
            good: "a local header with the sizes that the data descriptor gives later"
        ),
        refused(
            "zip.method",
            "a compression other than stored and deflate",
            """
            Every program that reads zips knows stored and deflate; bzip2, LZMA, Zstandard, XZ or deflate64 are read by \
            few. A package is meant to load everywhere. Compress it again: 'zip' and the packager deflate, '7z a \
            -tzip' does with '-mm=Deflate'.
            """,
            bad: "a member compressed with bzip2",
            good: "a stored member beside a deflated one"
        ),
        refused(
            "zip.name-absolute",
            "an absolute name",
            """
            Unpacked as it stands, '/etc/passwd' overwrites that file, wherever one wanted to unpack to. Names in a zip \
            are relative to the folder that is unpacked to. Pack the files from within their folder.
            """,
            bad: "a member '/etc/passwd'",
            good: "a member 'd.example/a'"
        ),
        refused(
            "zip.name-backslash",
            "a backslash in a name",
            """
            Windows takes it for a slash, so that 'a\\..\\b' leaves the folder there and is one harmless name elsewhere. \
            Some old programs of Windows wrote it between folders, where the format asks for '/'. Rewrite the archive.
            """,
            bad: "a member 'd.example\\a'",
            good: "a member 'd.example/a'"
        ),
        refused(
            "zip.name-control-character",
            "a control character in a name",
            """
            On a terminal control characters hide or forge what a listing shows, in scripts a line feed makes two names \
            of one, and a NUL ends a name for programs in C. No URL needs them: percent-encode them.
            """,
            bad: "a name with an escape sequence in it",
            good: "a name with '%1B' in it"
        ),
        refused(
            "zip.name-dot",
            "the part `.` in a name",
            """
            'a/./b' and 'a/b' are the same file on every system and different names in the archive, so a check by name \
            can be passed by. Rewrite the archive; 'zip -r x.zip .' leaves the './' out by itself.
            """,
            bad: "a member 'd.example/./a'",
            good: "a member 'd.example/.a'"
        ),
        refused(
            "zip.name-drive-letter",
            "a name that begins with a drive letter",
            """
            On Windows 'c:a' lies on drive C, wherever one wanted to unpack to, and 'c:/a' at its top. Elsewhere a colon \
            is a letter like any other, and behind the first part it is allowed. Pack the files from within their \
            folder, without the drive.
            """,
            bad: "a member 'c:/a'",
            good: "a member 'docs.example/a:b'"
        ),
        refused(
            "zip.name-empty",
            "a member without a name",
            """
            Nothing can name it, in a manifest or on a disk, and readers make up names of their own. The program that \
            wrote the archive is at fault, or the file is damaged. Write it again.
            """,
            bad: "a member with a name of 0 bytes",
            good: "a member 'a'"
        ),
        refused(
            "zip.name-empty-part",
            "an empty part in a name",
            """
            'a//b' and 'a/b' are the same file on every system and different names in the archive, so a check by name \
            can be passed by. The rule for members folds runs of slashes into one. Rewrite the archive without such names.
            """,
            bad: "a member 'd.example//a'",
            good: "a folder 'd.example/', with one slash at its end"
        ),
        refused(
            "zip.name-not-utf8",
            "a name that is not UTF-8",
            """
            Names are compared by their bytes and shown as UTF-8; bytes that aren't are another name in each code page, \
            so no manifest can name them safely. Old programs of Windows write names in the code page of their country. \
            Rewrite the archive with '7z a -tzip -mcu=on', or give members names in ASCII, as the packager does.
            """,
            bad: "a name with the byte 0xE4, which is 'ä' in Latin-1",
            good: "a name with the bytes 0xC3 0xA4, which is 'ä' in UTF-8"
        ),
        refused(
            "zip.name-parent-path",
            "the part `..` in a name",
            """
            Unpacked as it stands, '../../etc/passwd' climbs out of the folder and overwrites what it likes; this is the \
            oldest attack by archives. Nobody needs it: pack the files from within their folder.
            """,
            bad: "a member 'd.example/../../etc/passwd'",
            good: "a member 'd.example/..a'"
        ),
        refused(
            "zip.name-too-long",
            "a name of more than 1,024 bytes, or a part of more than 255",
            """
            File systems take 255 bytes for a part of a path, and Windows 260 characters for the whole unless it is told \
            otherwise. Unpacking ends there, or cuts the name, so that it may meet another. Long queries make such \
            names; the packager shortens them and keeps them apart by a hash.
            """,
            bad: "a name with a part of 256 bytes",
            good: "a name of 1,024 bytes in parts of 255 at most"
        ),
        refused(
            "zip.no-local-header",
            "a member without a local header",
            """
            Each member has a header before its data that repeats what the directory says. Where the directory points to \
            something else, the file is damaged, or its offsets weren't corrected when something was put before it. Get \
            it again.
            """,
            bad: "a directory entry that points into a body",
            good: "a directory entry that points to the member's header"
        ),
        refused(
            "zip.not-a-zip",
            "a file without an end record",
            """
            A zip is read from its end: the last bytes say where the directory is. Without them nothing in the file can \
            be found. As a rule a download or copy was cut off, or the file is something else that got the name; compare \
            its size with the original's, and get it again.
            """,
            bad: "a package without its last 22 bytes",
            good: "a zip without members, which is nothing but an end record"
        ),
        refused(
            "zip.overlap",
            "members that overlap",
            """
            Two members that share their bytes let a small file unpack to thousands of times its size, which is how the \
            worst known bombs work, or give one body two names that a check sees differently. No program makes this by \
            accident, unless a file is damaged. Get it from another source.
            """,
            bad: "two members, the second of which lies within the first",
            good: "two members that stand in the directory in the other order than in the file"
        ),
        refused(
            "zip.partly-encrypted",
            "a plain member among encrypted ones",
            """
            Someone without the password can still add a member to the archive, and in a package that is otherwise \
            encrypted people would trust it. So all members that have bytes are encrypted, or none. Rebuild the package \
            with one password for everything.
            """,
            bad: "an encrypted package with one plain member",
            good: "an encrypted package whose folders alone are plain"
        ),
        refused(
            "zip.password-missing",
            "an encrypted package, and no password",
            """
            Nothing but names and sizes can be seen of an encrypted package, so it can't be checked. Give its password \
            in a file, or type it when the program asks on a terminal; what makes sense in CI is \
            a file that only the job can read.
            """,
            bad: "an encrypted package without its password",
            good: "an encrypted package with its password"
        ),
        refused(
            "zip.password-wrong",
            "an encrypted package, and another password",
            """
            Each encrypted body begins with two bytes that tell nearly every wrong password. Look for a line end or a \
            space that doesn't belong to it, for capitals, and for another encoding of letters outside ASCII; there is \
            no way to get at the bodies without it.
            """,
            bad: "an encrypted package with another password",
            good: "an encrypted package with its password"
        ),
        refused(
            "zip.ratio",
            "a member that claims to inflate more than deflate can",
            """
            Deflate makes at most 1,032 bytes of one, so a body that claims more than 1,100 times its data is a lie, \
            made so that a check of the data alone passes and unpacking fills the disk. Get the file from another \
            source.
            """,
            bad: "a member that claims 1 GiB of 100 bytes",
            good: "a member of zeros, deflated as well as can be"
        ),
        refused(
            "zip.several-disks",
            "an archive in several parts",
            """
            The archive was split, as in the days of floppy disks, and this file is one of its parts. A package is one \
            file. Join the parts with 'zip -s 0 split.zip -O whole.zip', which needs all of them in one folder.
            """,
            bad: "an end record of the second disk",
            good: "an end record of the only disk"
        ),
        refused(
            "zip.size-lies",
            "a body of another size than declared",
            """
            The sizes in the headers are what readers reserve memory by and what limits are checked against; the data \
            made more or less. The file is damaged or made to pass such a check. Reading stops at the declared size; get \
            the file again.
            """,
            bad: "a deflated body of 4 bytes that is declared as 5",
            good: "a deflated body of 4 bytes that is declared as 4"
        ),
        refused(
            "zip.stored-size",
            "a stored member with two sizes",
            """
            Stored data is the body itself, so it can't be longer or shorter than the body; encrypted data is longer by \
            exactly 28 bytes. With two sizes readers take one or the other, and some see bytes that others don't. The \
            file is damaged or made to deceive; write it again.
            """,
            bad: "a stored member of 4 bytes that claims a body of 5",
            good: "a stored member of 0 bytes with a body of 0"
        ),
        refused(
            "zip.too-large",
            "a body, or all bodies, larger than a reader takes",
            """
            One body may have 16 GiB, all together 64 GiB, the manifest and each part of the sidecar 512 MiB. Sizes \
            beyond are refused before anything is read, since disk and memory would run out later, and elsewhere. Leave \
            large files out, or split the package.
            """,
            bad: "a member that claims a body of 17 GiB",
            good: "a member whose sizes stand in a zip64 field"
        ),
        refused(
            "zip.too-many-members",
            "more members than a reader takes",
            """
            Each member costs memory before any of it is used, so a reader has a limit, here 2,000,000 members and as \
            many folders. A file far beyond is made to exhaust whoever opens it; a site that large is better split by \
            host or folder into several packages.
            """,
            bad: "an end record that counts 2,000,001 members",
            good: "an archive of 300 members"
        ),
        refused(
            "zip.trailing-data",
            "bytes behind the end record, or a comment of another length",
            """
            Something was appended to the file, or its comment isn't as long as said. Readers differ in where they look \
            for the end record, and what follows it could be a second archive that some of them prefer. Remove what was \
            appended, or rewrite the archive with 'zip' or the packager.
            """,
            bad: "an archive with a line feed behind it",
            good: "an archive with a comment of the length that it says"
        ),
        refused(
            "zip.truncated",
            "a file that ends within a record or body",
            """
            The file became shorter while it was read: somebody writes to it, or copies it to this place at the moment. \
            Wait for that to end, and write packages under another name that is renamed when it is whole, as the \
            packager does.
            """,
            bad: "a package that is cut off while it is checked",
            good: "a package that stays as it is"
        ),
        refused(
            "zip.type",
            "a member whose mode and name disagree whether it is a folder",
            """
            A name that ends in a slash is a folder, and so is what the Unix mode or the DOS attribute calls one. Where \
            they disagree, some readers make a file and others a folder, and what lies below it lands elsewhere. Rewrite \
            the archive.
            """,
            bad: "a member 'd.example/' with the mode of a file",
            good: "a member 'd.example/' with the mode of a folder"
        ),
        refused(
            "zip.unicode-path",
            "an extra field that renames the member",
            """
            The field 0x7075 gives a member's name in UTF-8, for archives whose names are in an old code page. Readers \
            that know it use that name and others don't, so one member is two files. Rewrite the archive with names in \
            UTF-8.
            """,
            bad: "a field 0x7075 with another name than the header",
            good: "a field 0x7075 with the name that the header has"
        ),
        refused(
            "zip.version",
            "a member that needs a later version of the zip format than 4.5",
            """
            A member says which version of the format its reader must know: 4.5 is zip64, and 5.1 AES encryption, and \
            nothing in a package needs more. Readers that don't know the version refuse the member or guess. Rewrite the \
            archive with a common program.
            """,
            bad: "a member that needs version 6.3",
            good: "a member that needs version 4.5"
        ),
        refused(
            "zip.wrong-count",
            "another number of members than the end record says",
            """
            Some readers believe the count and stop there, others read the directory to its end, so they see different \
            members. A program that writes zips wrongly, or more than 65,535 members without zip64, is the harmless \
            cause. Rewrite the archive with another program.
            """,
            bad: "an end record that counts one member less than there are",
            good: "an end record that counts each member"
        ),
    ]
}
