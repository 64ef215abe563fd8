import Foundation

/// Defects of URLs and types.
extension Mutation {
    /// A resource with a defect in its URL, beside the others.
    private static func planted(
        _ kind: String,
        _ rules: [String],
        member: String? = "~planted",
        _ urls: [String]
    ) -> Mutation {
        Mutation(kind) { package, source in
            let entry = package.add(urls.randomElement(using: &source) ?? "", member: member)
            return rules.map { .entry($0, entry) }
        }
    }

    static let url: [Mutation] = [
        Mutation("a URL in another form") { package, source in
            guard let entry = package.any(&source) else { return nil }
            let (scheme, rest) = entry.url.hasPrefix("https") ? ("https", "://secure") : ("http", "://docs")
            let forms = [
                entry.url.replacingOccurrences(of: scheme, with: scheme.uppercased()),
                entry.url.replacingOccurrences(of: rest, with: rest.uppercased()),
                entry.url.replacingOccurrences(of: ".example/", with: ".example:\(scheme == "https" ? 443 : 80)/"),
                entry.url.replacingOccurrences(of: ".example/", with: ".EXAMPLE/./"),
                entry.url.replacingOccurrences(of: ".example/", with: ".example/x/../"),
            ]
            package.set(entry, 0, to: forms.randomElement(using: &source) ?? "")
            return [.entry("url.not-normal", entry)]
        },
        Mutation("a space in a URL") { package, source in
            guard let entry = package.any(&source, where: { $0.url.contains("%20") }) else { return nil }
            package.set(entry, 0, to: entry.url.replacingOccurrences(of: "%20", with: " "))
            return [.entry("url.not-normal", entry)]
        },
        Mutation("a URL with a fragment") { package, source in
            guard let entry = package.any(&source) else { return nil }
            package.set(entry, 0, to: entry.url + (["#part", "#", "#a;b"].randomElement(using: &source) ?? ""))
            return [.line("url.fragment", entry.line, entry.url.utf8.count + 1)]
        },
        planted(
            "a path that is encoded twice",
            ["url.double-encoded"],
            [
                "http://docs.example/a%2520b", "http://docs.example/zz/%25C3%25A4", "http://docs.example/guide/%252F",
            ]
        ),
        planted(
            "an empty query",
            ["url.empty-query"],
            [
                "http://docs.example/a?", "http://docs.example/guide/?", "https://secure.example/zz?",
            ]
        ),
        planted(
            "an empty segment",
            ["url.empty-segment"],
            [
                "http://docs.example//a", "http://docs.example/guide//zz.txt", "http://docs.example/zz//",
            ]
        ),
        planted(
            "an encoded letter",
            ["url.encoded-unreserved"],
            [
                "http://docs.example/%61", "http://docs.example/guide/zz%2Etxt", "http://docs.example/a?b=%7E",
            ]
        ),
        planted(
            "a host that is an address",
            ["url.ip-address"],
            member: "~planted",
            [
                "http://192.0.2.7/a", "http://192.0.2.7:8080/a", "http://198.51.100.3/a",
            ]
        ),
        planted(
            "a private host",
            ["url.private-host"],
            member: "~planted",
            [
                "http://localhost/a", "http://127.0.0.1:8000/a", "http://10.1.2.3/a", "http://192.168.0.1/a",
                "http://[::1]/a",
            ]
        ),
        Mutation("a long URL") { package, source in
            let count = Int.random(in: 2_001...8_000, using: &source)
            let url = "http://docs.example/" + String(repeating: "u", count: count - 20)
            return [.entry("url.long", package.add(url, member: "docs.example/u~1"))]
        },
        planted(
            "another scheme",
            ["url.not-http"],
            [
                "ftp://docs.example/a", "file:///srv/www/a", "data:text/plain,a", "afcpkg://docs.example/a",
            ]
        ),
        planted(
            "a session in the URL",
            ["url.session-id"],
            [
                "http://docs.example/a;jsessionid=0123", "http://docs.example/a?PHPSESSID=9a8b7c",
                "http://docs.example/a?x=1&session_id=0a1b2c3d4e5f", "http://docs.example/a?sid=0a1b2c3d4e5f60718293",
            ]
        ),
        planted(
            "a tracking parameter",
            ["url.tracking-parameter"],
            [
                "http://docs.example/a?utm_source=mail", "http://docs.example/a?x=1&fbclid=abc",
                "http://docs.example/a?gclid=1&x=2", "http://docs.example/a?hsCtaTracking=1",
            ]
        ),
        planted(
            "a host with a dot at its end",
            ["url.trailing-dot"],
            member: "~planted",
            [
                "http://docs.example./dot", "https://docs.example.:8443/dot",
            ]
        ),
        planted(
            "a secret in the URL",
            ["security.secret-in-url"],
            [
                "http://docs.example/a?api_key=1", "http://docs.example/a?x=1&password=hunter2",
                "http://docs.example/a?access_token=abc&y=2", "http://docs.example/a?token=0a1b2c3d4e5f6a7b8c9d0e1f",
            ]
        ),
        planted(
            "a private file",
            ["security.private-file"],
            [
                "http://docs.example/.env", "http://docs.example/.git/config", "http://docs.example/zz/.htpasswd",
            ]
        ),
    ]

