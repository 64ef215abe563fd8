internal import AFCPackageFormat

extension LintRules {
    /// The rules about members that loading also checks.
    static let memberLoading: [Description] = [
        Description(
            .memberIsFolder,
            "an entry whose body is a folder",
            """
            A folder has no body to serve. This happens if 'http://d.example/guide' is a page and other pages are \
            below it: 'guide' would have to be a file and a folder. Pack the site with afcache, which gives the body \
            another name and writes it into the fifth field, or write the name of a file there yourself.
            """,
            bad: .words("an entry for 'http://d.example/a' in a package with the folder 'd.example/a/'"),
            good: .words("the same entry with 'd.example/a/~index' in its fifth field")
        ),
        Description(
            .memberMissing,
            "an entry whose body isn't in the package",
            """
            The entry has no body to serve, so the package is refused. If the entry has a fifth field, it must name \
            the member; otherwise the member's name must be the host and path of the URL, in one of the spellings that \
            docs/reference/format.md lists. Add the member, correct the fifth field, or remove the line.
            """,
            bad: .words("an entry for 'http://d.example/a' in a package without 'd.example/a'"),
            good: .words("the same entry in a package with 'd.example/a'")
        ),
        Description(
            .memberWithoutEntry,
            "a member that no entry names",
            """
            Only the manifest says which URL a body belongs to, so a member that no entry names takes space and is \
            never served. Its line may be missing or spelled differently. Add an entry, or remove the member. If it is \
            additional data of your own, move it to a folder below '.userdata/'.
            """,
            bad: .words("a member 'd.example/b' without an entry"),
            good: .words("a member '.userdata/key/b' without an entry")
        ),
    ]
}
