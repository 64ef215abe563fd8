import AFCCaching
import AFCCredentials
import AFCText
import AFCURL
import HTTPTypes
import Testing

@testable import AFCCrawlRules
@testable import AFCCrawler
@testable import AFCPackager

struct AccessCredentialTests {
    private let now = AccessCookieTests.now

    private func authorization(_ options: AccessOptions, _ url: String, seeds: String...) throws -> String? {
        let seeds = try seeds.map { try WebURL($0) }
        return options.fields(for: try WebURL(url), seeds: seeds, now: now)[.authorization]
    }

    // RFC 7617 §2 and §2.1.
    @Test(arguments: [
        ("Aladdin:open sesame", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="), ("test:123\u{A3}", "Basic dGVzdDoxMjPCow=="),
        ("a:b:c", "Basic YTpiOmM="), (":", "Basic Og=="), ("u:", "Basic dTo="),
    ])
    func `user and password become a field`(pair: String, field: String) throws {
        #expect(try BasicCredentials(pair).fieldValue == field)
    }

    @Test func `each origin receives its own credentials, and no others`() async throws {
        try await withScratchFolder { folder in
            let path = folder + "/credentials"
            try write(
                """
                # comment
                https://docs.example basic user:pass word

                https://docs.example:8443/ \tbearer  TOKEN-1.~+/=\u{20}
                http://docs.example BASIC a:b
                https://[::1]:1 bearer x\r
                """,
                to: path
            )
            var sources = AccessSources(environment: [:])
            sources.credentialsFile = path
            let options = try sources.access(for: [], now: now).options
            #expect(try authorization(options, "https://docs.example/a?b") == "Basic dXNlcjpwYXNzIHdvcmQ=")
            #expect(try authorization(options, "https://docs.example:8443/") == "Bearer TOKEN-1.~+/=")
            #expect(try authorization(options, "http://docs.example/") == "Basic YTpi")
            #expect(try authorization(options, "https://[::1]:1/") == "Bearer x")
            for other in [
                "https://www.docs.example/", "https://docs.example:444/", "http://docs.example:443/",
                "https://docs.example.evil.example/", "https://docs.example./", "https://other.example/",
            ] {
                #expect(try authorization(options, other, seeds: "https://docs.example/") == nil, "\(other)")
            }
        }
    }

    @Test(arguments: [
        ("https://docs.example hunter2", "line 1: write 'https://host basic user:password' or '… bearer TOKEN'"),
        ("docs.example basic a:hunter2", "line 1: the first word must be an origin such as 'https://host:port'"),
        (
            "https://u:hunter2@docs.example basic a:b",
            "line 1: the first word must be an origin such as 'https://host:port'"
        ),
        (
            "https://docs.example/a basic a:hunter2",
            "line 1: the first word must be an origin such as 'https://host:port'"
        ),
        ("ftp://docs.example basic a:hunter2", "line 1: the first word must be an origin such as 'https://host:port'"),
        ("https://docs.example digest a:hunter2", "line 1: the second word must be 'basic' or 'bearer'"),
        (
            "https://docs.example basic hunter2",
            "line 1: invalid 'user:password': the colon between user and password is missing"
        ),
        (
            "https://docs.example basic a:hunter2\u{1}",
            "line 1: invalid 'user:password': it contains a control character"
        ),
        (
            "https://docs.example bearer hunter2 x",
            "line 1: the token contains a space or another character that tokens can't have"
        ),
        (
            "https://docs.example bearer x\n\nhttps://docs.example/ basic a:hunter2",
            "line 3: an earlier line has the same origin"
        ),
    ])
    func `a line that isn't a credential is reported by number, without its content`(text: String, message: String) {
        let error = #expect(throws: PackagingError.self) {
            try CredentialFile.credentials(Array(text.utf8), name: "credentials")
        }
        #expect(error?.subject == "credentials")
        #expect(error?.message == message)
    }

    @Test func `a netrc file applies to https and to the seeds' origins`() throws {
        let netrc = try Netrc(
            Array(
                """
                # machine commented.example login x password y
                machine docs.example login user password "pass word"
                machine other.example
                    login "a\\"b"
                    account z
                    password c
                macdef init
                machine macro.example login x password y

                machine half.example login x
                machine docs.example login second password second
                default login anonymous password x
                """.utf8
            )
        )
        var options = AccessOptions()
        options.credentials = netrc.credentials(for: [try WebURL("http://docs.example:8080/a")])
        let expected = "Basic dXNlcjpwYXNzIHdvcmQ="
        #expect(try authorization(options, "https://docs.example/") == expected)
        #expect(try authorization(options, "http://docs.example:8080/") == expected)
        #expect(try authorization(options, "http://docs.example/") == nil)
        #expect(try authorization(options, "https://other.example/") == "Basic YSJiOmM=")
        // A login without a password has an empty one, as for curl.
        #expect(try authorization(options, "https://half.example/") == "Basic eDo=")
        #expect(options.credentials.count == 4)
    }

    @Test(arguments: [
        ("garbage", 1, "write 'machine HOST login USER password PASSWORD', with quotes around what has blanks"),
        (
            "machine d.example login a password two words\n", 1,
            "write 'machine HOST login USER password PASSWORD', with quotes around what has blanks"
        ),
        ("# note\nmachine d.example\nlogin a password", 3, "'password' has no value; write one behind it"),
        ("machine https://d.example/ login a", 1, "'machine' needs a host name, without scheme and port"),
        ("\nmachine d.example:8080 login a", 2, "'machine' needs a host name, without scheme and port"),
    ])
    func `a line that isn't one of a netrc file is named, without its text`(
        text: String,
        line: Int,
        message: String
    ) {
        let error = #expect(throws: Netrc.Malformation.self) { try Netrc(Array(text.utf8)) }
        #expect(error?.line == line)
        #expect(error?.message == message)
    }

