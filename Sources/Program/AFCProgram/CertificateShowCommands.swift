import AFCAuthority
import AFCHTTP
import AFCText
import ArgumentParser

struct CertificateShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show the local authority: its name, fingerprint, dates, hosts and files.",
        discussion: """
            Before you trust the authority in a browser, compare the fingerprints. If the authority can't be used because \
            it has expired, or its key is missing or readable by others, the exit code is 11.

            The document of '--json' has subject, name, sha256, serial, notBefore, notAfter, hosts, certificate, key and \
            problem.

              afcache ca show
              afcache ca show --json
            """
    )

    @OptionGroup var options: CertificateOptions

    @OptionGroup var format: JSONOption

    @OptionGroup var verbosity: VerbosityOptions

    func run() throws {
        let folder = try options.authorityFolder()
        let certificate = try folder.certificate()
        var problem: AuthorityError?
        do throws(AuthorityError) {
            _ = try folder.authority(at: Clock.now)
        } catch {
            problem = error
        }
        if format.json {
            Console.print(Self.json(certificate, in: folder, problem: problem).serialized)
        } else {
            Self.print(certificate, in: folder)
        }
        if let problem { throw problem }
    }

    private static func print(_ certificate: AuthorityCertificate, in folder: AuthorityFolder) {
        let hosts = certificate.permittedHosts.joined(separator: ", ")
        Console.print("name         \(PrintableText.quoted(certificate.name))")
        Console.print("SHA-256      \(certificate.fingerprint)")
        Console.print("serial       \(certificate.serialNumber)")
        Console.print("valid        \(certificate.notBefore.iso8601) to \(certificate.notAfter.iso8601)")
        Console.print("hosts        \(hosts.isEmpty ? "any" : hosts)")
        Console.print("certificate  \(folder.certificatePath)")
        Console.print("key          \(folder.keyPath)")
    }

    private static func json(
        _ certificate: AuthorityCertificate,
        in folder: AuthorityFolder,
        problem: AuthorityError?
    ) -> JSONValue {
        .object([
            ("subject", .string(certificate.subject)),
            ("name", .string(certificate.name)),
            ("sha256", .string(certificate.fingerprint)),
            ("serial", .string(certificate.serialNumber)),
            ("notBefore", .string(certificate.notBefore.iso8601)),
            ("notAfter", .string(certificate.notAfter.iso8601)),
            ("hosts", certificate.isConstrained ? .array(certificate.permittedHosts.map { .string($0) }) : .null),
            ("certificate", .string(folder.certificatePath)),
            ("key", .string(folder.keyPath)),
            ("problem", problem.map { .string($0.message) } ?? .null),
        ])
    }
}

struct CertificateExportCommand: ParsableCommand {
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case pem, der
    }

    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write the certificate of the local authority to standard output.",
        discussion: """
            Import the certificate into the programs that should trust the authority. The private key is never exported.

              afcache ca export > afcache.pem
              afcache ca export --format der > afcache.crt
            """
    )

    @OptionGroup var options: CertificateOptions

    @Option(help: "The format of the certificate: 'pem' (text) for most programs, 'der' (binary) for some phones.")
    var format = Format.pem

    @OptionGroup var verbosity: VerbosityOptions

    func run() throws {
        let certificate = try options.authorityFolder().certificate()
        switch format {
        case .pem: Console.write(certificate.pem.utf8)
        case .der: Console.write(certificate.der)
        }
    }
}
