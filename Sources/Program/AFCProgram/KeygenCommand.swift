import AFCCache
import AFCPackageFormat
import AFCPlatform
import AFCText
import ArgumentParser

struct KeygenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keygen",
        abstract: "Make a key pair for signing packages.",
        discussion: """
            The private key is written to NAME, readable only by you, and the public key to NAME.pub, for those who load \
            your packages. Existing files are never replaced. The ID of the key is printed.

              afcache keygen -o news --comment 'news desk'
              afcache pack https://news.example/ -o news.zip --sign news
              afcache load news.zip --cache cache --require-signature --trust news.pub
            """
    )

    @Option(
        name: [.customShort("o", allowingJoined: true), .long],
        help: "The file of the private key. The public key's file has '.pub' appended."
    )
    var output: String

    @Option(help: ArgumentHelp("A comment in the key files, to recognize the key by.", valueName: "text"))
    var comment: String?

    @OptionGroup var verbosity: VerbosityOptions

    func validate() throws {
        guard !output.isEmpty, !output.hasSuffix("/") else { throw ValidationError("'--output' must name a file") }
        guard output != "-" else {
            throw ValidationError("a private key goes into a file that only its owner can read; name one with '-o'")
        }
        guard !output.hasSuffix(".pub") else {
            let name = String(output.dropLast(4))
            throw ValidationError(
                "'\(output)' would be the private key, and looks like a public one; write '-o \(name)', and the public key "
                    + "gets the name '\(output)'"
            )
        }
        let isPlain = comment.map { $0.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F } } ?? true
        guard isPlain else { throw ValidationError("'--comment' must be one line without control characters") }
        guard (comment?.utf8.count ?? 0) <= 1000 else {
            throw ValidationError("'--comment' must have at most 1,000 bytes")
        }
    }

    func run() throws {
        var generator = SystemRandomNumberGenerator()
        let seed = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        guard let key = SigningKey(seed: seed, comment: comment) else {
            throw CacheError(.inputOutput, subject: output, message: "the key could not be made")
        }
        // The public key comes first: it does no harm if the private key can't be written, and is removed again.
        let publicPath = output + ".pub"
        try KeyFile.make(publicPath, key.publicKey.line, mode: 0o644)
        do {
            try KeyFile.make(output, key.secretLine, mode: 0o600)
        } catch {
            unlink(publicPath)
            throw error
        }
        Console.print(
            "made key \(key.publicKey.id): \(PrintableText.quoted(output)) to sign with, "
                + "\(PrintableText.quoted(publicPath)) to trust"
        )
    }
}
