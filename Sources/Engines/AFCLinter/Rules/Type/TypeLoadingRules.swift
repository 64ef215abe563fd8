internal import AFCPackageFormat

extension LintRules {
    /// The rules about media types that loading checks, too.
    static let typeLoading: [Description] = [
        Description(
            .typeInvalid,
            "a media type that is none",
            """
            A media type is 'type/subtype', with parameters behind semicolons. What isn't counts as NULL: with a record \
            in the sidecar its Content-Type is used, without a record the body is application/octet-stream, which \
            browsers download instead of showing it. Correct the fourth field.
            """,
            bad: .manifest("http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; html\n"),
            good: .manifest("http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/html\n")
        ),
        Description(
            .typeNotNormal,
            "a media type in another spelling than the normal one",
            """
            Types in capitals and spaces around semicolons mean the same, and are understood. A space before a semicolon \
            is the exception to be careful with: space, semicolon, space separates fields, so other readers would cut \
            the type there. Write the form that the finding names.
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
