public import AFCHTTP
public import AFCPackageFormat
public import AFCText

/// The trust that a device starts with, before it has accepted a channel.
public struct ChannelTrust: Sendable, Equatable {
    /// The name that the channel must have.
    public var name: String
    /// The keys that the device is configured to trust.
    public var keys: [PublicKey]
    /// The number of them that must sign.
    public var threshold: Int

    /// Creates a trust.
    ///
    /// - Parameters:
    ///   - name: The name that the channel must have.
    ///   - keys: The keys that the device is configured to trust.
    ///   - threshold: The number of them that must sign.
    public init(name: String, keys: [PublicKey], threshold: Int = 1) {
        self.name = name
        self.keys = keys
        self.threshold = threshold
    }
}

/// The memory that a device has of a channel: the last file that it accepted, and the keys that counted until then.
///
/// The checks are those of docs/reference/channels.md, after The Update Framework, 5.3 to 5.6. Pure.
public struct ChannelMemory: Sendable, Equatable {
    /// The largest step from one version to the next that a device sees.
    public static let largestStep: Int64 = 10_000

    /// The last accepted file.
    public private(set) var file: ChannelFile
    /// The keys that count only as long as the last accepted file names them: those that the device trusted at first, and
    /// those of each file that it accepted.
    ///
    /// A key that the user adds to the trusted ones isn't among them until a file names it.
    public private(set) var bound: Set<PublicKey>
    /// The latest file that was rightly signed, if it was later than the accepted one and had expired.
    public private(set) var seen: Seen?
    /// What the server said of the file, in the words of the download; nil if it is a local file.
    public var source: String?

    /// What is known of a file that wasn't accepted, but whose signatures counted.
    public struct Seen: Sendable, Equatable {
        /// The version.
        public var version: Int64
        /// When it was signed.
        public var created: Timestamp
        /// The SHA-256 of what is signed, in hexadecimal digits.
        var digest: String
    }

    /// The last accepted channel.
    public var channel: Channel { file.channel }

    /// Checks a file against what is remembered, and remembers it.
    ///
    /// - Parameters:
    ///   - file: The new file.
    ///   - subject: Its path or URL, for errors.
    ///   - known: What the device remembers; nil the first time.
    ///   - trust: The trust that the device is configured with.
    ///   - now: The current time.
    /// - Throws: ``ChannelError`` if the file is refused; what is remembered stays valid.
    public init(
        accepting file: ChannelFile,
        subject: String,
        after known: ChannelMemory?,
        trust: ChannelTrust,
        now: Timestamp
    ) throws(ChannelError) {
        func refused(_ code: ChannelErrorCode, _ message: String) -> ChannelError {
            ChannelError(code, subject: subject, message: message)
        }
        let channel = file.channel
        let signers = Set(try file.signers(subject: subject))
        // First the signatures: nothing that an unsigned file says is believed.
        try Self.requireSigners(signers, channel, known, trust, subject)
        guard channel.name == trust.name else {
            throw refused(
                .otherName,
                "this is the channel \(PrintableText.quoted(channel.name)), not \(PrintableText.quoted(trust.name)); "
                    + "correct the name or the URL"
            )
        }
        guard let created = channel.created, channel.expires != nil, channel.version > 0 else {
            throw refused(
                .malformed,
                "the channel has no version, 'created' or 'expires'; its publisher must sign it again"
            )
        }
        if let known {
            let latest = known.latest
            let last = latest.version
            guard channel.version >= last else {
                throw refused(
                    .rollback,
                    "this is version \(channel.version), but version \(last) is known already; the server has an old file, so its "
                        + "publisher must upload the newest one"
                )
            }
            guard channel.version > last || file.digest == latest.digest else {
                throw refused(
                    .rollback,
                    "version \(last) is known with other contents; its publisher must sign a new version"
                )
            }
            guard channel.version - last <= Self.largestStep else {
                throw refused(
                    .fastForward,
                    "version \(channel.version) is more than \(Self.largestStep) above the known version \(last)"
                )
            }
        }
        self.file = file
        bound = (known?.bound ?? Set(trust.keys)).union(channel.keys)
        try requireCurrent(subject: subject, now: now)
        // The clock of a device that is behind doesn't show that a file is old; the known file does.
        if let latest = known?.latest, created < latest.created {
            throw refused(
                .rollback,
                "version \(channel.version) was signed at \(created.iso8601), before version \(latest.version) at "
                    + "\(latest.created.iso8601), which is known; its publisher must sign it again"
            )
        }
    }

    /// The latest file that was rightly signed, whether it was accepted or not.
    private var latest: Seen {
        seen
            ?? Seen(
                version: channel.version,
                created: channel.created ?? Timestamp(secondsSinceEpoch: 0),
                digest: file.digest
            )
    }

