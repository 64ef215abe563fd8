import AFCChannel
import AFCHTTP
import AFCPackageFormat
import AFCText
import Testing

/// What a device accepts of a channel, and which releases are for it.
struct ChannelTests {
    private static let now = Timestamp(secondsSinceEpoch: 1_800_000_000)

    private static func key(_ number: UInt8) throws -> SigningKey {
        try #require(SigningKey(seed: Array(repeating: number, count: 32)))
    }

    private static func channel(_ version: Int64, keys: [SigningKey], threshold: Int = 1) -> Channel {
        var channel = Channel(name: "docs", keys: keys.map(\.publicKey), threshold: threshold)
        channel.version = version
        channel.created = now
        channel.expires = now + 1_000
        let digest = String(repeating: "0a", count: 32)
        channel.packages = [
            Channel.Package(name: "docs", releases: [Channel.Release(digest: digest, size: 10, urls: ["docs.zip"])])
        ]
        return channel
    }

    private static func signed(_ channel: Channel, _ keys: [SigningKey]) -> ChannelFile {
        var file = ChannelFile(channel)
        for key in keys {
            let isSigned = file.sign(by: key, created: now)
            #expect(isSigned)
        }
        return file
    }

    private static func accept(
        _ file: ChannelFile,
        after known: ChannelMemory? = nil,
        trust: [SigningKey],
        threshold: Int = 1,
        name: String = "docs",
        at time: Timestamp = now
    ) throws(ChannelError) -> ChannelMemory {
        let trust = ChannelTrust(name: name, keys: trust.map(\.publicKey), threshold: threshold)
        return try ChannelMemory(accepting: file, subject: "c", after: known, trust: trust, now: time)
    }

    /// Returns the reason why what ``accept(_:after:trust:threshold:name:at:)`` gets is refused; nil if it is accepted.
    private static func refusal(_ accept: @autoclosure () throws -> ChannelMemory) -> ChannelErrorCode? {
        do {
            _ = try accept()
            return nil
        } catch {
            return (error as? ChannelError)?.code
        }
    }

    // MARK: The file

    @Test func `a file is read as it was written, and so is what is remembered of it`() throws {
        let (one, two) = (try Self.key(1), try Self.key(2))
        var channel = Self.channel(7, keys: [one, two], threshold: 2)
        channel.packages[0].settings.priority = 3
        channel.packages[0].settings.isPinned = true
        var second = Channel.Release(
            digest: String(repeating: "0b", count: 32),
            size: 1 << 40,
            urls: ["a%20b.zip", "https://m.example/a"]
        )
        second.rollout = try #require(Rollout(percent: "12.5"))
        second.created = Self.now
        second.patches = [Channel.Patch(from: String(repeating: "0a", count: 32), size: 5, urls: ["p.zip"])]
        channel.packages[0].releases.insert(second, at: 0)
        let file = Self.signed(channel, [one, two])
        let read = try ChannelFile(file.bytes, subject: "c")
        #expect(read == file)
        #expect(read.channel == channel)
        var memory = try Self.accept(read, trust: [one])
        memory.source = "{}"
        #expect(ChannelMemory(text: memory.text) == memory)
        #expect(ChannelMemory(text: Array(memory.text.dropLast(10))) == nil)
    }

    @Test(arguments: [
        ("", "the first line must be 'afcache-channel-1'"),
        ("afcache-channel-2\n{}\n", "the first line must be 'afcache-channel-1'"),
        ("afcache-channel-1\n{", "the description is not JSON, from byte 19"),
        ("afcache-channel-1\n[]\n", "the description must be an object"),
        ("afcache-channel-1\n{\"name\":\"a\",\"name\":\"b\"}\n", "the description has two members of the same name"),
        ("afcache-channel-1\n{\"name\":\"../a\"}\n", "'name' must have 1 to 64 lower-case letters"),
        ("afcache-channel-1\n{\"name\":\"a\",\"keys\":[]}\n", "'keys' must have 1 to 16 different keys"),
        ("afcache-channel-1\n{\"name\":\"a\",\"keys\":[\"AAAA\"]}\n", "'keys' must have the 32 bytes of each key"),
    ])
    func `a malformed file is refused with the reason`(text: String, reason: String) {
        #expect(Self.reason(text).hasPrefix(reason), "\(Self.reason(text))")
    }

    private static func reason(_ text: String) -> String {
        do throws(ChannelError) {
            return "taken: \(try ChannelFile(Array(text.utf8), subject: "c"))"
        } catch {
            #expect(error.code == .malformed)
            return error.message
        }
    }