    /// Defects of types, in resources that nothing refers to, so that only their lines are wrong.
    static let type: [Mutation] = [
        typed(
            "a type that is none",
            "type.invalid",
            "docs.example/zz/planted",
            [
                "html", "text/", "/html", "text html", "text/html/x", "?",
            ]
        ),
        Mutation("a type in another spelling") { package, source in
            guard let entry = package.any(&source) else { return nil }
            let forms = [
                entry.type.replacingOccurrences(of: "text", with: "Text").replacingOccurrences(
                    of: "image",
                    with: "IMAGE"
                )
            ]
            package.set(entry, 3, to: forms.randomElement(using: &source) ?? "")
            return [.entry("type.not-normal", entry, 3)]
        },
        Mutation("a type without a space before its parameter") { package, source in
            guard let entry = package.any(&source, where: { $0.type.contains("; ") }) else { return nil }
            package.set(entry, 3, to: entry.type.replacingOccurrences(of: "; ", with: ";"))
            return [.entry("type.not-normal", entry, 3)]
        },
        typed(
            "a type that was replaced",
            "type.obsolete",
            "docs.example/zz/planted",
            [
                "image/jpg", "image/x-png", "application/x-font-woff", "audio/mp3", "text/xsl",
            ]
        ),
        typed(
            "a style sheet that is arbitrary bytes",
            "type.generic",
            "docs.example/zz/planted.css",
            [
                "application/octet-stream", "application/force-download",
            ]
        ),
        typed(
            "a script that is typed as a page",
            "type.contradicts-suffix",
            "docs.example/zz/planted.js",
            [
                "text/html; charset=utf-8", "text/css", "image/png",
            ]
        ),
        typed(
            "an image that is typed as a style sheet",
            "type.contradicts-suffix",
            "docs.example/zz/planted.png",
            [
                "text/css", "text/javascript", "text/html; charset=utf-8",
            ]
        ),
        typed(
            "a charset that nobody knows",
            "type.unknown-charset",
            "docs.example/zz/planted",
            [
                "text/plain; charset=utf8mb4", "text/plain; charset=klingon", "text/html; charset=x",
            ]
        ),
        Mutation("no type") { package, source in
            guard let entry = package.any(&source) else { return nil }
            package.set(entry, 3, to: "NULL")
            return [.line("type.missing", entry.line)]
        },
        body(
            "an image that is a page",
            "type.contradicts-body",
            "image/png",
            ["<!doctype html>\n<p>404", " <HTML>\n"]
        ),
        body(
            "a page that is an image",
            "type.contradicts-body",
            "text/html; charset=utf-8",
            [
                "\u{89}PNG\r\n\u{1A}\n\u{FF}\u{FE}", "\u{FF}\u{D8}\u{FF}\u{E0}", "%PDF-1.4\n\u{E4}", "GIF89a\u{90}",
            ]
        ),
        body("a page in gzip", "member.still-encoded", "text/html; charset=utf-8", ["\u{1F}\u{8B}\u{8}\u{0}"]),
        body("a text in gzip", "member.still-encoded", "text/plain", ["\u{1F}\u{8B}\u{8}\u{0}"]),
        body("a text without a charset", "type.charset-missing", "text/plain", ["h\u{C3}\u{A4}rte\n"]),
        body("a text that isn't UTF-8", "type.charset-contradicts", "text/plain; charset=utf-8", ["h\u{E4}rte\n"]),
        body("an empty page", "member.empty", "text/html; charset=utf-8", [""]),
        body("an empty image", "member.empty", "image/png", [""]),
        body(
            "a private key",
            "security.private-key",
            "text/plain",
            [
                "-----BEGIN RSA PRIVATE KEY-----\n" + String(repeating: "QUJD", count: 16) + "\n",
                "x\n-----BEGIN PRIVATE KEY-----\n" + String(repeating: "QUJD", count: 16) + "\n",
            ]
        ),
    ]

    private static func typed(_ kind: String, _ rule: String, _ url: String, _ types: [String]) -> Mutation {
        Mutation(kind) { package, source in
            let entry = package.add("http://" + url, type: types.randomElement(using: &source) ?? "")
            return [.entry(rule, entry, 3)]
        }
    }

    /// A resource with a defect in its body, each character of which is one byte.
    private static func body(_ kind: String, _ rule: String, _ type: String, _ texts: [String]) -> Mutation {
        Mutation(kind) { package, source in
            let text = texts.randomElement(using: &source) ?? ""
            let folder = ["aa", "guide", "zz"].randomElement(using: &source) ?? ""
            let bytes = text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
            let entry = package.add("http://docs.example/\(folder)/planted", type: type, body: bytes)
            return [.line(rule, entry.line)]
        }
    }
}
