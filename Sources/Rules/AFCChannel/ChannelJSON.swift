internal import AFCHTTP
internal import AFCPackageFormat
internal import AFCText
internal import AFCURL

/// The description of a channel as JSON.
///
/// Pure.
enum ChannelJSON {
    /// What is wrong with a description.
    struct Problem: Error {
        /// A sentence; lower case, no full stop.
        var message: String
    }

    static let packageLimit = 10_000
    static let keyLimit = 16
    static let urlLimit = 8
    static let urlByteLimit = 2_048
    static let patchLimit = 16

    // MARK: Reading

    static func channel(_ json: JSONValue) throws(Problem) -> Channel {
        let root = try Object(json, "the description")
        let name = try root.text("name")
        guard Channel.isName(name) else {
            throw Problem(message: "'name' must have 1 to 64 lower-case letters, digits, '.', '_' and '-'")
        }
        let keys = try root.list("keys", atMost: keyLimit).map(key)
        guard !keys.isEmpty, Set(keys).count == keys.count else {
            throw Problem(message: "'keys' must have 1 to \(keyLimit) different keys")
        }
        var channel = Channel(name: name, keys: keys)
        channel.version = try root.number("version", 0...Channel.highestVersion)
        channel.threshold = Int(try root.number("threshold", 1...Int64(keys.count)))
        channel.created = try root.time("created")
        channel.expires = try root.time("expires")
        var names: Set<String> = []
        for value in try root.list("packages", atMost: packageLimit) {
            let package = try package(value)
            guard names.insert(package.name).inserted else {
                throw Problem(message: "two packages have the name \(PrintableText.quoted(package.name))")
            }
            channel.packages.append(package)
        }
        return channel
    }

    private static func key(_ json: JSONValue) throws(Problem) -> PublicKey {
        guard let text = json.string, let bytes = Base64.decode(text), let key = PublicKey(bytes: bytes) else {
            throw Problem(message: "'keys' must have the 32 bytes of each key in Base64")
        }
        return key
    }

    private static func package(_ json: JSONValue) throws(Problem) -> Channel.Package {
        let object = try Object(json, "a package")
        let name = try object.text("name")
        guard PackageName.isValid(name) else {
            throw Problem(message: "a package's name must have 1 to 255 bytes and no control characters")
        }
        let what = "the package \(PrintableText.quoted(name))"
        let releases = try object.list("releases", atMost: 2)
        guard !releases.isEmpty else { throw Problem(message: "\(what) has no releases") }
        var package = Channel.Package(name: name, releases: [])
        for value in releases { package.releases.append(try release(value, what)) }
        guard Set(package.releases.map(\.digest)).count == releases.count else {
            throw Problem(message: "\(what) has two releases with the same digest")
        }
        if let settings = object.json["settings"] {
            guard let settings = PackageSettings(settings), settings.userData.isEmpty else {
                throw Problem(message: "the settings of \(what) are malformed")
            }
            package.settings = settings
        }
        return package
    }

    private static func release(_ json: JSONValue, _ what: String) throws(Problem) -> Channel.Release {
        let object = try Object(json, "a release of \(what)")
        var release = Channel.Release(
            digest: try object.digest("digest"),
            size: try object.number("size", 1...(1 << 40)),
            urls: try object.urls()
        )
        release.created = try object.time("created")
        for value in try object.list("patches", atMost: patchLimit, isRequired: false) {
            let object = try Object(value, "a patch of \(what)")
            let patch = Channel.Patch(
                from: try object.digest("from"),
                size: try object.number("size", 1...(1 << 40)),
                urls: try object.urls()
            )
            release.patches.append(patch)
        }
        if let share = object.json["rollout"] {
            guard case .number(let text) = share, let rollout = Rollout(percent: text) else {
                throw Problem(message: "'rollout' of \(what) must be a number from 0 to 100 with up to two decimals")
            }
            release.rollout = rollout
        }
        return release
    }

    /// An object whose members are read with checks.
    private struct Object {
        let json: JSONValue
        let what: String

        init(_ json: JSONValue, _ what: String) throws(Problem) {
            guard case .object(let members) = json else { throw Problem(message: "\(what) must be an object") }
            guard Set(members.map(\.0)).count == members.count else {
                throw Problem(message: "\(what) has two members of the same name")
            }
            self.json = json
            self.what = what
        }

        func text(_ name: String) throws(Problem) -> String {
            guard let text = json[name]?.string else { throw Problem(message: "'\(name)' of \(what) must be text") }
            return text
        }

        func number(_ name: String, _ range: ClosedRange<Int64>) throws(Problem) -> Int64 {
            guard let number = json[name]?.integer, range.contains(number) else {
                throw Problem(
                    message:
                        "'\(name)' of \(what) must be a whole number from \(range.lowerBound) to \(range.upperBound)"
                )
            }
            return number
        }

