import AFCAuthority
import AFCPackageFormat
import AFCPlatform
import AFCText
import ArgumentParser

struct CertificateCreateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Make the local authority: a private key and a certificate.",
        discussion: """
            The private key is written for its owner alone. Name the hosts that you have packages of with --host: \
            programs then refuse what the authority signs for any other, whoever has got hold of its key.

              afcache ca create --host docs.example --host wiki.example
              afcache ca create --name laptop --days 365
            """
    )

    @OptionGroup var options: CertificateOptions

    @Option(
        help: """
            A name to tell this authority from others, up to \(CertificateAuthority.longestName) characters. (default: \
            the host's name)
            """
    )
    var name: String?

    @Option(help: "A host that it may sign for, with the names below it, or an IP address. Repeatable. (default: any)")
    var host: [String] = []

    @Option(help: "How many days it lasts, up to \(CertificateAuthority.longestDays).")
    var days = CertificateAuthority.longestDays

    @Flag(help: "Replace the existing authority. Programs that trust the old one won't trust the new one.")
    var force = false

    @OptionGroup var verbosity: VerbosityOptions

    func validate() throws {
        guard (1...CertificateAuthority.longestDays).contains(days) else {
            throw ValidationError("--days must be between 1 and \(CertificateAuthority.longestDays)")
        }
        _ = try hosts()
    }

    func run() throws {
        let folder = try options.authorityFolder()
        let authority = try CertificateAuthority.make(
            name: name ?? Self.hostName,
            hosts: try hosts(),
            days: days,
            at: Clock.now
        )
        try folder.save(authority, replacing: force)
        let certificate = authority.certificate
        Console.print("made \(PrintableText.quoted(certificate.name))")
        Console.print("SHA-256 \(certificate.fingerprint)")
        Console.print("import \(PrintableText.quoted(folder.certificatePath)) where it shall be trusted")
        guard !certificate.isConstrained else { return }
        Console.complain(
            "warning: it may sign for any host, so its private key can stand in for any host towards what trusts it; "
                + "'--host' limits that"
        )
    }

    private func hosts() throws -> [CertifiedHost] {
        try host.map { text in
            do throws(AuthorityError) {
                return try CertifiedHost(text)
            } catch {
                throw ValidationError("--host \(PrintableText.quoted(text)) can't be used: \(error.message)")
            }
        }
    }

    /// The machine's name, as much of it as has room.
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
        abstract: "Look after the local certificate authority, with which https is answered offline.",
        discussion: """
            Browsers accept https only from servers whose certificates they trust. So the proxy signs certificates \
            with an authority of this machine, which you create once and import into the programs that should trust \
            it. share/doc/afcache/authority.md explains how to import and remove it, and the risks if its private \
            key leaks.

              afcache ca create --host docs.example   make it, for one host
              afcache ca show                         its name, its end, its hosts
              afcache ca export > afcache.pem         the certificate to import
            """,
        subcommands: [
            CertificateCreateCommand.self, CertificateShowCommand.self, CertificateExportCommand.self,
        ]
    )
}
