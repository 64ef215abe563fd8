import AFCChannel
import AFCHTTP
import AFCPackageFormat
import AFCText
import ArgumentParser

struct ChannelSignCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign",
        abstract: "Raise a channel's version, set its dates, and sign it.",
        discussion: """
            Sign again before the channel expires, even if nothing has changed. To replace a key, sign with the old and \
            the new one, as long as there may be devices that were off in the meantime.

              afcache channel sign docs.channel --sign team
              afcache channel sign docs.channel --add-key new.pub --remove-key old.pub --sign old --sign new
              afcache channel sign docs.channel --also --sign second
            """
    )

    @OptionGroup var document: ChannelDocument

    @OptionGroup var signing: SigningOption

    @Option(
        help: ArgumentHelp("How long the channel is valid, for example 90d or 12h. (default: 30d)", valueName: "time"),
        transform: TimeSpan.argument
    )
    var validFor: Duration = .seconds(30 * 86_400)

    @Option(
        help: ArgumentHelp("A public key that may sign from now on. Repeatable.", valueName: "file"),
        completion: .file()
    )
    var addKey: [String] = []

    @Option(
        help: ArgumentHelp("A public key that may not sign any more. Repeatable.", valueName: "file"),
        completion: .file()
    )
    var removeKey: [String] = []

    @Option(help: "How many of the keys must sign from now on. (default: as before)")
    var threshold: Int?

    @Flag(help: "Only add signatures, for a channel that needs several; version and dates stay.")
    var also = false

    @OptionGroup var waiting: WaitOptions

    @OptionGroup var verbosity: VerbosityOptions

    func validate() throws {
        guard !signing.sign.isEmpty else { throw ValidationError("name the private key with '--sign'") }
        guard !also || (addKey.isEmpty && removeKey.isEmpty && threshold == nil) else {
            throw ValidationError("'--also' adds signatures to what is signed already, so it can't change keys")
        }
        guard validFor.components.seconds >= 1 else { throw ValidationError("'--valid-for' must be at least a second") }
    }

    func run() async throws {
        let keys = try signing.signers()
        let now = try Clock.pinned() ?? Clock.now
        let (old, new, signers) = try document.replace(waiting) {
            old -> (ChannelFile, (ChannelFile, ChannelFile, [PublicKey])) in
            let (new, signers) = try signed(old, by: keys, now: now)
            return (new, (old, new, signers))
        }
        let channel = new.channel
        let shown = PrintableText.quoted(document.file)
        for (whose, keys, count) in [
            ("the version before", old.channel.keys, old.channel.threshold),
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
        Console.print(
            "signed \(shown): version \(channel.version), \(Quantity.count(signers.count, "signature")), expires "
                + "\(channel.expires?.iso8601 ?? "never")"
        )
    }

    /// Returns the signed file, and the keys that signed it.
    private func signed(_ old: ChannelFile, by keys: [SigningKey], now: Timestamp) throws -> (ChannelFile, [PublicKey])
    {
        var new = old
        if also {
            _ = try old.signers(subject: document.file)
        } else {
            new = ChannelFile(try changed(old.channel, now: now))
        }
        for key in keys {
            guard new.sign(by: key, created: now) else {
                throw ChannelError(
                    .unsuitable,
                    subject: document.file,
                    message: "the system has no randomness for signing"
                )
            }
        }
        let signers = try new.signers(subject: document.file)
        let channel = new.channel
        // Whether a further signature is by a key of the version before isn't known here.
        guard also || keys.contains(where: { (old.channel.keys + channel.keys).contains($0.publicKey) }) else {
            throw ValidationError("none of the keys of '--sign' is a key of this channel; '--add-key' adds one")
        }
        return (new, signers)
    }

    private func changed(_ old: Channel, now: Timestamp) throws -> Channel {
        var channel = old
        let added = try addKey.flatMap { try KeyFile.publicKeys($0, option: "--add-key") }
        let removed = try removeKey.flatMap { try KeyFile.publicKeys($0, option: "--remove-key") }
        for key in removed where !old.keys.contains(key) {
            throw ValidationError("'--remove-key': \(key.id) is not a key of this channel")
        }
        channel.keys.removeAll { removed.contains($0) }
        for key in added where !channel.keys.contains(key) { channel.keys.append(key) }
        channel.threshold = threshold ?? channel.threshold
        guard (1...max(1, channel.keys.count)).contains(channel.threshold), !channel.keys.isEmpty else {
            throw ValidationError(
                "the channel would have \(Quantity.count(channel.keys.count, "key")), and \(channel.threshold) would have to sign; "
                    + "add a key, or change '--threshold'"
            )
        }
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
        channel.expires = signed + validFor.components.seconds
        return channel
    }
}
