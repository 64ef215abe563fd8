import AFCLinter
import AFCZip
import TestSupport

/// A body of a package that a test makes.
struct SiteBody: Sendable {
    /// The resource's URL.
    var url: String
    /// Its type in the manifest.
    var type: String
    /// Its bytes.
    var bytes: [UInt8]
    /// The member, as the fifth field names it, or nil for the rule's.
    var member: String?

    /// A body of bytes.
    init(_ url: String, _ type: String, _ bytes: [UInt8], member: String? = nil) {
        self.url = url
        self.type = type
        self.bytes = bytes
        self.member = member
    }

    /// A body of text.
    init(_ url: String, _ type: String, _ text: String, member: String? = nil) {
        self.init(url, type, Array(text.utf8), member: member)
    }

    /// A page at `http://d.example/p`.
    static func page(_ text: String, at url: String = "http://d.example/p") -> SiteBody {
        SiteBody(url, "text/html; charset=utf-8", text)
    }
}

extension Sample {
    /// A package of bodies.
    ///
    /// - Parameters:
    ///   - bodies: Each with an entry.
    ///   - records: The lines of the sidecar; none where there are none.
    ///   - info: The text of `.afcache/package.json`; none where it is nil.
    ///   - others: Further members.
    ///   - compressed: Whether members are deflated.
    ///   - settings: Changes what rules compare with.
    /// - Returns: The package, made when it is linted.
    static func site(
        _ bodies: [SiteBody],
        records: [String] = [],
        info: String? = nil,
        others: [String] = [],
        compressed: Bool = true,
        _ settings: @escaping @Sendable (inout LintSettings) -> Void = { _ in }
    ) -> Sample {
        var members: [(name: String, bytes: [UInt8])] = []
        var manifest = ""
        for body in bodies {
            let name = body.member ?? String(body.url.drop { $0 != "/" }.drop { $0 == "/" }.prefix { $0 != "?" })
            if !members.contains(where: { $0.name == name }) { members.append((name, body.bytes)) }
            let fifth = body.member.map { " ; " + $0 } ?? ""
            manifest += "\(body.url) ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; \(body.type)\(fifth)\n"
        }
        for name in others { members.append((name, Array("body".utf8))) }
        if let info { members.append((".afcache/package.json", Array(info.utf8))) }
        if !records.isEmpty {
            members.append((".afcache/resources.jsonl", Array(records.map { $0 + "\n" }.joined().utf8)))
        }
        members.append(("manifest.afcache", Array(manifest.utf8)))
        let all = members.map { NewMember(name: $0.name, content: .bytes($0.bytes), isCompressible: compressed) }
        return made {
            settings(&$0.settings)
        } _: { scratch in
            let path = scratch.path("package.zip")
            _ = try await ZipWriter.write(to: path, members: all, options: ZipWriter.Options())
            return path
        }
    }
}
