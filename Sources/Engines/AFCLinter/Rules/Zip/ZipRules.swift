internal import AFCPackageFormat

extension LintRules {
    /// The rules about the zip that loading also checks.
    static let zip = [
        refused(
            "zip.ambiguous-end",
            "a second end record, for example in the archive comment",
            """
            Programs search for the end record in different ways. If there are two, they may see different members, so \
            a malicious archive can pass a check that looks at the harmless ones. Recreate the archive without the \
            comment.
            """,
            bad: "an archive whose comment contains an end record",
            good: "an archive with the bytes of an end record in a body"
        ),
        refused(
            "zip.authentication",
            "an encrypted body that fails authentication",
            """
            Each encrypted body ends with an authentication code that only someone with the password can create, and \
            this one doesn't match. The file was damaged or changed, or, in 1 of 65,536 cases, the password is wrong. \
            Get the package again.
            """,
            bad: "an encrypted body with one byte changed",
            good: "an encrypted body as it was packed"
        ),
        refused(
            "zip.bad-directory",
            "a central directory with malformed entries",
            """
            The central directory lists the members. One of its entries lacks the signature 'PK' or is longer than the \
            directory, so the rest can't be read. The file is damaged, or was made to look different to programs that \
            ignore errors. Get it again, or recreate the archive from the original files.
            """,
            bad: "a directory entry that doesn't begin with 'PK'",
            good: "a directory whose entries have comments"
        ),
        refused(
            "zip.bad-zip64",
            "zip64 records that are malformed or contradictory",
            """
            Numbers that are too large for the original records are in zip64 records. If a number is in both, the two \
            must agree, because some programs use one and some the other, and they would see different archives. \
            Recreate the archive with another program.
            """,
            bad: "an end record that counts 2 members and a zip64 record that counts 3",
            good: "a zip64 record that repeats the numbers of the end record"
        ),
        refused(
            "zip.checksum",
            "a body whose checksum is wrong",
            """
            The CRC-32 in the header was computed when the body was packed, and the body has changed since. Faulty \
            disks, memory and interrupted downloads cause this. Only a check that reads the bodies finds it. Get the \
            file again.
            """,
            bad: "a stored body 'body' with the checksum of another",
            good: "a stored body 'body' with its own checksum"
        ),
        refused(
            "zip.collision",
            "names that differ only in case or Unicode normalization",
            """
            Windows and macOS treat 'A.html' and 'a.html' as the same file, and macOS both Unicode forms of 'ä'. When \
            the archive is unpacked there, one file overwrites the other. Pack the site with afcache, which gives such \
            bodies different names, or rename one and write its new name into the fifth field.
            """,
            bad: "members 'd.example/a' and 'd.example/A'",
            good: "members 'd.example/a' and 'e.example/A'"
        ),
        refused(
            "zip.deflate",
            "invalid deflate data",
            """
            The compressed data is truncated or damaged, or isn't deflate data, so the body can't be restored. Some \
            programs would serve the part that they could restore. Get the file again.
            """,
            bad: "deflate data that ends before its last block does",
            good: "deflate data of one uncompressed block"
        ),
        refused(
            "zip.deflate-trailing",
            "data after the end of a deflate stream",
            """
            A deflate stream marks its own end. Some programs ignore data after it and others don't, so data can be \
            hidden there. Recreate the archive from its files.
            """,
            bad: "a deflate stream followed by 3 bytes",
            good: "a deflate stream that ends where its member does"
        ),
        refused(
            "zip.descriptor",
            "a data descriptor that is missing or wrong",
            """
            A program that writes to a pipe puts the checksum and sizes in a data descriptor after the data. The \
            descriptor must be present and match the directory. Uncompressed data must not contain the bytes of a \
            descriptor, because a program that reads the archive as a stream would stop there. Write the archive to a \
            file instead of a pipe, or deflate the members.
            """,
            bad: "a data descriptor whose checksum differs from the directory",
            good: "a data descriptor that agrees with the directory"
        ),
        refused(
            "zip.device",
            "a device, pipe, socket or volume label",
            """
            When unpacked, such members become devices or pipes, which block or cause damage when opened. None of them \
            has a body to serve. Remove them, and pack only files.
            """,
            bad: "a member whose Unix mode is that of a pipe",
            good: "a member whose Unix mode is that of a file"
        ),
        refused(
            "zip.directory-misplaced",
            "a central directory that doesn't end where the end record begins",
            """
            The end record gives the offset and the size of the directory. Some programs use the offset, others count \
            back from the end; if the two disagree, they may see different directories. Usually something was inserted \
            without correcting the numbers. Recreate the archive from its files.
            """,
            bad: "an end record whose offset is one byte too large",
            good: "an end record whose offset and size match"
        ),
        refused(
            "zip.duplicate",
            "two members with the same name",
            """
            Some programs unpack the first member and others the last, so a check of one member says nothing about the \
            other. Programs that append a new version of a file without removing the old one cause this. Recreate the \
            archive from its files.
            """,
            bad: "two members named 'd.example/a'",
            good: "members 'd.example/a' and 'e.example/a'"
        ),
        refused(
            "zip.encrypted",
            "a member with an encryption other than AES-256",
            """
            Only AES-256 in WinZip's format is accepted. PKZIP's old encryption can be broken within minutes, and few \
            programs support AES with shorter keys or PKWARE's methods. If the headers of a member contradict each \
            other, programs interpret them differently. Use AES-256, or don't encrypt.
            """,
            bad: "a member with PKZIP's encryption",
            good: "a member encrypted with AES-256, and its password"
        ),
        refused(
            "zip.extra-field",
            "a malformed extra field",
            """
            Extra fields are a sequence of type, length and data. If a length goes past the end, programs disagree \
            about the contents and may see different sizes or names. Recreate the archive; 'zip -X' leaves extra \
            fields out.
            """,
            bad: "an extra field that declares 8 bytes and has 4",
            good: "an extra field of an unregistered type"
        ),
        refused(
            "zip.file-and-folder",
            "a name that is both a file and a folder",
            """
            No file system can have both a file 'guide' and a folder 'guide'. Depending on the order, one of them is \
            lost, or unpacking fails. Pack the site with afcache, which gives the body of such a URL another name.
            """,
            bad: "members 'd.example/a' and 'd.example/a/b'",
            good: "members 'd.example/a' and 'd.example/ab/c'"
        ),
        refused(
            "zip.flags",
            "unsupported flags",
            """
            Only these flag bits are supported: 0 (encrypted), 1 and 2 (compression level), 3 (data descriptor) and 11 \
            (UTF-8 name). Others change the meaning of the data, for example to a patch or masked headers, and few \
            programs support them. Recreate the archive with a common program.
            """,
            bad: "a member with the reserved flag bit 15",
            good: "a member with the flag bits for fast compression"
        ),
        refused(
            "zip.folder-with-data",
            "a folder that has data",
            """
            Some programs discard the data of a folder and others write it to a file, so only some users see it. \
            Recreate the archive from its files.
            """,
            bad: "a member 'd.example/' of 4 bytes",
            good: "a member 'd.example/' of 0 bytes"
        ),
        refused(
            "zip.gap",
            "bytes that belong to no member",
            """
            Programs that read the directory skip these bytes, but programs that read the file as a stream don't. The \
            bytes may be a member that only some programs see. Programs that replace members in place leave such gaps. \
            Recreate the archive from its files.
            """,
            bad: "two members with 10 bytes between them",
            good: "a member with padding in an extra field"
        ),
        refused(
            "zip.hidden-archive",
            "records of a second archive in a comment or an extra field",
            """
            A header or directory entry inside a comment or extra field is invisible to programs that read the \
            directory, but others find it by searching. This has no honest use: it makes two programs see different \
            members. Recreate the archive without comments and extra fields.
            """,
            bad: "an archive whose comment contains a local header",
            good: "an archive that contains another archive as a body"
        ),
        refused(
            "zip.leading-data",
            "bytes before the first member",
            """
            A file that begins as a program, an image or a page and ends as an archive is opened differently by \
            different programs, and can deceive filters that check only the first bytes. Self-extracting archives are \
            built this way. Unpack the archive, and pack the files again.
            """,
            bad: "an archive that begins with another archive",
            good: "an archive that begins with its first member"
        ),
        refused(
            "zip.link",
            "a symbolic link, or a member that some programs treat as one",
            """
            A symbolic link can redirect later members outside the target folder, and reading a body through it could \
            expose any file on this machine. A package may contain only files and folders. Pack the file that the link \
            points to, as 'zip' does if '-y' isn't given.
            """,
            bad: "a member whose Unix mode is that of a symbolic link",
            good: "a member whose Unix mode is that of a file with the set-user-ID bit"
        ),
        refused(
            "zip.local-header-differs",
            "a local header that contradicts the central directory",
            """
            Some programs use the directory, and others the header before the member's data. If name, method, time, \
            checksum or size differ, they unpack different things, so a check by one program says nothing about the \
            result of another. Recreate the archive from its files.
            """,
            bad: "a local header whose checksum differs from the directory",
            good: "a local header whose sizes follow in a data descriptor"
        ),
        refused(
            "zip.method",
            "a compression method other than stored or deflate",
            """
            Every zip program supports stored and deflate, but few support bzip2, LZMA, Zstandard, XZ or deflate64. \
            Packages must load everywhere. Compress the archive again: 'zip' uses deflate, and '7z a -tzip' does with \
            '-mm=Deflate'.
            """,
            bad: "a member compressed with bzip2",
            good: "a stored member beside a deflated one"
        ),
        refused(
            "zip.name-absolute",
            "an absolute name",
            """
            Unpacking a member named '/etc/passwd' could overwrite that file. Names in a zip must be relative to the \
            target folder. Pack the files from inside their folder.
            """,
            bad: "a member '/etc/passwd'",
            good: "a member 'd.example/a'"
        ),
        refused(
            "zip.name-backslash",
            "a backslash in a name",
            """
            Windows treats a backslash as a slash, so 'a\\..\\b' contains '..' there but is a single harmless name \
            elsewhere. Some old Windows programs separate folders with it, although the format requires '/'. Recreate \
            the archive with another program.
            """,
            bad: "a member 'd.example\\a'",
            good: "a member 'd.example/a'"
        ),
        refused(
            "zip.name-control-character",
            "a control character in a name",
            """
            Control characters can hide or forge text on a terminal, a line feed can split a name in scripts, and a \
            NUL ends a name in C programs. Percent-encode them, as URLs do.
            """,
            bad: "a name with an escape sequence",
            good: "a name with '%1B'"
        ),
        refused(
            "zip.name-dot",
            "the path component `.` in a name",
            """
            'a/./b' and 'a/b' are the same file on disk but different names in the archive, so a check by name can be \
            bypassed. Recreate the archive, for example with 'zip -r x.zip .', which omits './'.
            """,
            bad: "a member 'd.example/./a'",
            good: "a member 'd.example/.a'"
        ),
        refused(
            "zip.name-drive-letter",
            "a name that begins with a drive letter",
            """
            On Windows, 'c:a' and 'c:/a' are on drive C, outside the target folder. On other systems a colon is an \
            ordinary character, and names may contain one after the first path component. Pack the files from inside \
            their folder, without the drive.
            """,
            bad: "a member 'c:/a'",
            good: "a member 'docs.example/a:b'"
        ),
        refused(
            "zip.name-empty",
            "a member without a name",
            """
            A member without a name can't be used in a manifest or written to disk, and programs invent names for it. \
            The program that wrote the archive is faulty, or the file is damaged. Recreate the archive.
            """,
            bad: "a member with a name of 0 bytes",
            good: "a member 'a'"
        ),
        refused(
            "zip.name-empty-part",
            "an empty path component in a name",
            """
            'a//b' and 'a/b' are the same file on disk but different names in the archive, so a check by name can be \
            bypassed. afcache turns several slashes into one when it names members. Recreate the archive without such \
            names.
            """,
            bad: "a member 'd.example//a'",
            good: "a folder 'd.example/' with one slash at the end"
        ),
        refused(
            "zip.name-not-utf8",
            "a name that isn't valid UTF-8",
            """
            Names must be UTF-8. Other bytes stand for different letters in each code page, so a manifest can't refer \
            to them reliably. Old Windows programs use the code page of the system's language. Recreate the archive \
            with '7z a -tzip -mcu=on', or use ASCII names as afcache's packager does.
            """,
            bad: "a name with the byte 0xE4, which is 'ä' in Latin-1",
            good: "a name with the bytes 0xC3 0xA4, which is 'ä' in UTF-8"
        ),
        refused(
            "zip.name-parent-path",
            "the path component `..` in a name",
            """
            Unpacking a member such as '../../etc/passwd' writes outside the target folder and can overwrite any file; \
            this is the oldest attack with archives. Pack the files from inside their folder.
            """,
            bad: "a member 'd.example/../../etc/passwd'",
            good: "a member 'd.example/..a'"
        ),
        refused(
            "zip.name-too-long",
            "a name of more than 1,024 bytes, or a path component of more than 255",
            """
            File systems allow 255 bytes for a path component, and Windows by default 260 characters for a whole path. \
            Unpacking a longer name fails or shortens the name, and a shortened name may collide with another. URLs \
            with long queries cause such names. Pack the site with afcache, which shortens them and adds a hash.
            """,
            bad: "a name with a path component of 256 bytes",
            good: "a name of 1,024 bytes with path components of at most 255"
        ),
        refused(
            "zip.no-local-header",
            "a member without a local header",
            """
            Each member has a header before its data that repeats the directory's values. If the directory points to \
            something else, the file is damaged, or data was inserted without correcting the offsets. Get the file \
            again.
            """,
            bad: "a directory entry that points into a body",
            good: "a directory entry that points to the member's header"
        ),
        refused(
            "zip.not-a-zip",
            "a file without an end record, so it isn't a zip",
            """
            A zip is read from its end, where the end record gives the position of the directory. Without it nothing \
            can be found. Usually a download or copy was interrupted, or the file isn't a zip. Compare its size with \
            the original, and get it again.
            """,
            bad: "a package without its last 22 bytes",
            good: "an empty zip, which is only an end record"
        ),
        refused(
            "zip.overlap",
            "overlapping members",
            """
            Members that share bytes can make a small file unpack to thousands of times its size, as the worst known \
            zip bombs do, or can give one body two names. No program writes such an archive by accident, but damage to \
            a file can have the same effect. Get the file from another source.
            """,
            bad: "two members, the second inside the first",
            good: "two members that are in a different order in the directory than in the file"
        ),
        refused(
            "zip.partly-encrypted",
            "an unencrypted member in an encrypted package",
            """
            Anyone without the password could add an unencrypted member, and people would trust it because the package \
            is encrypted. So either all members with data are encrypted, or none. Rebuild the package with one \
            password for all members.
            """,
            bad: "an encrypted package with one unencrypted member",
            good: "an encrypted package in which only folders are unencrypted"
        ),
        refused(
            "zip.password-missing",
            "an encrypted package without its password",
            """
            Only names and sizes of an encrypted package are visible, so it can't be checked. Give the password in a \
            file, or type it when the program asks. In CI, use a file that only the job can read.
            """,
            bad: "an encrypted package without its password",
            good: "an encrypted package with its password"
        ),
        refused(
            "zip.password-wrong",
            "an encrypted package with a wrong password",
            """
            Each encrypted body begins with two bytes that reveal nearly every wrong password. Check for an extra line \
            break or space, for uppercase letters, and for a different encoding of letters outside ASCII. The bodies \
            can't be read without the right password.
            """,
            bad: "an encrypted package with another password",
            good: "an encrypted package with its password"
        ),
        refused(
            "zip.ratio",
            "a member that declares a larger body than its deflate data can hold",
            """
            Deflate expands one byte to at most 1,032 bytes, so a body can't be more than 1,100 times the size of its \
            compressed data. A false size can pass a check of the compressed size, and the body then fills the disk. \
            Get the file from another source.
            """,
            bad: "a member of 100 bytes that claims to inflate to 1 GiB",
            good: "a member of zeros with the best possible compression"
        ),
        refused(
            "zip.several-disks",
            "a split archive",
            """
            The archive was split into several files, and this is one of them. A package must be a single file. Join \
            the parts with 'zip -s 0 split.zip -O whole.zip', with all parts in one folder.
            """,
            bad: "an end record for the second disk",
            good: "an end record for the only disk"
        ),
        refused(
            "zip.size-lies",
            "a body whose size differs from the declared size",
            """
            Programs reserve memory and check limits by the sizes in the headers, but the data has a different size. \
            The file is damaged, or was made to bypass such checks. Reading stops at the declared size. Get the file \
            again.
            """,
            bad: "a deflated body of 4 bytes that is declared as 5",
            good: "a deflated body of 4 bytes that is declared as 4"
        ),
        refused(
            "zip.stored-size",
            "an uncompressed member with two different sizes",
            """
            The data of an uncompressed member is the body itself, so both sizes must be equal; encryption adds \
            exactly 28 bytes. If they differ, some programs see bytes that others don't. The file is damaged or \
            malicious. Recreate the archive.
            """,
            bad: "a stored member of 4 bytes that claims a body of 5",
            good: "a stored member of 0 bytes with a body of 0"
        ),
        refused(
            "zip.too-large",
            "a body, or a total of bodies, above the size limit",
            """
            The limit is 16 GiB for one body, 64 GiB for all bodies together, and 512 MiB for the manifest and for \
            each part of the sidecar. Larger sizes are refused before anything is read, so that they don't exhaust \
            disk and memory. Remove large files, or split the package.
            """,
            bad: "a member that claims a body of 17 GiB",
            good: "a member whose sizes are in a zip64 field"
        ),
        refused(
            "zip.too-many-members",
            "more than 2,000,000 members",
            """
            Each member takes memory, so the number is limited to 2,000,000 members and as many folders. A file far \
            beyond that is probably malicious. Split a very large site by host or folder into several packages.
            """,
            bad: "an end record that counts 2,000,001 members",
            good: "an archive of 300 members"
        ),
        refused(
            "zip.trailing-data",
            "bytes after the end record, or a comment of the wrong length",
            """
            Something was appended to the file, or the declared length of its comment is wrong. Programs search for \
            the end record in different ways, and the extra bytes could be a second archive that some programs open \
            instead. Remove the extra bytes, or recreate the archive.
            """,
            bad: "an archive with a line feed after it",
            good: "an archive with a comment of the declared length"
        ),
        refused(
            "zip.truncated",
            "a file that ends in the middle of a record or body",
            """
            The file became shorter while it was read, because another program was writing or copying it. Wait for \
            that to finish. To avoid this, write a package under a temporary name and rename it when it is complete, \
            as afcache's packager does.
            """,
            bad: "a package that is truncated while it is checked",
            good: "a package that doesn't change"
        ),
        refused(
            "zip.type",
            "a member whose mode and name disagree about whether it is a folder",
            """
            A trailing slash marks a folder, and so do the Unix mode and the DOS attribute. If they disagree, some \
            programs create a file and others a folder, so members below the folder end up in different places. \
            Recreate the archive from its files.
            """,
            bad: "a member 'd.example/' with the mode of a file",
            good: "a member 'd.example/' with the mode of a folder"
        ),
        refused(
            "zip.unicode-path",
            "an extra field that gives the member another name",
            """
            The field 0x7075 gives a member's name in UTF-8, for archives whose names are in an old code page. Only \
            some programs use it, so the member has two names. Recreate the archive with UTF-8 names.
            """,
            bad: "a field 0x7075 with a different name than the header",
            good: "a field 0x7075 with the same name as the header"
        ),
        refused(
            "zip.version",
            "a member that requires a later version of the zip format than packages use",
            """
            A member says which version of the zip format is needed to read it. A package needs at most 4.5, for \
            zip64, or 5.1 for encrypted members. Programs that don't support the version refuse the member or guess \
            how to read it. Recreate the archive with a common program.
            """,
            bad: "a member that requires version 6.3",
            good: "a member that requires version 4.5"
        ),
        refused(
            "zip.wrong-count",
            "a wrong number of members",
            """
            The end record counts a different number of members than the directory lists. Some programs stop at the \
            count and others read the whole directory, so they see different members. A faulty zip program can cause \
            this, and so can more than 65,535 members without zip64. Recreate the archive with another program.
            """,
            bad: "an end record that counts one member too few",
            good: "an end record with the right count"
        ),
    ]
}
