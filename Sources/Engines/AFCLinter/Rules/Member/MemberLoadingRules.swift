internal import AFCPackageFormat

extension LintRules {
    /// The rules about members that loading checks, too.
    static let memberLoading: [Description] = [
        Description(
            .memberIsFolder,
            "an entry whose body is a folder",
            """
            A folder has no bytes to serve. A URL such as 'http://d.example/guide' and the pages below it want one name \
            as file and as folder; the packager gives the body of such a URL another name and writes that into the \
            fifth field. Pack the site with it, or name a file there.
            """,
            bad: .words("an entry for 'http://d.example/a' in a package with the folder 'd.example/a/'"),
            good: .words("the same entry with 'd.example/a/~index' in its fifth field")
        ),
        Description(
            .memberMissing,
            "an entry whose body is not in the package",
            """
            The entry promises a body that nobody can deliver, so the package is refused rather than loaded with a hole. \
            The body is looked for under the name in the fifth field, and nowhere else where there is one; else under \
            host and path of the URL, in the spellings that docs/format.md lists. Add the member, correct the field, or \
            remove the line.
            """,
            bad: .words("an entry for 'http://d.example/a' in a package without 'd.example/a'"),
            good: .words("the same entry in a package with 'd.example/a'")
        ),
        Description(
            .memberWithoutEntry,
            "a member that no entry names",
            """
            It takes space and is never served, since only the manifest says which URL a body answers. Perhaps its line \
            was lost, or names another spelling. Add an entry; or move what is meant to be carried along below \
            '.userdata/', with a folder for its key; or leave it out.
            """,
            bad: .words("a member 'd.example/b', and no entry for it"),
            good: .words("a member '.userdata/key/b', and no entry for it")
        ),
    ]
}
