import ArgumentParser

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