    /// Returns what is remembered of a file that is refused only because it has expired; nil if it is refused for more.
    ///
    /// Earlier versions aren't accepted after it, as if it had been accepted: whoever withholds the next one could
    /// otherwise go back to the one before.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - trust: The trust that the device is configured with.
    /// - Returns: What is remembered then; the accepted file and the keys stay.
    public func noting(expired file: ChannelFile, trust: ChannelTrust) -> ChannelMemory? {
        // Before it expires, it is judged without regard to the clock.
        guard let created = file.channel.created, let expires = file.channel.expires,
            (try? ChannelMemory(
                accepting: file,
                subject: "",
                after: self,
                trust: trust,
                now: expires + -1
            )) != nil
        else { return nil }
        var memory = self
        memory.seen = Seen(version: file.channel.version, created: created, digest: file.digest)
        return memory == self || memory.seen == latest ? nil : memory
    }

    /// Checks that the last accepted file hasn't expired.
    ///
    /// - Parameters:
    ///   - subject: Its path or URL, for errors.
    ///   - now: The current time.
    /// - Throws: ``ChannelError`` with the code `expired`.
    public func requireCurrent(subject: String, now: Timestamp) throws(ChannelError) {
        guard let expires = channel.expires, now >= expires else { return }
        throw ChannelError(
            .expired,
            subject: subject,
            message:
                "the channel expired at \(expires.iso8601); its publisher must sign it again, or somebody withholds newer ones, or the clock is wrong"
        )
    }

    private static func requireSigners(
        _ signers: Set<PublicKey>,
        _ channel: Channel,
        _ known: ChannelMemory?,
        _ trust: ChannelTrust,
        _ subject: String
    ) throws(ChannelError) {
        func refused(_ message: String) -> ChannelError { ChannelError(.untrusted, subject: subject, message: message) }
        guard !signers.isEmpty else { throw refused("the channel is not signed; get a signed one from its publisher") }
        func count(_ keys: [PublicKey]) -> Int { keys.count { signers.contains($0) } }
        func required(_ count: Int) -> String { count == 1 ? "a key" : "\(count) of the keys" }
        if let known {
            let added = trust.keys.filter { !known.bound.contains($0) }
            guard count(known.channel.keys) >= known.channel.threshold || count(added) >= trust.threshold else {
                throw refused(
                    "the channel isn't signed by \(required(known.channel.threshold)) that the version before names; "
                        + "if its publisher has new keys, add them to the trusted keys"
                )
            }
        } else {
            guard count(trust.keys) >= trust.threshold else {
                let ids = signers.map(\.id).sorted().prefix(4).joined(separator: ", ")
                throw refused(
                    "the channel isn't signed by \(required(trust.threshold)) that this device trusts; it is signed by \(ids)"
                )
            }
        }
        guard count(channel.keys) >= channel.threshold else {
            throw refused("the channel isn't signed by \(required(channel.threshold)) that it names itself")
        }
    }

    // MARK: Keeping

    /// Reads what was remembered; nil if the text isn't the work of ``text``.
    ///
    /// - Parameter text: The text.
    public init?(text: [UInt8]) {
        guard let json = try? JSONValue(parsing: text), let bytes = json["file"]?.string,
            let file = try? ChannelFile(Array(bytes.utf8), subject: ""), let keys = json["keys"]?.array
        else { return nil }
        self.file = file
        bound = []
        for key in keys {
            guard let text = key.string, let bytes = Base64.decode(text), let key = PublicKey(bytes: bytes) else {
                return nil
            }
            bound.insert(key)
        }
        source = json["source"]?.string
        if let seen = json["seen"] {
            guard let version = seen["version"]?.integer, let created = seen["created"]?.string,
                let created = Timestamp(iso8601: created), let digest = seen["digest"]?.string
            else { return nil }
            self.seen = Seen(version: version, created: created, digest: digest)
        }
    }

    /// The text that remembers this: one JSON object.
    public var text: [UInt8] {
        var members: [(String, JSONValue)] = [
            ("file", .string(String(decoding: file.bytes, as: UTF8.self))),
            ("keys", .array(bound.map { Base64.encode($0.bytes) }.sorted().map { .string($0) })),
        ]
        if let source { members.append(("source", .string(source))) }
        if let seen {
            let value: [(String, JSONValue)] = [
                ("version", .number(String(seen.version))), ("created", .string(seen.created.iso8601)),
                ("digest", .string(seen.digest)),
            ]
            members.append(("seen", .object(value)))
        }
        return Array((JSONValue.object(members).serialized + "\n").utf8)
    }
}
