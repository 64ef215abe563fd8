internal import AFCText
internal import Crypto

/// The name of a file that a job has written about a shard; anything else in a store is ignored.
struct StoredName {
    let round: Int
    let shard: Int
    /// The attempt, for what is in its folder.
    let attempt: Int?
    private let file: Substring

    init?(_ name: String) {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3 || parts.count == 4, let round = Self.number(parts[0], "round-"),
            let shard = Self.number(parts[1], "shard-"), let file = parts.last, !file.isEmpty, file.first != "."
        else { return nil }
        attempt = parts.count == 4 ? Self.number(parts[2], "attempt-") : nil
        guard parts.count == 3 || attempt != nil else { return nil }
        (self.round, self.shard, self.file) = (round, shard, file)
    }

    /// Returns the number after the beginning of a name; nil if the name is another one.
    static func number(_ text: some StringProtocol, _ prefix: String) -> Int? {
        guard text.hasPrefix(prefix), let number = Int(text.dropFirst(prefix.count)), number > 0, number < 1 << 31,
            text == prefix + String(number)
        else { return nil }
        return number
    }

    var place: String { SharedCrawl.place(round, shard) }
    /// True for what ends a shard's work in a round.
    var isRecord: Bool { attempt == nil && (file == "done.json" || file == "aside.txt") }
    /// True for the notes of attempts that began or failed.
    var isNote: Bool {
        attempt == nil && (Self.number(file, "try-") != nil || Self.number(file, "error-") != nil)
    }
    /// The attempt that this file claims.
    var begun: Int? { file == "begun" ? attempt : nil }

    /// Returns the number of a file in an attempt's folder, by the beginning of its name.
    func part(_ prefix: String) -> Int? { attempt == nil ? nil : Self.number(file, prefix) }
}

/// A part of a file in a store.
struct StoredPart: Equatable {
    var name: String
    /// How many bytes of it count; more may follow that a killed job had written.
    var used: Int64
    let size: Int64
    /// The SHA-256 in hexadecimal digits.
    let digest: String

    init(name: String, _ bytes: [UInt8]) {
        self.name = name
        (size, used) = (Int64(bytes.count), Int64(bytes.count))
        digest = Hexadecimal.text(SHA256.hash(data: bytes))
    }

    func isOf(_ bytes: [UInt8]) -> Bool {
        bytes.count == size && Hexadecimal.text(SHA256.hash(data: bytes)) == digest
    }

    var json: JSONValue {
        .object([
            ("name", .string(name)), ("used", .number(String(used))), ("size", .number(String(size))),
            ("sha256", .string(digest)),
        ])
    }

    init?(_ json: JSONValue) {
        guard let name = json["name"]?.string, StoredName(name)?.attempt != nil, let size = json["size"]?.integer,
            let used = json["used"]?.integer, (0...size).contains(used), let digest = json["sha256"]?.string
        else { return nil }
        (self.name, self.used, self.size, self.digest) = (name, used, size, digest)
    }
}

/// The parts of an attempt's state and bodies at one time.
struct StoredCheckpoint {
    let number: Int
    let state: [StoredPart]
    let bodies: [StoredPart]

    init(number: Int, state: [StoredPart], bodies: [StoredPart]) {
        (self.number, self.state, self.bodies) = (number, state, bodies)
    }

    var bodyBytes: Int64 { bodies.reduce(0) { $0 + $1.used } }

    func bytes(plan: String) -> [UInt8] {
        let value = JSONValue.object([
            ("plan", .string(plan)), ("number", .number(String(number))), ("state", .array(state.map(\.json))),
            ("bodies", .array(bodies.map(\.json))),
        ])
        return Array(value.serialized.utf8) + [0x0A]
    }

    init?(_ bytes: [UInt8], plan: String) {
        guard let value = try? JSONValue(parsing: bytes), value["plan"]?.string == plan,
            let number = value["number"]?.integer, (1..<1 << 31).contains(number), let state = value["state"]?.array,
            let bodies = value["bodies"]?.array
        else { return nil }
        self.init(
            number: Int(number),
            state: state.compactMap { StoredPart($0) },
            bodies: bodies.compactMap { StoredPart($0) }
        )
        guard self.state.count == state.count, self.bodies.count == bodies.count, !state.isEmpty else { return nil }
    }
}
