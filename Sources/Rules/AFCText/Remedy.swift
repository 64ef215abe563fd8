/// A remedy for an error, for which a program has an option or a command.
public enum Remedy: Hashable, Sendable {
    /// Repair the cache in a folder; nil if the caller knows which one.
    case repairCache(String?)
    /// Load a package into a folder.
    case loadPackage(String)
    /// Upgrade the cache in a folder to the current version, which garbage collection does.
    case upgradeCache(String)
    /// Remove a package from the cache.
    case removePackage(String)
    /// Raise the limits of the cache.
    case raiseLimit
    /// Export a folder, or allow a larger file.
    case raiseFileLimit
    /// Remove the received responses.
    case clearReceived
    /// Wait longer for the other process.
    case waitLonger
    /// Choose a name for the package.
    case namePackage
    /// Give the password.
    case givePassword
    /// State the digest or the signer of the package, or accept it without.
    case pinPackage
    /// Accept a file that anyone on the network path can alter.
    case allowPlainHTTP
    /// Log in at the registry.
    case logIn
    /// Give a login for the server.
    case giveLogin
    /// Give a login for the origins of a crawl.
    case giveCrawlLogin
    /// Give the cookies for a crawl.
    case giveCookies
    /// Accept a package that is older than the installed one.
    case allowOlder
    /// Trust the authority that issued the server's certificate.
    case trustServer
    /// Replace the file that already exists.
    case overwrite
    /// Discard the state of an interrupted crawl.
    case restart
    /// Create an authority.
    case createAuthority
    /// Replace the existing authority.
    case replaceAuthority
    /// Use another folder for the authority.
    case chooseAuthorityFolder
    /// Trust one of the keys that signed the package.
    case trustSigner
    /// Choose a dialect whose entries can name a member, or exclude the URL.
    case nameMembers
    /// Write the baseline again.
    case writeBaseline
    /// Listen at another port.
    case choosePort
    /// Choose another range of ports for sites.
    case chooseSitePorts
    /// Listen at another address.
    case chooseAddress
    /// Let the process open more files.
    case raiseOpenFiles
    /// Write the package again from its own resources.
    case repack
    /// Write the package again from what somebody has made of its resources on purpose.
    case acceptEdits
    /// Make a package of a folder.
    case packFolder
    /// Give another password than the one that is wrong.
    case checkPassword
    /// Open the pages in a browser, so that what their scripts load is found.
    case findScripts
    /// Install a browser, or name another one.
    case chooseBrowser
    /// Name another program for an image.
    case nameProgram
    /// Name a base for an image.
    case nameBase
    /// State the URL of a mirror's folder.
    case stateBaseURL
}
