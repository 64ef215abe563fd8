import AFCAuthority
import AFCPlatform
import ArgumentParser

/// Where the local authority is: for all commands that use it.
struct CertificateOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The folder of the authority. (default: $XDG_CONFIG_HOME/afcache/ca or ~/.config/afcache/ca)",
            valueName: "dir"
        ),
        completion: .directory
    )
    var folder: String?

    func validate() throws {
        guard folder != "" else { throw ValidationError("--folder must name a folder") }
    }

    /// The folder that was named, or the user's own.
    func authorityFolder() throws -> AuthorityFolder {
        if let folder { return AuthorityFolder(path: folder) }
        // The XDG Base Directory Specification has a relative path ignored.
        if let base = Self.variable("XDG_CONFIG_HOME"), base.hasPrefix("/") {
            return AuthorityFolder(path: base + "/afcache/ca")
        }
        guard let home = Self.variable("HOME"), home.hasPrefix("/") else {
            throw ValidationError("there is no HOME to keep the authority in; name a folder with --folder")
        }
        return AuthorityFolder(path: (home == "/" ? "" : home) + "/.config/afcache/ca")
    }

    private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
