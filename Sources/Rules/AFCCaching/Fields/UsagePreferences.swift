internal import AFCHTTP
package import HTTPTypes
internal import RawStructuredFieldValues

/// What an origin prefers that automated systems do with a response, or don't do: usages by their names.
///
/// Three vocabularies are read into the same names: Content-Usage (draft-ietf-aipref-vocab-07 §4 and §6), Content-Signal
/// (draft-romm-aipref-contentsignals-00, contentsignals.org), and the directives `noai` and `noimageai` of DeviantArt. A
/// usage that isn't named is unknown, neither allowed nor disallowed. Unknown names are kept.
package struct UsagePreferences: Hashable, Sendable {
    /// What an origin says about a usage (draft-ietf-aipref-vocab-07 §3).
    package enum Preference: String, Hashable, Sendable {
        /// The usage is allowed.
        case allowed = "y"
        /// The usage is disallowed.
        case disallowed = "n"
    }

    /// The names that disallow the reading of a page by an agent.
    ///
    /// The current vocabulary of Content-Usage has no such usage; earlier drafts had three.
    package enum Input: String, CaseIterable, Sendable {
        /// Content-Signal: the input of a model, such as retrieval and grounding.
        case aiInput = "ai-input"
        /// DeviantArt: no use by AI at all.
        case noai
        /// draft-ietf-aipref-vocab-02 §4.5.
        case aiUse = "ai-use"
        /// draft-ietf-aipref-vocab-04 §4.3.
        case aiOutput = "ai-output"
        /// draft-ietf-aipref-vocab-01 §4.5.
        case inference
    }

    /// The most names of a statement; further ones are left out.
    private static let countLimit = 32
    /// The longest name in bytes; longer ones are left out.
    private static let nameLimit = 64
    /// The longest text of a statement in bytes; a longer one counts as absent.
    private static let byteLimit = 4096

    /// The directives, which only ever disallow.
    private static let directives: Set<String> = ["noai", "noimageai"]
    /// The names that concern the training of models.
    private static let training: Set<String> = [
        "train-ai", "train-genai", "ai-train", "ai", "genai", "noai", "noimageai",
    ]
    private static let others: Set<String> = ["search", "bots", "all", "tdm"]

    private var members: [String: Preference] = [:]

    /// Creates preferences that name no usage.
    package init() {}

    /// Reads the lines of a Content-Usage field, or the statement of a Content-Usage rule.
    ///
    /// A member whose value isn't the token `y` or `n` says nothing, and neither does a malformed field
    /// (draft-ietf-aipref-vocab-07 §6.5).
    ///
    /// - Parameter lines: The lines.
    package init(contentUsage lines: [String]) {
        guard let dictionary = StructuredText.dictionary(lines) else { return }
        for (name, member) in dictionary {
            guard case .item(let item) = member, case .token(let word) = item.rfc9651BareItem,
                let preference = Preference(rawValue: word)
            else { continue }
            add(name, preference)
        }
    }

    /// Reads the lines of a Content-Signal field, or the statement of a Content-Signal rule: names with `yes` or `no`.
    ///
    /// - Parameter lines: The lines.
    package init(contentSignal lines: [String]) {
        for line in lines {
            take(line) { $0 == "yes" ? .allowed : $0 == "no" ? .disallowed : nil }
        }
    }

    /// Reads directives for crawlers; all but `noai` and `noimageai` are ignored.
    ///
    /// - Parameter words: The directives in lower case.
    package init(directives words: some Sequence<Substring>) {
        for word in words where Self.directives.contains(String(word)) { add(String(word), .disallowed) }
    }

    /// Reads the form that ``text`` writes; anything else in it is ignored.
    ///
    /// - Parameter text: The text.
    package init(text: String) { take(text) { Preference(rawValue: $0) } }

    private mutating func take(_ text: String, _ preference: (String) -> Preference?) {
        guard text.utf8.count <= Self.byteLimit else { return }
        for part in text.lowercased().split(separator: ",") {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(FieldText.trimmed(pair[0]))
            if pair.count == 1 {
                if Self.directives.contains(name) { add(name, .disallowed) }
            } else if let preference = preference(String(FieldText.trimmed(pair[1]))) {
                add(name, preference)
            }
        }
    }

    /// Adds a usage; of two statements about it, the more restrictive applies.
    private mutating func add(_ name: String, _ preference: Preference) {
        let isKey = name.utf8.allSatisfy {
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                || [UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "*")].contains($0)
        }
        guard isKey, !name.isEmpty, name.utf8.count <= Self.nameLimit else { return }
        guard members[name] != nil || members.count < Self.countLimit else { return }
        if members[name] != .disallowed { members[name] = preference }
    }

    // MARK: Asking

    /// True if no usage is named.
    package var isEmpty: Bool { members.isEmpty }

    /// What is said about a usage; nil if it is unknown.
    package subscript(name: String) -> Preference? { members[name] }

    /// The names of the disallowed usages, sorted.
    package var disallowed: [String] { members.filter { $0.value == .disallowed }.map(\.key).sorted() }

    /// True if the training of models is disallowed.
    package var disallowsTraining: Bool {
        members.contains { $0.value == .disallowed && Self.training.contains($0.key) }
    }

    /// Returns the names by which an agent may not read the response.
    ///
    /// - Parameter ignored: The names that the user overrides.
    /// - Returns: The names, in the order of ``Input``; empty if nothing forbids it.
    package func forbidsInput(except ignored: Set<Input> = []) -> [Input] {
        Input.allCases.filter { members[$0.rawValue] == .disallowed && !ignored.contains($0) }
    }

    /// The usages without names that no vocabulary has; an origin may choose such names as it likes.
    package var known: UsagePreferences {
        var known = self
        known.members = members.filter {
            Self.training.contains($0.key) || Self.others.contains($0.key) || Input(rawValue: $0.key) != nil
        }
        return known
    }

    /// The usages in one line of ASCII, sorted, such as `ai-input=n, noai, search=y`; empty if there are none.
    package var text: String {
        members.sorted { $0.key < $1.key }.map { name, preference in
            Self.directives.contains(name) && preference == .disallowed ? name : "\(name)=\(preference.rawValue)"
        }
        .joined(separator: ", ")
    }

    /// Returns the preferences of two statements together: the more restrictive of each usage
    /// (draft-ietf-aipref-vocab-07 §5.1).
    ///
    /// - Parameter other: The other statement.
    /// - Returns: The preferences.
    package func combined(with other: UsagePreferences) -> UsagePreferences {
        guard !isEmpty else { return other }
        var result = self
        for (name, preference) in other.members.sorted(by: { $0.key < $1.key }) { result.add(name, preference) }
        return result
    }
}