    @Test(arguments: [
        ("\"version\": 7", "\"version\": -1", "'version' of the description must be a whole number from 0"),
        (
            "\"version\": 7", "\"version\": 9007199254740993",
            "'version' of the description must be a whole number from 0"
        ),
        ("\"threshold\": 1", "\"threshold\": 2", "'threshold' of the description must be a whole number from 1 to 1"),
        ("T08:00:00Z\"", "\"", "'created' of the description must be a time"),
        ("0a0a0a0a0a", "0A0A0A0A0A", "'digest' of a release of the package 'docs' must have 64 lower-case"),
        ("\"size\": 10", "\"size\": 0", "'size' of a release of the package 'docs' must be a whole number from 1"),
        ("\"docs.zip\"", "\"ftp://a.example/b\"", "'urls' of a release of the package 'docs' must have https or http"),
        ("\"docs.zip\"", "\"https://u:p@a.example/b\"", "'urls' of a release of the package 'docs' must have https"),
        ("\"docs.zip\"", "", "a release of the package 'docs' has no 'urls'"),
        ("\"rollout\": 100", "\"rollout\": 101", "'rollout' of the package 'docs' must be a number from 0 to 100"),
        ("\"rollout\": 100", "\"rollout\": 1e2", "'rollout' of the package 'docs' must be a number from 0 to 100"),
        ("\"name\": \"docs\",\n      \"rel", "\"name\": \"a\\nb\",\n      \"rel", "a package's name must have"),
    ])
    func `a description with one wrong value is refused`(right: String, wrong: String, reason: String) throws {
        var channel = Self.channel(7, keys: [try Self.key(1)])
        channel.created = Timestamp(iso8601: "2026-11-24T08:00:00Z")
        let text = String(decoding: ChannelFile(channel).bytes, as: UTF8.self)
        #expect(text.contains(right), "\(text)")
        let found = Self.reason(text.replacing(right, with: wrong))
        #expect(found.hasPrefix(reason), "\(found)")
    }

    @Test func `a channel has limits`() throws {
        let key = try Self.key(1)
        var channel = Self.channel(1, keys: [key])
        let package = channel.packages[0]
        channel.packages = (0...10_000).map { number in
            var package = package
            package.name = "\(number)"
            return package
        }
        #expect(Self.reason(String(decoding: ChannelFile(channel).bytes, as: UTF8.self)).contains("at most 10000"))
        let large = "afcache-channel-1\n" + String(repeating: " ", count: ChannelFile.byteLimit)
        #expect(Self.reason(large) == "a channel has at most 8 MiB")
    }

    @Test func `a channel has room for 2,000 versions with patches and mirrors`() throws {
        var channel = Self.channel(1, keys: [try Self.key(1)])
        let digits = String(repeating: "0123456789abcdef", count: 4)
        channel.packages = (0..<2_000).map { number in
            let urls = ["docs-\(number).zip", "https://mirror.example/packages/docs-\(number).zip"]
            var release = Channel.Release(digest: digits, size: 70_000_000, urls: urls)
            release.patches = [Channel.Patch(from: digits, size: 400_000, urls: ["docs-\(number - 1)-\(number).zip"])]
            return Channel.Package(name: "docs-\(number)", releases: [release])
        }
        let bytes = ChannelFile(channel).bytes
        #expect(bytes.count > 1 << 20)
        #expect(try ChannelFile(bytes, subject: "c").channel == channel)
    }

    // MARK: What is accepted

