import Testing

@testable import AFCProgram

/// What the argument parser's description becomes; expected texts are by groff_char(7) and man(7).
struct ManualTests {
    @Test(
        arguments: [
            ("--max-age", #"\-\-max\-age"#), ("don't", #"don\(aqt"#), (#"say "a""#, #"say \(dqa\(dq"#),
            (#"C:\x"#, #"C:\ex"#), ("~/.config", #"\(ti/.config"#), ("a^b`c", #"a\(hab\(gac"#), ("re:…", "re:..."),
            ("ü", #"\[u00FC]"#), ("🗜", #"\[u1F5DC]"#), ("", ""),
        ]
    ) func `characters with a meaning in roff, and those outside ASCII, are escaped`(text: String, escaped: String) {
        #expect(Roff.escaped(text) == escaped)
    }

    @Test func `a line that begins with a full stop is no macro`() {
        var page = Roff()
        page.line(.plain(".PP is text here"))
        page.line(.bold("--all"), .plain(", "), .italic("x"))
        page.macro("TH", "A", "two words", "")
        #expect(page.text == "\\&.PP is text here\n\\fB\\-\\-all\\fR, \\fIx\\fR\n.TH A \"two words\" \"\"\n")
    }

    @Test func `lines that begin with a space are unchanged, others are filled`() {
        var page = Roff()
        page.paragraphs("One.\nTwo.\n\n  a  b\n  c\nThree.", followsHeading: true)
        #expect(page.text == "One.\nTwo.\n.PP\n.EX\n  a  b\n  c\n.EE\n.PP\nThree.\n")
    }

    @Test func `a page has each visible command, and each option that is explained`() throws {
        let document = """
            {"serializationVersion":0,"command":{"commandName":"tool","abstract":"Do it.","arguments":[
              {"kind":"flag","names":[{"kind":"short","name":"h"},{"kind":"long","name":"help"}],"isOptional":true,
               "abstract":"Help."}
            ],"subcommands":[
              {"commandName":"run","abstract":"Run it.","arguments":[
                {"kind":"positional","valueName":"file","isRepeating":true,"isOptional":true,"abstract":"What."},
                {"kind":"option","names":[{"kind":"long","name":"to"}],"valueName":"place","abstract":"Where.",
                 "allValues":["a","b"],"defaultValue":"a"},
                {"kind":"flag","names":[{"kind":"long","name":"fast"}],"isOptional":true,"abstract":"How."},
                {"kind":"flag","names":[{"kind":"long","name":"no-fast"}],"isOptional":true,"abstract":"How."},
                {"kind":"flag","names":[{"kind":"long","name":"secret"}],"isOptional":true,"shouldDisplay":false},
                {"kind":"flag","names":[{"kind":"long","name":"rare"}],"isOptional":true,"shouldDisplay":false,
                 "abstract":"Why."},
                {"kind":"flag","names":[{"kind":"short","name":"h"},{"kind":"long","name":"help"}],"isOptional":true,
               "abstract":"Help."}
              ]},
              {"commandName":"hidden","shouldDisplay":false},
              {"commandName":"help"}
            ]}}
            """
        let program = try #require(DescribedCommand(document: document))
        let page = ManualPage(program: program, version: "1.0", date: try Clock.parse("2023-11-14")).text
        #expect(page.hasPrefix(".TH TOOL 1 2023-11-14 \"tool 1.0\"\n.SH NAME\ntool \\- Do it\n"))
        #expect(
            page.contains(
                """
                .SS "tool run"
                Run it.
                .PP
                \\fBtool run\\fR [\\fIoptions\\fR] \\fB\\-\\-to\\fR \\fIplace\\fR [\\fIfile\\fR ...]
                .TP
                \\fIfile\\fR
                What.
                .TP
                \\fB\\-\\-to\\fR \\fIplace\\fR
                Where. (values: a, b; default: a)
                .TP
                \\fB\\-\\-fast\\fR, \\fB\\-\\-no\\-fast\\fR
                How.
                .TP
                \\fB\\-\\-rare\\fR
                Why.
                .SH "EXIT STATUS"
                """
            )
        )
        #expect(!page.contains("secret"))
        #expect(!page.contains("hidden"))
    }

    @Test(arguments: ["", "{}", #"{"serializationVersion":1,"command":{"commandName":"x"}}"#])
    func `a description in another form is not a description`(document: String) {
        #expect(DescribedCommand(document: document) == nil)
    }
}
