internal import AFCCrawlRules
internal import AFCURL

/// The file that ftp, curl and wget know: `machine HOST login USER password PASSWORD`.
///
/// It names hosts, not origins. A machine counts for https at its usual port, and for the seeds' origins on that host, which
/// the user named with scheme and port. `default` counts for nobody.
struct Netrc: Sendable {
    private struct Machine {
        var host: String
        var login: Secret?
        var password: Secret?
    }

    private var machines: [Machine] = []

    /// Reads the file; words that it doesn't know are skipped, as are macros.
    init(_ bytes: [UInt8]) {
        var machine: Machine?
        var isMacro = false
        for line in String(decoding: bytes, as: UTF8.self).split(
            omittingEmptySubsequences: false,
            whereSeparator: \.isNewline
        ) {
            var words = Self.words(line)[...]
            // A macro ends with an empty line.
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

    /// What the file has for origins.
    func credentials(seeds: [WebURL]) -> [OriginCredential] {
        var found: [String: OriginCredential] = [:]
        for machine in machines {
            guard let login = machine.login, let password = machine.password,
                let url = CookieStore.url(ofHost: machine.host)
            else { continue }
            let basic: BasicCredentials
            do throws(BasicCredentials.Malformation) {
                basic = try BasicCredentials(login.value + ":" + password.value)
            } catch {
                // The words of a line can't make this happen but by control characters, which no server takes.
                continue
            }
            for url in [url] + seeds.filter({ $0.host == url.host }) where found[url.origin] == nil {
                found[url.origin] = OriginCredential(for: url, basic: basic)
            }
        }
        return found.values.sorted { $0.origin < $1.origin }
    }

    /// Words with blanks between them; a quoted one may have blanks, and `\\"` in it.
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
