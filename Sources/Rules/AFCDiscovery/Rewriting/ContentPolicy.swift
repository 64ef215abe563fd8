public import AFCURL

/// Replaces the hosts in content security policies (Content Security Policy Level 3), for pages whose references are
/// replaced.
public struct ContentPolicy {
    /// The origins that have other URLs, and the sources that allow those.
    private let origins: [(real: WebURL, source: String)]

    /// Creates a rewriting.
    ///
    /// - Parameter origins: The origins that have other URLs, as URLs with the path `/`, and the sources that allow those:
    ///   an origin, or `'self'`.
    public init(_ origins: [(real: WebURL, source: String)]) { self.origins = origins }

    /// Returns a list of policies in which each source also allows what stands for it.
    ///
    /// Nothing is forbidden that was allowed: `https:` gains `http:`, because the server may have no TLS.
    ///
    /// - Parameters:
    ///   - policies: The value of a Content-Security-Policy field, or the content of such a `meta` element.
    ///   - digests: The digests of changed styles, and those of what they became: algorithm, hyphen and Base64. A
    ///     policy with a digest gains the new ones.
    /// - Returns: The policies.
    public func rewritten(_ policies: String, digests: [String: Set<String>] = [:]) -> String {
        policies.split(separator: ",", omittingEmptySubsequences: false).map { policy in
            policy.split(separator: ";", omittingEmptySubsequences: false).map { directive($0, digests) }
                .joined(separator: ";")
        }.joined(separator: ",")
    }

    /// The algorithms of digests that policies have.
    ///
    /// - Parameter policies: The policies.
    /// - Returns: Their names in lower case.
    public static func algorithms(in policies: String) -> Set<String> {
        let policies = policies.lowercased()
        return Set(["sha256", "sha384", "sha512"].filter { policies.contains("'\($0)-") })
    }

    /// Returns a list of policies that also allow a script of the server and an import map, where they don't already.
    ///
    /// A digest makes browsers ignore `'unsafe-inline'`, so a policy that relies on it gets the script's address instead.
    /// A policy that allows no scripts stays as it is.
    ///
    /// - Parameters:
    ///   - policies: The value of a Content-Security-Policy field, or the content of such a `meta` element.
    ///   - script: The script's digest, such as `sha256-…`, and its URL.
    ///   - importMap: The digest of the import map; nil if there is none.
    /// - Returns: The policies.
    public static func admitting(
        _ policies: String,
        script: (digest: String, address: String),
        importMap: String?
    ) -> String {
        policies.split(separator: ",", omittingEmptySubsequences: false).map { policy in
            var directives = policy.split(separator: ";", omittingEmptySubsequences: false).map(String.init)
            let names = directives.map { $0.split(whereSeparator: isSpace).first?.lowercased() ?? "" }
            let index = ["script-src-elem", "script-src", "default-src"].compactMap { names.firstIndex(of: $0) }.first
            guard let index else { return String(policy) }
            let words = directives[index].split(whereSeparator: isSpace).dropFirst().map { $0.lowercased() }
            guard !words.isEmpty, words != ["'none'"] else { return String(policy) }
            let isByDigest = words.contains { word in
                word == "'strict-dynamic'"
                    || ["'nonce-", "'sha256-", "'sha384-", "'sha512-"].contains(where: word.hasPrefix)
            }
            let digest = importMap.map { ["'\($0)'"] } ?? []
            var added: [String] = []
            if isByDigest {
                added = ["'\(script.digest)'"] + digest
            } else {
                if !words.contains("'self'"), !words.contains("*") { added.append(script.address) }
                if !words.contains("'unsafe-inline'") { added += digest }
            }
            for source in added { directives[index] += " " + source }
            return directives.joined(separator: ";")
        }.joined(separator: ",")
    }

    private static func isSpace(_ character: Character) -> Bool {
        character == " " || character == "\t" || character == "\n" || character == "\u{C}" || character == "\r"
    }

    private func directive(_ text: Substring, _ digests: [String: Set<String>]) -> String {
        let words = text.split(whereSeparator: Self.isSpace)
        guard let name = words.first?.lowercased(), name.hasSuffix("-src") || Self.others.contains(name) else {
            return String(text)
        }
        var added: [String] = []
        for word in words.dropFirst() {
            let new = word.hasPrefix("'") ? Self.sources(for: word, digests) : sources(for: word.lowercased())
            for source in new
            where !words.contains(Substring(source)) && !added.contains(source) {
                added.append(source)
            }
        }
        return added.isEmpty ? String(text) : text + " " + added.joined(separator: " ")
    }

    private static let others: Set = ["frame-ancestors", "form-action", "base-uri"]

    /// Returns the sources for what a source stands for, which may be in another place.
    private func sources(for word: String) -> [String] {
        if word == "https:" { return ["http:"] }
        if word == "wss:" { return ["ws:"] }
        guard !word.hasPrefix("'"), !word.hasSuffix(":") else { return [] }
        return origins.filter { Self.matches(word, $0.real) }.map(\.source)
    }

    /// Returns the sources for the styles that a digest was of (CSP §6.7.3.2).
    private static func sources(for word: Substring, _ digests: [String: Set<String>]) -> [String] {
        guard !digests.isEmpty, word.count > 2, word.hasSuffix("'"), let hyphen = word.firstIndex(of: "-") else {
            return []
        }
        let algorithm = word[..<hyphen].dropFirst().lowercased()
        let value = word[hyphen...].dropFirst().dropLast().map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
        return (digests[algorithm + "-" + String(value)] ?? []).sorted().map { "'\($0)'" }
    }

    /// Returns true if a host source allows an origin (CSP §6.7.2.8); its path isn't compared.
    private static func matches(_ word: String, _ origin: WebURL) -> Bool {
        var rest = word[...]
        if let mark = rest.firstRange(of: "://") {
            let scheme = rest[..<mark.lowerBound]
            guard scheme == origin.scheme || scheme == "http" && origin.scheme == "https" else { return false }
            rest = rest[mark.upperBound...]
        }
        rest = rest.prefix { $0 != "/" }
        var port: Substring?
        if let colon = rest.lastIndex(of: ":"), !rest.hasSuffix("]") {
            port = rest[rest.index(after: colon)...]
            rest = rest[..<colon]
        }
        guard port.map({ $0 == "*" || UInt16($0) == origin.effectivePort }) ?? (origin.port == nil) else {
            return false
        }
        let host = origin.host ?? ""
        if rest == "*" { return true }
        return rest.hasPrefix("*.") ? host.hasSuffix(rest.dropFirst()) : host == rest
    }
}
