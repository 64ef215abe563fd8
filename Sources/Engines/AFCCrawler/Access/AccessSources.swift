public import AFCCrawlRules
internal import AFCCredentials
internal import AFCFiles
public import AFCHTTP
public import AFCOrigin
public import AFCText
public import AFCURL
internal import HTTPTypes

/// The sources of a crawl's header fields, credentials and cookies.
///
/// They are files, the environment, and the parts of the command line that other users may see.
public struct AccessSources: Sendable {
    /// `Name: value`, or `@FILE` for a file of such lines.
    public var headers: [String] = []
    /// A credentials file with one line per origin: `https://host[:port] basic user:password`, or `… bearer TOKEN`.
    public var credentialsFile: String?
    /// A netrc file.
    public var netrcFile: String?
    /// Cookie files in Netscape's format.
    public var cookieFiles: [String] = []
    /// The environment variables.
    public var environment: [String: String]

    /// The variable that holds `user:password` for the seeds' origin.
    public static let basicVariable = "AFCACHE_BASIC"
    /// The variable that holds a token for the seeds' origin.
    public static let bearerVariable = "AFCACHE_BEARER"

    /// Creates sources.
    ///
    /// - Parameter environment: The process's environment.
    public init(environment: [String: String]) { self.environment = environment }

    /// Reads all sources.
    ///
    /// - Parameters:
    ///   - seeds: The start URLs; credentials from the environment are for their origin.
    ///   - now: The present time.
    /// - Returns: The options, and a warning for each file that other users can read.
    /// - Throws: `PackagingError` if a file can't be read or is malformed; the error contains no secret.
    public func access(
        for seeds: [WebURL],
        now: Timestamp
    ) throws(PackagingError) -> (options: AccessOptions, warnings: [String]) {
        var options = AccessOptions()
        var warnings: [String] = []
        for text in headers {
            if text.hasPrefix("@") {
                let name = String(text.dropFirst())
                for field in try fields(of: name, &warnings) { options.fields[field.name] = field.value }
            } else {
                let field = try UserField.parse(text, isSeen: true, source: "request field")
                options.fields[field.name] = field.value
            }
        }
        if let name = credentialsFile {
            options.credentials = try CredentialFile.credentials(read(name, &warnings), name: name)
        }
        if let own = try environmentCredential(seeds) { add([own], to: &options) }
        if let name = netrcFile {
            let bytes = try read(name, &warnings)
            do throws(Netrc.Malformation) {
                add(try Netrc(bytes).credentials(for: seeds), to: &options)
            } catch {
                throw PackagingError(.badOption, subject: name, message: "line \(error.line): \(error.message)")
            }
        }
        var files: [(name: String, bytes: [UInt8])] = []
        for name in cookieFiles { files.append((name, try read(name, &warnings))) }
        options.cookies = try CookieJar(netscape: files, now: now)
        options.hasLogin = !files.isEmpty || !options.credentials.isEmpty || options.fields[.authorization] != nil
        return (options, warnings)
    }

    /// Returns the proxy that a text names, with its credentials from the environment.
    ///
    /// - Parameter text: `http://host:port`.
    /// - Returns: The proxy.
    /// - Throws: `PackagingError` if the text is not such a URL, or the variable is not `user:password`.
    public func proxy(_ text: String) throws(PackagingError) -> OriginProxy {
        try OriginProxy(text, credentials: try basic(OriginProxy.variable))
    }

    private func add(_ credentials: [OriginCredential], to options: inout AccessOptions) {
        for credential in credentials where !options.credentials.contains(where: { $0.origin == credential.origin }) {
            options.credentials.append(credential)
        }
    }

    private func fields(of name: String, _ warnings: inout [String]) throws(PackagingError) -> [HTTPField] {
        var fields: [HTTPField] = []
        let text = String(decoding: try read(name, &warnings), as: UTF8.self)
        for (number, line) in zip(1..., text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)) {
            guard line.contains(where: { !$0.isWhitespace }), !line.hasPrefix("#") else { continue }
            do throws(PackagingError) {
                fields.append(try UserField.parse(line, isSeen: false, source: name))
            } catch {
                throw PackagingError(error.code, subject: name, message: "line \(number): \(error.message)")
            }
        }
        return fields
    }

    /// Returns the bytes of a small file, and warns if users other than its owner can read it.
    private func read(_ name: String, _ warnings: inout [String]) throws(PackagingError) -> [UInt8] {
        do throws(FileError) {
            let file = try OpenFile(reading: name)
            let bytes = try file.contents(upTo: 4 << 20)
            if try file.state().mode & 0o044 != 0 {
                let shown = PrintableText.quoted(name)
                warnings.append(
                    "other users can read \(shown); run 'chmod 600' on it"
                )
            }
            return bytes
        } catch {
            throw PackagingError(.inputOutput, subject: name, message: error.message)
        }
    }

    private func environmentCredential(_ seeds: [WebURL]) throws(PackagingError) -> OriginCredential? {
        let basic = try basic(Self.basicVariable)
        let token = environment[Self.bearerVariable]
        guard let variable = basic != nil ? Self.basicVariable : token != nil ? Self.bearerVariable : nil else {
            return nil
        }
        guard basic == nil || token == nil else {
            let message = "\(Self.bearerVariable) is also set; set only one of them"
            throw PackagingError(.badOption, subject: variable, message: message)
        }
        guard let seed = seeds.first, Set(seeds.map(\.origin)).count == 1 else {
            let message = "the start URLs have several origins; name the one it is for in a credentials file"
            throw PackagingError(.badOption, subject: variable, message: message)
        }
        if let basic { return OriginCredential(for: seed, basic: basic) }
        guard let token, let credential = OriginCredential(for: seed, bearer: token) else {
            let message =
                token?.isEmpty ?? true
                ? "the variable is empty; put the token into it, or unset it"
                : "not a valid token: it contains a space or another character that tokens can't have"
            throw PackagingError(.badOption, subject: variable, message: message)
        }
        return credential
    }

    private func basic(_ variable: String) throws(PackagingError) -> BasicCredentials? {
        guard let text = environment[variable] else { return nil }
        do throws(BasicCredentials.Malformation) {
            return try BasicCredentials(text)
        } catch {
            throw PackagingError(.badOption, subject: variable, message: "not of the form 'user:password': \(error)")
        }
    }
}
