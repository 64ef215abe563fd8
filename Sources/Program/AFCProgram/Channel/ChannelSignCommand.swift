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

    @OptionGroup var validity: ChannelValidity

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
    }

    func run() async throws {
        let signing = ChannelSigning(
            file: document.file,
            keys: try signing.signers(),
            now: try Clock.pinned() ?? Clock.now,
            validity: validity.duration
        )
        let (old, channel, signers, isChanged) = try await document.replace(waiting) {
            old -> (ChannelFile, (Channel, Channel, [PublicKey], Bool)) in
            if also, try old.signers(subject: document.file).isEmpty {
                throw ValidationError(
                    "'--also' adds to the signatures of a version, and \(PrintableText.quoted(document.file)) was changed since "
                        + "its last one was signed; sign it without '--also'"
                )
            }
            let unsigned = also ? old : ChannelFile(try signing.renewed(withKeysChanged(old.channel)))
            let (new, signers) = try signing.signed(unsigned, after: old.channel, isFurther: also)
            return (new, (old.channel, new.channel, signers, !old.isAsSigned))
        }
        if isChanged {
            Console.complain("warning: \(PrintableText.quoted(document.file)) was changed after its last signature")
        }
        ChannelSigning.tell(document.file, channel, after: old, by: signers)
    }

    private func withKeysChanged(_ old: Channel) throws -> Channel {
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
        return channel
    }
}
