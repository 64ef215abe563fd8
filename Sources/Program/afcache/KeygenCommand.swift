import AFCCache
import AFCPackageFormat
import AFCPlatform
import AFCText
import ArgumentParser

struct KeygenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keygen",
        abstract: "Make a pair of keys to sign packages with.",
        discussion: """
            The private key goes to NAME, for its owner alone; the public one to NAME.pub, for those who load what you \
            sign. Neither ever replaces a file. The key's id is printed.

              afcache keygen -o news --comment 'news desk'
              afcache pack https://news.example/ -o news.zip --sign news
              afcache load news.zip --cache cache --require-signature --trust news.pub
            """
    )

    @Option(name: .shortAndLong, help: "The file of the private key; the public one's ends in '.pub'.")
    var output: String

    @Option(help: "What is written behind the key, to know it by.")
    var comment: String?

    @OptionGroup var verbosity: VerbosityOptions

    func validate() throws {
        guard !output.isEmpty, !output.hasSuffix("/") else { throw ValidationError("-o must name a file") }
        let isPlain = comment.map { $0.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F } } ?? true
        guard isPlain else { throw ValidationError("--comment must be one line without control characters") }
        guard (comment?.utf8.count ?? 0) <= 1000 else { throw ValidationError("--comment is longer than 1,000 bytes") }
    }

    func run() throws {
        var generator = SystemRandomNumberGenerator()
        let seed = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        guard let key = SigningKey(seed: seed, comment: comment) else {
            throw CacheError(.inputOutput, subject: output, message: "no key could be made")
        }
        // The public one first: it is no harm where the other can't be made, and it is taken away again.
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
