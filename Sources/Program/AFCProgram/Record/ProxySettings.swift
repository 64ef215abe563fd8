import AFCFiles
import AFCText
import Crypto

/// The settings with which programs use a proxy and trust its authority: files in a folder, variables, and options.
struct ProxySettings {
    /// The address of the proxy, such as `127.0.0.1:8080`.
    var address: String
    /// The folder with the files.
    var folder: String
    /// The fingerprint of the key of all certificates.
    var keyFingerprint: String
    /// True if nothing may bypass the proxy, also what Chromium requests by itself.
    var isOffline = false

    private var proxy: String { "http://\(address)" }
    private var certificate: String { folder + "/ca.pem" }
    private var trustStore: String { folder + "/ca.jks" }

    /// Writes the files.
    ///
    /// - Parameters:
    ///   - pem: The authority's certificate in PEM.
    ///   - der: The certificate in DER.
    /// - Throws: `FileError` if they can't be written.
    func writeFiles(pem: String, der: [UInt8]) throws {
        for (path, bytes) in [(certificate, Array(pem.utf8)), (trustStore, JavaTrustStore.bytes(der))] {
            let file = try OpenFile(creating: path, mode: 0o600)
            try bytes.span.bytes.withUnsafeBytes { bytes throws(FileError) in try file.write(bytes, at: 0) }
        }
    }

    /// Returns the environment of a program: another one with the variables for the proxy.
    func environment(of other: [String: String]) -> [String: String] {
        var variables = other
        for name in ["http_proxy", "https_proxy", "all_proxy"] {
            variables[name] = proxy
            variables[name.uppercased()] = proxy
        }
        for name in ["no_proxy", "NO_PROXY"] { variables[name] = "" }
        for name in [
            "SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "GIT_SSL_CAINFO", "AWS_CA_BUNDLE", "PIP_CERT",
            "NODE_EXTRA_CA_CERTS",
        ] {
            variables[name] = certificate
        }
        variables["NODE_USE_ENV_PROXY"] = "1"
        let parts = address.split(separator: ":")
        let (host, port) = (parts.dropLast().joined(separator: ":"), parts.last ?? "")
        let java = [
            "-Dhttp.proxyHost=\(host)", "-Dhttp.proxyPort=\(port)", "-Dhttps.proxyHost=\(host)",
            "-Dhttps.proxyPort=\(port)", "-Dhttp.nonProxyHosts=", "-Djavax.net.ssl.trustStore=\(trustStore)",
            "-Djavax.net.ssl.trustStoreType=JKS",
        ]
        variables["JAVA_TOOL_OPTIONS"] = ([other["JAVA_TOOL_OPTIONS"]].compactMap(\.self) + java).joined(separator: " ")
        variables["AFCACHE_PROXY"] = proxy
        variables["AFCACHE_CA"] = certificate
        variables["AFCACHE_SPKI"] = keyFingerprint
        variables["AFCACHE_CHROMIUM_OPTIONS"] = chromiumOptions.joined(separator: " ")
        return variables
    }

    /// The hosts of services that Chromium uses by itself, whatever page it shows; they bypass the proxy.
    static let ownServices = [
        "update.googleapis.com", "content-autofill.googleapis.com", "optimizationguide-pa.googleapis.com",
        "safebrowsing.googleapis.com", "clientservices.googleapis.com", "accounts.google.com", "*.gvt1.com",
        "clients*.google.com", "mtalk.google.com",
    ]

    /// The options with which Chromium uses the proxy, also for this machine, and trusts its certificates.
    private var chromiumOptions: [String] {
        [
            "--proxy-server=\(proxy)",
            "--proxy-bypass-list=" + (["<-loopback>"] + (isOffline ? [] : Self.ownServices)).joined(separator: ";"),
            "--ignore-certificate-errors-spki-list=\(keyFingerprint)", "--disable-quic",
            "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-pings",
        ]
    }

    /// Returns the words of a command line; a browser gets its options and a profile of its own.
    func commandLine(_ words: [String]) -> [String] {
        let name = words[0].split(separator: "/").last.map(String.init) ?? ""
        return Self.browsers.contains(name) ? browserCommandLine(words) : words
    }

    /// Returns the words of a command line of Chromium, or of a browser that is made from it.
    func browserCommandLine(_ words: [String]) -> [String] {
        var options = chromiumOptions
        if !words.contains(where: { $0.hasPrefix("--user-data-dir") }) {
            options += ["--user-data-dir=\(folder)/profile", "--no-first-run", "--no-default-browser-check"]
        }
        return words.prefix(1) + options + words.dropFirst()
    }

    private static let browsers: Set<String> = [
        "chromium", "chromium-browser", "chrome", "google-chrome", "google-chrome-stable", "google-chrome-beta",
        "microsoft-edge", "microsoft-edge-stable", "brave-browser", "headless_shell", "chrome-headless-shell",
    ]
}

/// A file with a certificate that Java trusts, in the format of its KeyStore type JKS.
///
/// Java checks the digest at its end only if it has a password.
enum JavaTrustStore {
    /// Returns the bytes of a file with one certificate.
    ///
    /// - Parameter certificate: The certificate in DER.
    /// - Returns: The file.
    static func bytes(_ certificate: [UInt8]) -> [UInt8] {
        var data: [UInt8] = []
        func append(_ value: UInt32) {
            for shift: UInt32 in [24, 16, 8, 0] { data.append(UInt8(truncatingIfNeeded: value >> shift)) }
        }
        func append(_ text: String) { data += [0, UInt8(text.utf8.count)] + Array(text.utf8) }
        append(0xFEED_FEED)
        // The version, the number of entries, and the kind of the entry: a trusted certificate.
        append(2)
        append(1)
        append(2)
        append("afcache")
        // The time at which the entry was made.
        append(0)
        append(0)
        append("X.509")
        append(UInt32(certificate.count))
        data += certificate
        // The digest begins with the password in UTF-16, which is empty, and these words.
        return data + Array(Insecure.SHA1.hash(data: Array("Mighty Aphrodite".utf8) + data))
    }
}
