import AFCCaching
import AFCChannel
import AFCHTTP
import AFCPackageFormat
import AFCText
import ArgumentParser

/// How long a channel is valid that a command signs.
struct ChannelValidity: ParsableArguments {
    @Option(
        help: ArgumentHelp("How long the channel is valid, for example 90d or 12h. (default: 30d)", valueName: "time"),
        transform: TimeSpan.validityArgument
    )
    var validFor: Duration?

    /// The default.
    static let days: Int64 = 30

    var duration: Duration { validFor ?? .seconds(Self.days * 86_400) }

    func validate() throws {
        guard duration.components.seconds >= 1 else { throw ValidationError("'--valid-for' must be at least a second") }
    }
}

/// The options of a command that changes a channel, and may sign it in the same step.
struct ChannelChangeOptions: ParsableArguments {
    @OptionGroup var signing: SigningOption

    @OptionGroup var validity: ChannelValidity

    func validate() throws {
        guard validity.validFor == nil || !signing.sign.isEmpty else {
            throw ValidationError("'--valid-for' needs '--sign', since signing sets the dates")
        }
    }

    /// Returns how to sign; nil if the channel isn't signed.
    func signing(_ file: String) throws -> ChannelSigning? {
        guard !signing.sign.isEmpty else { return nil }
        return ChannelSigning(
            file: file,
            keys: try signing.signers(),
            now: try Clock.pinned() ?? Clock.now,
            validity: validity.duration
        )
    }
}

/// The signing of a channel's file.
struct ChannelSigning {
    let file: String
    let keys: [SigningKey]
    let now: Timestamp
    let validity: Duration

    /// Returns the channel's next version, with new dates.
    ///
    /// - Throws: `ValidationError` if there is no higher version.
    func renewed(_ old: Channel) throws -> Channel {
        var channel = old
        guard channel.version < Channel.highestVersion else {
            throw ValidationError("the channel has the highest version; make a new one")
        }
        channel.version += 1
        // Devices refuse a version that was signed before the one that they know.
        let signed = try Clock.pinned() ?? max(now, old.created ?? now)
        if signed > now {
            Console.complain(
                "warning: the version before was signed at \(signed.iso8601), after this machine's clock; so is this one"
            )
        }
        channel.created = signed
        channel.expires = signed + validity.components.seconds
        return channel
    }

    /// Adds the signatures.
    ///
    /// - Parameters:
    ///   - new: The file to sign.
    ///   - old: The channel before.
    ///   - isFurther: Whether others have signed this version, so that the keys may be those of a version before.
    /// - Returns: The signed file, and the keys that signed it.
    /// - Throws: ``ChannelError``, and `ValidationError` if no key is one of the channel's.
    func signed(_ new: ChannelFile, after old: Channel, isFurther: Bool = false) throws -> (ChannelFile, [PublicKey]) {
        var new = new
        for key in keys {
            guard new.sign(by: key, created: now) else {
                throw ChannelError(
                    .unsuitable,
                    subject: file,
                    message: "the system has no randomness for signing"
                )
            }
        }
        let signers = try new.signers(subject: file)
        // Whether a further signature is by a key of the version before isn't known here.
        if !isFurther { try requireKey(of: old, or: new.channel) }
        return (new, signers)
    }

    /// Checks that a key is one of the channel's.
    ///
    /// - Parameters:
    ///   - old: The channel before.
    ///   - new: The channel after, if it may have other keys.
    /// - Throws: `ValidationError`.
    func requireKey(of old: Channel, or new: Channel? = nil) throws {
        let known = old.keys + (new?.keys ?? [])
        guard !keys.contains(where: { known.contains($0.publicKey) }) else { return }
        let ids = old.keys.prefix(3).map(\.id).joined(separator: ", ")
        throw ValidationError(
            "none of the keys of '--sign' is a key of this channel, whose keys are \(ids); sign with one of these, and to "
                + "add another key, also give '--add-key' with its public key to 'channel sign'"
        )
    }

    /// Says what was signed, and warns if devices want more signatures.
    static func tell(_ file: String, _ channel: Channel, after old: Channel, by signers: [PublicKey]) {
        let shown = PrintableText.quoted(file)
        for (whose, keys, count) in [
            ("the version before", old.keys, old.threshold),
            ("this version", channel.keys, channel.threshold),
        ] {
            let found = signers.count { keys.contains($0) }
            guard found < count else { continue }
            Console.complain(
                "warning: \(shown) is signed by \(found) of the keys of \(whose), and devices want \(count); let others sign it "
                    + "with '--also'"
            )
            break
        }
        if let expires = channel.expires, expires <= Clock.now {
            Console.complain(
                "warning: \(shown) has expired already, at \(expires.iso8601), so devices refuse it; unset "
                    + "SOURCE_DATE_EPOCH, or sign with a longer '--valid-for'"
            )
        }
        Console.print(
            "signed \(shown): version \(channel.version), \(Quantity.count(signers.count, "signature")), expires "
                + "\(channel.expires?.iso8601 ?? "never")"
        )
    }
}
