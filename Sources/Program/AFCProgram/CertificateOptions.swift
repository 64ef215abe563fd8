import AFCAuthority
import AFCPlatform
import ArgumentParser

/// The option for the folder of the local authority.
struct CertificateOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The folder of the authority. (default: $XDG_CONFIG_HOME/afcache/ca or ~/.config/afcache/ca)",
            valueName: "dir"
        ),
        completion: .directory
    )
    var ca: String?

    func validate() throws {
        guard ca != "" else { throw ValidationError("'--ca' is empty; name a folder") }
    }

    /// Returns the folder that was named, or the user's own.
    func authorityFolder() throws -> AuthorityFolder {
        if let ca { return AuthorityFolder(path: ca) }
        // The XDG Base Directory Specification says to ignore a relative path.
        if let base = Self.variable("XDG_CONFIG_HOME"), base.hasPrefix("/") {
            return AuthorityFolder(path: base + "/afcache/ca")
        }
        guard let home = Self.variable("HOME"), home.hasPrefix("/") else {
            throw ValidationError(
                """
                HOME isn't set, so there is no default folder for the authority; name one with '--ca'
                """
            )
        }
        return AuthorityFolder(path: (home == "/" ? "" : home) + "/.config/afcache/ca")
    }

    private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