    @Test func `a device refuses what The Update Framework calls attacks`() throws {
        let (team, thief) = (try Self.key(1), try Self.key(9))
        let known = try Self.accept(Self.signed(Self.channel(7, keys: [team]), [team]), trust: [team])
        func refusal(_ channel: Channel, _ keys: [SigningKey], at time: Timestamp = Self.now) -> ChannelErrorCode? {
            Self.refusal(try Self.accept(Self.signed(channel, keys), after: known, trust: [team], at: time))
        }
        // Not signed, and signed by somebody else, who may name any keys.
        #expect(refusal(Self.channel(8, keys: [team]), []) == .untrusted)
        #expect(refusal(Self.channel(8, keys: [thief]), [thief]) == .untrusted)
        #expect(refusal(Self.channel(8, keys: [team]), [thief]) == .untrusted)
        #expect(
            Self.refusal(try Self.accept(Self.signed(Self.channel(1, keys: [thief]), [thief]), trust: [team]))
                == .untrusted
        )
        // Rollback, and the same version with other contents.
        #expect(refusal(Self.channel(6, keys: [team]), [team]) == .rollback)
        var other = Self.channel(7, keys: [team])
        other.packages[0].releases[0].size = 11
        #expect(refusal(other, [team]) == .rollback)
        // Fast-forward.
        #expect(refusal(Self.channel(7 + 10_000, keys: [team]), [team]) == nil)
        #expect(refusal(Self.channel(7 + 10_001, keys: [team]), [team]) == .fastForward)
        // Freeze.
        #expect(refusal(Self.channel(7, keys: [team]), [team], at: Self.now + 999) == nil)
        #expect(refusal(Self.channel(7, keys: [team]), [team], at: Self.now + 1_000) == .expired)
        #expect(throws: ChannelError.self) { try known.requireCurrent(subject: "c", now: Self.now + 1_000) }
        // Mix-and-match.
        var news = Self.channel(8, keys: [team])
        news.name = "news"
        #expect(refusal(news, [team]) == .otherName)
        // A channel that was never signed with a version.
        var draft = Self.channel(0, keys: [team])
        #expect(Self.refusal(try Self.accept(Self.signed(draft, [team]), trust: [team])) == .malformed)
        draft = Self.channel(8, keys: [team])
        draft.expires = nil
        #expect(refusal(draft, [team]) == .malformed)
    }

    @Test func `a version that has expired still says that there is one`() throws {
        let team = try Self.key(1)
        func file(_ version: Int64, created: Int64 = 0, expires: Int64 = 1_000) -> ChannelFile {
            var channel = Self.channel(version, keys: [team])
            (channel.created, channel.expires) = (Self.now + created, Self.now + expires)
            return Self.signed(channel, [team])
        }
        let trust = ChannelTrust(name: "docs", keys: [team.publicKey])
        let known = try Self.accept(file(5), trust: [team])
        #expect(Self.refusal(try Self.accept(file(9, expires: -1), after: known, trust: [team])) == .expired)
        let noted = try #require(known.noting(expired: file(9, expires: -1), trust: trust))
        #expect(noted.channel.version == 5)
        #expect(ChannelMemory(text: noted.text) == noted)
        #expect(Self.refusal(try Self.accept(file(8), after: noted, trust: [team])) == .rollback)
        #expect(Self.refusal(try Self.accept(file(9), after: noted, trust: [team])) == .rollback)
        let next = try Self.accept(file(10), after: noted, trust: [team])
        #expect(next.seen == nil && next.channel.version == 10)
        // What is refused for more than its age isn't noted.
        let thief = try Self.key(9)
        let stolen = Self.signed(Self.channel(9, keys: [thief]), [thief])
        #expect(known.noting(expired: stolen, trust: trust) == nil)
        #expect(known.noting(expired: file(4, expires: -1), trust: trust) == nil)
        #expect(known.noting(expired: file(5), trust: trust) == nil)
    }

    @Test func `a later version isn't signed before the known one`() throws {
        let team = try Self.key(1)
        let known = try Self.accept(Self.signed(Self.channel(5, keys: [team]), [team]), trust: [team])
        var older = Self.channel(6, keys: [team])
        older.created = Self.now + -1
        // The clock of a device that is a year behind makes no difference.
        for time in [Self.now, Self.now + -86_400 * 365] {
            let code = Self.refusal(
                try Self.accept(Self.signed(older, [team]), after: known, trust: [team], at: time)
            )
            #expect(code == .rollback)
        }
    }

    @Test func `each changed byte of what is signed is noticed`() throws {
        let team = try Self.key(1)
        let bytes = Self.signed(Self.channel(7, keys: [team]), [team]).bytes
        var codes: [ChannelErrorCode: Int] = [:]
        for place in bytes.indices {
            var changed = bytes
            changed[place] ^= 1
            do throws(ChannelError) {
                _ = try Self.accept(try ChannelFile(changed, subject: "c"), trust: [team])
                // The last letter of Base64 may have bits that mean nothing; they aren't accepted either.
                Issue.record("byte \(place) was changed unnoticed")
            } catch {
                codes[error.code, default: 0] += 1
            }
        }
        #expect(Set(codes.keys).isSubset(of: [.malformed, .wrongSignature, .untrusted]), "\(codes)")
        #expect(codes[.wrongSignature, default: 0] > 50, "\(codes)")
    }

    @Test func `keys are replaced by a file that the old and the new ones sign`() throws {
        let (old, new, later) = (try Self.key(1), try Self.key(2), try Self.key(3))
        let first = try Self.accept(Self.signed(Self.channel(1, keys: [old]), [old]), trust: [old])
        let rotated = Self.channel(2, keys: [new])
        #expect(Self.refusal(try Self.accept(Self.signed(rotated, [new]), after: first, trust: [old])) == .untrusted)
        #expect(Self.refusal(try Self.accept(Self.signed(rotated, [old]), after: first, trust: [old])) == .untrusted)
        let second = try Self.accept(Self.signed(rotated, [old, new]), after: first, trust: [old])
        // The old key is worth nothing from now on, although the device is configured to trust it.
        #expect(
            Self.refusal(try Self.accept(Self.signed(Self.channel(3, keys: [old]), [old]), after: second, trust: [old]))
                == .untrusted
        )
        #expect(
            Self.refusal(try Self.accept(Self.signed(Self.channel(3, keys: [new]), [new]), after: second, trust: [old]))
                == nil
        )
        // A device that missed the change needs the new key, which may have been added to its trusted keys before.
        let ready = try Self.accept(
            Self.signed(Self.channel(1, keys: [old]), [old]),
            after: first,
            trust: [old, later]
        )
        #expect(
            Self.refusal(
                try Self.accept(
                    Self.signed(Self.channel(9, keys: [later]), [later]),
                    after: ready,
                    trust: [old, later]
                )
            ) == nil
        )
        let missed = Self.signed(Self.channel(9, keys: [later]), [later])
        #expect(Self.refusal(try Self.accept(missed, after: first, trust: [old])) == .untrusted)
        let third = try Self.accept(missed, after: first, trust: [old, later])
        #expect(
            Self.refusal(
                try Self.accept(Self.signed(Self.channel(10, keys: [old]), [old]), after: third, trust: [old, later])
            )
                == .untrusted
        )
    }

    @Test func `with a threshold, one stolen key isn't enough`() throws {
        let keys = try (1...3).map { try Self.key($0) }
        let channel = Self.channel(1, keys: keys, threshold: 2)
        #expect(Self.refusal(try Self.accept(Self.signed(channel, [keys[0]]), trust: keys, threshold: 2)) == .untrusted)
        let known = try Self.accept(Self.signed(channel, [keys[0], keys[2]]), trust: keys, threshold: 2)
        // The thief lowers the threshold.
        let lowered = Self.channel(2, keys: keys, threshold: 1)
        #expect(
            Self.refusal(try Self.accept(Self.signed(lowered, [keys[1]]), after: known, trust: keys, threshold: 2))
                == .untrusted
        )
        #expect(Self.refusal(try Self.accept(Self.signed(lowered, [keys[1]]), trust: keys, threshold: 2)) == .untrusted)
        #expect(
            Self.refusal(
                try Self.accept(Self.signed(lowered, [keys[1], keys[2]]), after: known, trust: keys, threshold: 2)
            ) == nil
        )
    }

    // MARK: Rollout

    @Test(arguments: [
        ("0", "0"), ("100", "100"), ("25", "25"), ("0.5", "0.5"), ("0.50", "0.5"), ("12.05", "12.05"), ("007", "7"),
    ])
    func `a percentage is read`(text: String, written: String) {
        #expect(Rollout(percent: text)?.description == written)
    }

    @Test(arguments: ["", "-1", "101", "100.01", "1.234", ".5", "5.", "1e1", "１", "1 ", "+1"])
    func `anything else is refused`(text: String) { #expect(Rollout(percent: text) == nil) }

    @Test func `a quarter of 10,000 devices is a quarter, and grows without leaving one out`() throws {
        let devices = (0..<10_000).map { "device-\($0)" }
        let salts = ["a", String(repeating: "0a", count: 32), String(repeating: "ff", count: 32)]
        for salt in salts {
            var before: Set<String> = []
            for percent in ["0", "0.5", "1", "10", "25", "50", "99.99", "100"] {
                let rollout = try #require(Rollout(percent: percent))
                let now = Set(devices.filter { rollout.includes($0, of: salt) })
                #expect(before.isSubset(of: now))
                if percent == "25" { #expect((2_370...2_630).contains(now.count), "\(now.count)") }
                before = now
            }
            #expect(before.count == 10_000)
        }
        // Each release begins with other devices: both quarters have a sixteenth in common.
        let quarter = try #require(Rollout(percent: "25"))
        let both = devices.count { quarter.includes($0, of: salts[0]) && quarter.includes($0, of: salts[1]) }
        #expect((500...750).contains(both), "\(both)")
        // By sha256sum and Python, this device has the place 2,056.
        #expect(Rollout(percent: "20.56")?.includes("b", of: "a") == false)
        #expect(Rollout(percent: "20.57")?.includes("b", of: "a") == true)
    }

    @Test func `a device takes the first release that is for it`() throws {
        var new = Channel.Release(digest: "n", size: 1, urls: ["n"])
        let old = Channel.Release(digest: "o", size: 1, urls: ["o"])
        let devices = (0..<100).map(String.init)
        for (percent, some) in [("0", 0...0), ("50", 30...70), ("100", 100...100)] {
            new.rollout = try #require(Rollout(percent: percent))
            let both = Channel.Package(name: "p", releases: [new, old])
            let taken = devices.count { both.release(for: $0)?.digest == "n" }
            #expect(some.contains(taken), "\(percent) %: \(taken)")
            #expect(devices.allSatisfy { both.release(for: $0) != nil })
            let alone = Channel.Package(name: "p", releases: [new])
            #expect(devices.count { alone.release(for: $0) != nil } == taken)
        }
    }
}