/// The statements about the use of a response, by where they come from.
package struct StatedUsage: Hashable, Sendable {
    /// What the response's own fields say: Content-Usage, Content-Signal and X-Robots-Tag.
    package var fields = UsagePreferences()
    /// What the origin's robots.txt says.
    package var robots = UsagePreferences()
    /// What a `meta` element of the page says.
    package var page = UsagePreferences()

    /// Creates statements that say nothing.
    package init() {}

    /// Reads the fields of a response, with what a cache keeps beside them (``FieldPolicy``).
    ///
    /// - Parameter fields: The fields.
    package init(_ fields: HTTPFields) {
        for field in fields {
            let name = field.name
            if name == .robotsUsage {
                robots = robots.combined(with: UsagePreferences(text: field.value))
            } else if name == .pageUsage {
                page = page.combined(with: UsagePreferences(text: field.value))
            }
        }
        self.fields = Self.preferences(fields)
    }

    private static func preferences(_ fields: HTTPFields) -> UsagePreferences {
        var preferences = UsagePreferences()
        if fields.contains(.contentUsage) {
            preferences = UsagePreferences(contentUsage: fields[values: .contentUsage])
        }
        if fields.contains(.contentSignal) {
            preferences = preferences.combined(with: UsagePreferences(contentSignal: fields[values: .contentSignal]))
        }
        if fields.contains(.robotsTag) {
            let directives = RobotsTag.directives(fields[values: .robotsTag], for: productToken)
            preferences = preferences.combined(with: UsagePreferences(directives: directives))
        }
        return preferences
    }

    /// The name by which X-Robots-Tag may address this program.
    private static let productToken = "afcache"

    /// The statements together: the more restrictive of each usage.
    package var combined: UsagePreferences { fields.combined(with: robots).combined(with: page) }

    /// Returns the words for the places that disallow a usage, such as `robots.txt`.
    ///
    /// - Parameter name: The usage.
    /// - Returns: The words, none if nothing disallows it.
    package func places(disallowing name: String) -> [String] {
        [(robots, "robots.txt"), (fields, "the response's fields"), (page, "the page")]
            .filter { $0.0[name] == .disallowed }.map(\.1)
    }

    /// The fields beside which a cache keeps what isn't in the response's own fields.
    package var keptFields: [HTTPField] {
        [(HTTPField.Name.robotsUsage, robots), (.pageUsage, page)].compactMap { name, preferences in
            preferences.isEmpty ? nil : HTTPField(name: name, value: preferences.text)
        }
    }
}
