import AFCCredentials
import AFCDelivery
import AFCOrigin
import AFCPlatform
import AFCProvisioning
import AFCText
import AFCURL
import ArgumentParser

/// The options for servers that packages are downloaded from.
struct DownloadOptions: ParsableArguments {
    @OptionGroup var roots: TrustRootsOption

    @Option(
        help: ArgumentHelp("A netrc file with logins for servers of packages.", valueName: "file"),
        completion: .file()
    )
    var netrc: String?

    @OptionGroup var verification: InsecureOption

    @Flag(help: "Allow downloading over plain HTTP. Anyone on the network path can then alter the package.")
    var allowHTTP = false

    /// Returns the trust that the options describe, after checking that the certificates can be read.
    ///
    /// - Parameters:
    ///   - named: The sources that the user named, which may be paths.
    ///   - file: The file of certificates to use if the options name none.
    ///   - logins: The netrc file to use if the options name none.
    /// - Returns: The trust.
    /// - Throws: `CacheError` if a file can't be read, and a usage error if it isn't of its kind.
    func servers(for named: [String], orElse file: String? = nil, netrc logins: String? = nil) throws -> ServerTrust {
        var servers = try ServerTrust(OriginAccess(cacert: roots.cacert ?? file, insecure: verification.insecure))
        servers.allowsPlainHTTP = allowHTTP
        if let path = netrc ?? logins {
            let (bytes, mode) = try SmallFile.readWithMode(path, limit: 4 << 20)
            if mode & 0o044 != 0 {
                Console.complain("warning: other users can read \(PrintableText.quoted(path)); run 'chmod 600' on it")
            }
            do throws(Netrc.Malformation) {
                servers.credentials = try Netrc(bytes).credentials(for: named.compactMap(url))
            } catch {
                let option = netrc == nil ? "" : "'--netrc': "
                throw ValidationError(
                    "\(option)\(PrintableText.quoted(path)): line \(error.line): \(error.message)"
                )
            }
        }
        return servers
    }

    /// Returns the URL that requests for a source go to; nil for a path.
    private func url(_ source: String) -> WebURL? {
        guard source.hasPrefix(RegistryReference.prefix) else { return try? WebURL(source) }
        return (try? RegistryReference(source))?.root(allowsPlainHTTP: allowHTTP)
    }

    func validate() throws {
        guard netrc != "" else { throw ValidationError("'--netrc' is empty; name a netrc file") }
    }
}

/// The option for the age of signed packages.
struct AgeOption: ParsableArguments {
    @Flag(
        help: """
            Load a signed package even if it is older than the loaded one. Anyone who can replace a package can then \
            bring back an old version with known defects.
            """
    )
    var allowOlder = false
}

/// The option for servers whose certificates can't be verified.
struct InsecureOption: ParsableArguments {
    @Flag(help: "Don't verify TLS certificates. Anyone on the network path can then alter the package.")
    var insecure = false
}

/// The option for additional CA certificates.
struct TrustRootsOption: ParsableArguments {
    @Option(
        help: ArgumentHelp("Additional CA certificates to trust (PEM file).", valueName: "file"),
        completion: .file()
    )
    var cacert: String?

    func validate() throws {
        guard cacert != "" else { throw ValidationError("'--cacert' is empty; name a file of certificates") }
    }
}

extension ServerTrust {
    /// Creates the trust in the servers of an access, with the proxies that the environment names.
    init(_ access: OriginAccess) throws {
        self.init()
        self.access = access
        self.access.proxies = try .environment()
    }
}

extension ProxyRules {
    /// Returns the proxies that the environment names.
    static func environment() throws -> ProxyRules {
        do throws(Malformation) {
            return try ProxyRules { name in getenv(name).map { String(cString: $0) } }
        } catch {
            // The value may contain a password.
            let isSOCKS = getenv(error.variable).map { String(cString: $0).lowercased().hasPrefix("socks") } ?? false
            throw ValidationError(
                "the variable \(error.variable) must be of the form http://host:port"
                    + (isSOCKS ? ", since proxies of SOCKS aren't supported" : "") + "; unset it to use no proxy"
            )
        }
    }
}

extension OriginAccess {
    /// Creates the access that options describe; reports a file that can't be read before the first connection does.
    init(cacert: String?, insecure: Bool = false, allowPrivate: Bool = true) throws {
        self.init(allowsPrivate: allowPrivate)
        if let cacert {
            let bytes = try SmallFile.read(cacert, limit: 16 << 20)
            let text = String(decoding: bytes, as: UTF8.self)
            guard text.contains("CERTIFICATE-----") else {
                let kind =
                    text.hasPrefix("afcache-")
                    ? "; keys that sign packages are named with '--trust'"
                    : text.contains("PRIVATE KEY-----")
                        ? "; it is a private key"
                        // Certificates in DER begin so.
                        : bytes.first == 0x30
                            ? "; 'openssl x509 -in \(PrintableText.escaped(cacert)) -out NEW.pem' writes one"
                            : "; name a file with '-----BEGIN CERTIFICATE-----'"
                throw ValidationError(
                    "'--cacert': \(PrintableText.quoted(cacert)) has no certificate in PEM form" + kind
                )
            }
        }
        trustRoots = cacert
        verifiesCertificates = !insecure
    }
}
