import AFCAuthority
import AFCFiles
import AFCPackageFormat
import AFCPlatform
import AFCText
import ArgumentParser

struct CertificateCreateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Create the local authority: a private key and a certificate.",
        discussion: """
            Only you can read the private key. Name the hosts of your packages with '--host': programs that trust the \
            authority then refuse its certificates for any other host, even if somebody steals the key.

              afcache ca create --host docs.example --host wiki.example
              afcache ca create --common-name laptop --valid-for 365d
            """
    )

    @OptionGroup var options: CertificateOptions

    @Option(
        help: """
            A name to tell this authority from others, up to \(CertificateAuthority.longestName) characters. (default: \
            the host's name)
            """
    )
    var commonName: String?

    @Option(
        help: """
            A host, including its subdomains, or an IP address that the authority may sign for. Repeatable. Without \
            it, whoever gets the private key can impersonate any host. (default: any)
            """
    )
    var host: [String] = []

    @Option(
        help: ArgumentHelp(
            """
            How long the authority is valid, in whole days, for example 365d. (default and maximum: \
            \(CertificateAuthority.longestDays)d)
            """,
            valueName: "time"
        ),
        transform: CertificateCreateCommand.days
    )
    var validFor: Int = CertificateAuthority.longestDays

    @Flag(help: "Replace the existing authority. Programs that trust the old one won't trust the new one.")
    var overwrite = false

    @OptionGroup var verbosity: VerbosityOptions

    func validate() throws {
        _ = try hosts()
    }

    /// Returns the number of days that a user wrote as a time.
    private static func days(_ text: String) throws -> Int {
        let longest = CertificateAuthority.longestDays
        guard let seconds = TimeSpan.parse(text)?.components.seconds, seconds % 86_400 == 0,
            (1...longest).contains(Int(seconds / 86_400))
        else {
            throw ValidationError("\(PrintableText.quoted(text)) must be whole days; write '1d' to '\(longest)d'")
        }
        return Int(seconds / 86_400)
    }

    func run() throws {
        let folder = try options.authorityFolder()
        try Self.requireOwn(folder)
        let authority = try CertificateAuthority.make(
            name: commonName ?? Self.hostName,
            hosts: try hosts(),
            days: validFor,
            at: Clock.now
        )
        try folder.save(authority, replacing: overwrite)
        let certificate = authority.certificate
        Console.print("made \(PrintableText.quoted(certificate.name))")
        Console.print("SHA-256 \(certificate.fingerprint)")
        Console.print("import \(PrintableText.quoted(folder.certificatePath)) into the programs that should trust it")
        guard !certificate.isConstrained else { return }
        Console.complain(
            "warning: the authority may sign for any host: with its private key, anyone can impersonate any host to "
                + "programs that trust it; use '--host' to limit that"
        )
    }

    /// Refuses a folder with other files: a private key in the folder of a website would be published with it.
    private static func requireOwn(_ folder: AuthorityFolder) throws {
        let own = [folder.keyPath, folder.certificatePath].map { $0.split(separator: "/").last.map(String.init) }
        guard let other = FolderListing.names(in: folder.path)?.sorted().first(where: { !own.contains($0) }) else {
            return
        }
        throw ValidationError(
            "\(PrintableText.quoted(folder.path)) has other files, such as \(PrintableText.quoted(other)), and a private key "
                + "needs a folder of its own; name a new folder with '--ca'"
        )
    }

    private func hosts() throws -> [CertifiedHost] {
        try host.map { text in
            do throws(AuthorityError) {
                return try CertifiedHost(text)
            } catch {
                let advice = Self.advice(for: text)
                throw ValidationError(
                    "'--host': \(PrintableText.quoted(text)) can't be used: \(error.message)\(advice)"
                )
            }
        }
    }

    /// Returns the end of a sentence with the host that was meant by a wildcard or a URL; empty if it isn't known.
    private static func advice(for text: String) -> String {
        if text.hasPrefix("*."), let host = try? CertifiedHost(text.dropFirst(2)) {
            return "; write '\(host)', which includes its subdomains"
        }
        let authority = text.firstRange(of: "://").map { text[$0.upperBound...] } ?? text[...]
        let host = authority.prefix { $0 != "/" && $0 != ":" && $0 != "?" }
        guard host.count < text.count, let meant = try? CertifiedHost(host) else { return "" }
        return "; write '\(meant)'"
    }

    /// The machine's name, cut to the longest name of an authority.
    private static var hostName: String {
        var bytes = [CChar](repeating: 0, count: 256)
        guard gethostname(&bytes, bytes.count - 1) == 0 else { return "localhost" }
        let name = bytes.prefix { $0 > 0x20 && $0 < 0x7F }.prefix(CertificateAuthority.longestName)
        return name.isEmpty ? "localhost" : String(decoding: name.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

struct CertificateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ca",
        abstract: "Manage the local certificate authority, which lets 'serve' answer https.",
        discussion: """
            Browsers accept https only from servers whose certificates they trust. The server therefore signs \
            certificates with an authority of this machine: create it once and import it into the programs that should \
            trust it. share/doc/afcache/reference/authority.md explains how to import and remove it, and what anyone who gets \
            its private key can do.

              afcache ca create --host docs.example   create it for one host
              afcache ca show                         its name, dates and hosts
              afcache ca export > afcache.pem         write the certificate to import
            """,
        subcommands: [
            CertificateCreateCommand.self, CertificateShowCommand.self, CertificateExportCommand.self,
        ]
    )
}
