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

    private static let form =
        "write 'machine HOST login USER password PASSWORD', with quotes around what has blanks"

    /// A line that says nothing that this type knows; the sentence has nothing of the line, which may be secret.
    public struct Malformation: Error, Equatable {
        /// The line, from 1.
        public let line: Int
        /// What is wrong and what to write; lower case, no full stop.
        public let message: String
    }

    /// Reads the file; macros are skipped.
    ///
    /// - Parameter bytes: The file.
    /// - Throws: ``Malformation`` for the first word that such files don't have, a keyword without its value, and a machine
    ///   that is not a host name.
    public init(_ bytes: [UInt8]) throws(Malformation) {
        var machine: Machine?
        var isMacro = false
        // The keyword whose value is next, perhaps on another line, and the line of the keyword.
        var pending: (keyword: String, line: Int)?
        let lines = String(decoding: bytes, as: UTF8.self).split(
            omittingEmptySubsequences: false,
            whereSeparator: \.isNewline
        )
        for (number, line) in zip(1..., lines) {
            var words = Self.words(line)[...]
            // An empty line ends a macro.
            if isMacro { isMacro = !words.isEmpty }
            guard !isMacro else { continue }
            while let word = words.popFirst() {
                if let (keyword, _) = pending {
                    pending = nil
                    switch keyword {
                    case "machine":
                        if let machine { machines.append(machine) }
                        machine = Machine(host: word.lowercased())
                        guard WebURL(httpsHost: word.lowercased()) != nil else {
                            let message = "'machine' needs a host name, without scheme and port"
                            throw Malformation(line: number, message: message)
                        }
                    case "login": machine?.login = Secret(word)
                    case "password": machine?.password = Secret(word)
                    default: break
                    }
                    continue
                }
                switch word {
                case "machine", "login", "password", "account": pending = (word, number)
                case "default":
                    if let machine { machines.append(machine) }
                    machine = nil
                case "macdef":
                    isMacro = true
                    words = []
                default:
                    guard word.hasPrefix("#") else {
                        throw Malformation(line: number, message: Self.form)
                    }
                    words = []
                }
            }
        }
        if let (keyword, line) = pending {
            throw Malformation(line: line, message: "'\(keyword)' has no value; write one behind it")
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
