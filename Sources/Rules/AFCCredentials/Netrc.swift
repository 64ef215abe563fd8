public import AFCURL

/// A netrc file, as ftp, curl and wget read it: `machine HOST login USER password PASSWORD`.
///
/// The file names hosts, not origins. A machine applies to https on its default port, and on that host to the origins of
/// the URLs that the user named with scheme and port. A login without a password has an empty one, as for curl. `default`
/// is ignored.
public struct Netrc: Sendable {
    private struct Machine {
        var host: String
        var login: Secret?
        var password: Secret?
    }

    private var machines: [Machine] = []

    /// Reads the file; unknown words and macros are skipped.
    ///
    /// - Parameter bytes: The file.
    public init(_ bytes: [UInt8]) {
        var machine: Machine?
        var isMacro = false
        for line in String(decoding: bytes, as: UTF8.self).split(
            omittingEmptySubsequences: false,
            whereSeparator: \.isNewline
        ) {
            var words = Self.words(line)[...]
            // An empty line ends a macro.
            if isMacro { isMacro = !words.isEmpty }
            guard !isMacro else { continue }
            while let word = words.popFirst() {
                switch word {
                case "machine":
                    if let machine { machines.append(machine) }
                    machine = words.popFirst().map { Machine(host: $0.lowercased()) }
                case "default":
                    if let machine { machines.append(machine) }
                    machine = nil
                case "login": machine?.login = words.popFirst().map { Secret($0) }
                case "password": machine?.password = words.popFirst().map { Secret($0) }
                case "account": _ = words.popFirst()
                case "macdef":
                    isMacro = true
                    words = []
                default: if word.hasPrefix("#") { words = [] }
                }
            }
        }
        if let machine { machines.append(machine) }
    }

    /// Returns the credentials that the file has, by origin.
    ///
    /// - Parameter named: The URLs that the user named.
    /// - Returns: The credentials, with distinct origins.
    public func credentials(for named: [WebURL]) -> [OriginCredential] {
        var found: [String: OriginCredential] = [:]
        for machine in machines {
            guard let login = machine.login, let url = WebURL(httpsHost: machine.host) else { continue }
            let basic: BasicCredentials
            do throws(BasicCredentials.Malformation) {
                basic = try BasicCredentials(login.value + ":" + (machine.password?.value ?? ""))
            } catch {
                // Only a control character can cause this, and no server accepts one.
                continue
            }
            for url in [url] + named.filter({ $0.host == url.host }) where found[url.origin] == nil {
                found[url.origin] = OriginCredential(for: url, basic: basic)
            }
        }
        return found.values.sorted { $0.origin < $1.origin }
    }

    /// Splits a line into words at blanks; a quoted word may contain blanks, and `\\"` for a quote.
    private static func words(_ line: Substring) -> [String] {
        var words: [String] = []
        var rest = line
        while true {
            rest = rest.drop { $0 == " " || $0 == "\t" }
            guard let first = rest.first else { return words }
            guard first == "\"" else {
                let word = rest.prefix { $0 != " " && $0 != "\t" }
                words.append(String(word))
                rest = rest[word.endIndex...]
                continue
            }
            rest.removeFirst()
            var word = ""
            while let character = rest.popFirst(), character != "\"" {
                word.append(character == "\\" ? rest.popFirst() ?? character : character)
            }
            words.append(word)
        }
    }
}
