internal import AFCPackageFormat

extension LintRules {
    /// The rules about media types that loading also checks.
    static let typeLoading: [Description] = [
        Description(
            .typeInvalid,
            "an invalid media type",
            """
            A media type has the form 'type/subtype', with parameters after semicolons. An invalid one counts as NULL. \
            The Content-Type of the record is used instead; without a record, the body is application/octet-stream, \
            which browsers download. Correct the fourth field.
            """,
            bad: .manifest("http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; html\n"),
            good: .manifest("http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/html\n")
        ),
        Description(
            .typeNotNormal,
            "a media type in an unusual spelling",
            """
            Uppercase letters and different spaces around semicolons don't change the meaning, and afcache understands \
            them. But ' ; ' separates the fields of a line, so other programs cut off a type at a semicolon between \
            spaces. Write the type as the finding shows it.
            """,
            bad: .manifest(
                "http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; Text/HTML;charset=utf-8\n"
            ),
            good: .manifest(
                "http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/html; charset=utf-8\n"
            )
        ),
    ]
}