        func time(_ name: String) throws(Problem) -> Timestamp? {
            guard let value = json[name] else { return nil }
            guard let text = value.string, let time = Timestamp(iso8601: text) else {
                throw Problem(message: "'\(name)' of \(what) must be a time such as '2026-11-24T10:00:00Z'")
            }
            return time
        }

        func digest(_ name: String) throws(Problem) -> String {
            let text = try text(name)
            guard Hexadecimal.bytes(text)?.count == 32, text == text.lowercased() else {
                throw Problem(message: "'\(name)' of \(what) must have 64 lower-case hexadecimal digits")
            }
            return text
        }

        func list(_ name: String, atMost limit: Int, isRequired: Bool = true) throws(Problem) -> [JSONValue] {
            guard let value = json[name] else {
                guard isRequired else { return [] }
                throw Problem(message: "\(what) has no '\(name)'")
            }
            guard let list = value.array, list.count <= limit else {
                throw Problem(message: "'\(name)' of \(what) must be a list with at most \(limit) elements")
            }
            return list
        }

        func urls() throws(Problem) -> [String] {
            let values = try list("urls", atMost: urlLimit)
            var urls: [String] = []
            for value in values {
                guard let text = value.string, text.utf8.count <= urlByteLimit, ChannelJSON.isReference(text) else {
                    throw Problem(
                        message: "'urls' of \(what) must have https or http URLs, or references relative to the channel"
                    )
                }
                urls.append(text)
            }
            guard !urls.isEmpty else { throw Problem(message: "\(what) has no 'urls'") }
            return urls
        }
    }

    /// Returns true if a text, resolved against a channel's URL, is an https or http URL without a password.
    static func isReference(_ text: String) -> Bool {
        guard !text.isEmpty, let base = try? WebURL("https://channel.invalid/"),
            let url = try? WebURL(text, base: base)
        else { return false }
        return url.isHTTP && !url.hasCredentials
    }

    // MARK: Writing

    static func value(of channel: Channel) -> JSONValue {
        var members: [(String, JSONValue)] = [
            ("name", .string(channel.name)), ("version", .number(String(channel.version))),
        ]
        if let created = channel.created { members.append(("created", .string(created.iso8601))) }
        if let expires = channel.expires { members.append(("expires", .string(expires.iso8601))) }
        members.append(("threshold", .number(String(channel.threshold))))
        members.append(("keys", .array(channel.keys.map { .string(Base64.encode($0.bytes)) })))
        members.append(("packages", .array(channel.packages.map(value))))
        return .object(members)
    }

    private static func value(of package: Channel.Package) -> JSONValue {
        var members: [(String, JSONValue)] = [("name", .string(package.name))]
        if package.settings != PackageSettings() { members.append(("settings", .object(package.settings.json))) }
        members.append(("releases", .array(package.releases.map(value))))
        return .object(members)
    }

    private static func value(of release: Channel.Release) -> JSONValue {
        var members: [(String, JSONValue)] = [
            ("digest", .string(release.digest)), ("size", .number(String(release.size))),
        ]
        if let created = release.created { members.append(("created", .string(created.iso8601))) }
        members.append(("urls", .array(release.urls.map { .string($0) })))
        if !release.patches.isEmpty {
            let patches = release.patches.map { patch in
                JSONValue.object([
                    ("from", .string(patch.from)), ("size", .number(String(patch.size))),
                    ("urls", .array(patch.urls.map { .string($0) })),
                ])
            }
            members.append(("patches", .array(patches)))
        }
        members.append(("rollout", .number(release.rollout.description)))
        return .object(members)
    }

    /// Writes a value over several lines, so that people can read and compare versions of a file.
    static func write(_ value: JSONValue, to text: inout String, indentation: Int) {
        let inner = String(repeating: " ", count: indentation + 2)
        func list<Element>(_ elements: [Element], _ open: String, _ close: String, _ write: (Element) -> Void) {
            text += open
            for (index, element) in elements.enumerated() {
                text += (index == 0 ? "\n" : ",\n") + inner
                write(element)
            }
            text += "\n" + String(repeating: " ", count: indentation) + close
        }
        switch value {
        case .object(let members) where !members.isEmpty:
            list(members, "{", "}") { name, value in
                text += JSONValue.string(name).serialized + ": "
                write(value, to: &text, indentation: indentation + 2)
            }
        case .array(let elements) where !elements.isEmpty:
            list(elements, "[", "]") { write($0, to: &text, indentation: indentation + 2) }
        default: text += value.serialized
        }
    }
}
