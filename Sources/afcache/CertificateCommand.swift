import ArgumentParser

struct CertificateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ca",
        abstract: "Look after the local certificate authority, with which https is answered offline.",
        discussion: """
            A browser takes an answer to https only from whom it trusts. So the proxy signs certificates with an authority \
            of this machine, which you make once and import into the programs that shall trust it. \
            share/doc/afcache/authority.md says how, how to take it away again, and what its private key could do in other hands.

              afcache ca create --host docs.example   make it, for one host
              afcache ca show                         its name, its end, its hosts
              afcache ca export > afcache.pem         the certificate to import
            """,
        subcommands: [
            CertificateCreateCommand.self, CertificateShowCommand.self, CertificateExportCommand.self,
        ]
    )
}