    @Test func `the environment's credentials are sent to the seeds' origin only`() throws {
        let seeds = try ["https://docs.example/a", "https://docs.example/b"].map { try WebURL($0) }
        let basic = try AccessSources(environment: ["AFCACHE_BASIC": "a:b"]).access(for: seeds, now: now).options
        #expect(try authorization(basic, "https://docs.example/") == "Basic YTpi")
        #expect(try authorization(basic, "https://other.example/") == nil)
        let bearer = try AccessSources(environment: ["AFCACHE_BEARER": "t"]).access(for: seeds, now: now).options
        #expect(try authorization(bearer, "https://docs.example/") == "Bearer t")
    }

    @Test(arguments: [
        (
            ["AFCACHE_BASIC": "a:b", "AFCACHE_BEARER": "t"], ["https://docs.example/"],
            "AFCACHE_BEARER is also set; set only one of them"
        ),
        (
            ["AFCACHE_BASIC": "a:b"], ["https://docs.example/", "http://docs.example/"],
            "the start URLs have several origins; name the one it is for in a credentials file"
        ),
        (
            ["AFCACHE_BASIC": "hunter2"], ["https://docs.example/"],
            "not of the form 'user:password': the colon between user and password is missing"
        ),
        (
            ["AFCACHE_BEARER": "hunter2 x"], ["https://docs.example/"],
            "not a valid token: it contains a space or another character that tokens can't have"
        ),
    ])
    func `invalid values in the environment are refused`(
        environment: [String: String],
        seeds: [String],
        message: String
    ) throws {
        let seeds = try seeds.map { try WebURL($0) }
        let error = #expect(throws: PackagingError.self) {
            try AccessSources(environment: environment).access(for: seeds, now: now)
        }
        #expect(error?.message == message)
    }

    @Test func `the user's fields are sent to the seeds' origins only`() async throws {
        try await withScratchFolder { folder in
            let path = folder + "/fields"
            try write("# comment\n\nAuthorization: Custom hunter2\nX-From-File:a\r\n", to: path)
            var sources = AccessSources(environment: [:])
            sources.headers = ["X-Token:  one two ", "Accept-Language: de", "@" + path]
            let options = try sources.access(for: [], now: now).options
            let seeds = [try WebURL("https://docs.example/a")]
            let own = options.fields(for: try WebURL("https://docs.example/b"), seeds: seeds, now: now)
            #expect(
                own.map { "\($0.name.rawName): \($0.value)" } == [
                    "X-Token: one two", "Accept-Language: de", "Authorization: Custom hunter2", "X-From-File: a",
                ]
            )
            #expect(options.fields(for: try WebURL("https://docs.example:1/"), seeds: seeds, now: now).isEmpty)
            #expect(options.fields(for: try WebURL("http://docs.example/"), seeds: seeds, now: now).isEmpty)
            var sent = own
            sent[.userAgent] = "x"
            sent[.cookie] = "y"
            #expect(options.recordable(sent).map(\.value) == ["x"])
        }
    }

    @Test(arguments: [
        (
            "Authorization: Bearer hunter2",
            "other users can see passwords on the command line; put the line into a file, and write '@FILE'"
        ),
        ("Cookie: a=hunter2", "'Cookie' can't be set: put cookies in a cookie file"),
        (
            "Proxy-Authorization: hunter2",
            "'Proxy-Authorization' can't be set: put 'user:password' in AFCACHE_PROXY_BASIC"
        ),
        ("Host: hunter2.example", "'Host' can't be set: it describes the connection"),
        ("Range: bytes=0-1", "'Range' can't be set: the response might not be the whole resource"),
        (
            "Accept-Encoding: br",
            "'Accept-Encoding' can't be set: the crawler asks for the codings that it can decode"
        ),
        ("User-Agent: x", "'User-Agent' can't be set: it has an option of its own"),
        ("hunter2", "not a header field; write 'Name: value', or '@FILE' for a file of such lines"),
        ("X y: hunter2", "not a header field; write 'Name: value', or '@FILE' for a file of such lines"),
        ("X-A: hunter2\nX-B: c", "the value of 'X-A' contains a control character"),
    ])
    func `a field that users can't set is refused with the remedy`(text: String, message: String) {
        var sources = AccessSources(environment: [:])
        sources.headers = [text]
        let error = #expect(throws: PackagingError.self) { try sources.access(for: [], now: now) }
        #expect(error?.message == message)
    }

    @Test func `a file that other users can read causes a warning, and a missing one an error`() async throws {
        try await withScratchFolder { folder in
            let path = folder + "/credentials"
            try write("https://docs.example basic a:b\n", to: path)
            var sources = AccessSources(environment: [:])
            sources.credentialsFile = path
            _ = try run("chmod", "640", path)
            let warnings = try sources.access(for: [], now: now).warnings
            #expect(
                warnings == ["other users can read '\(path)'; run 'chmod 600' on it"]
            )
            _ = try run("chmod", "600", path)
            #expect(try sources.access(for: [], now: now).warnings.isEmpty)
            sources.cookieFiles = [folder + "/none"]
            let error = #expect(throws: PackagingError.self) { try sources.access(for: [], now: now) }
            #expect(error?.code == .inputOutput)
            #expect(error?.subject == folder + "/none")
        }
    }
}
