/// A way out of an error, for which a program has an option or a command.
public enum Remedy: Hashable, Sendable {
    /// Repair the cache in a folder; nil where the caller knows which.
    case repairCache(String?)
    /// Load a package into a folder.
    case loadPackage(String)
    /// Bring the cache in a folder to the present version, which collecting garbage does.
    case upgradeCache(String)
    /// Raise the limits of the cache.
    case raiseLimit
    /// Remove the received responses.
    case clearReceived
    /// Wait longer for another process.
    case waitLonger
    /// Choose the name of the package.
    case namePackage
    /// Give the password.
    case givePassword
    /// Name the digest or the signer of the package, or accept it as it comes.
    case pinPackage
    /// Trust the authority that issued the server's certificate.
    case trustServer
    /// Replace a file of another kind.
    case overwrite
    /// Discard what an interrupted crawl kept.
    case restart
    /// Make an authority.
    case createAuthority
    /// Make a new authority in the place of the old one.
    case replaceAuthority
    /// Use another folder for the authority.
    case chooseAuthorityFolder
    /// Replace the existing file.
    case force
    /// Trust one of the keys that signed the package.
    case trustSigner
    /// Choose a dialect whose entries can name a member, or exclude the URL.
    case nameMembers
    /// Write the baseline again.
    case writeBaseline
    /// Listen at another port.
    case choosePort
    /// Listen at another address.
    case chooseHost
}
