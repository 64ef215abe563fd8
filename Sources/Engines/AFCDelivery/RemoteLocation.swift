internal import AFCPackageFormat
internal import AFCText
public import AFCURL
internal import Crypto

/// The location of a package on a server, without what may be secret in its URL.
///
/// A query may have a token or a signature, so only its digest is kept. Parameters that prove the right to download are
/// left out of the digest: a URL that is signed again leads to the same location.
public struct RemoteLocation: Sendable, Equatable {
    /// The URL without its query.
    public let url: WebURL
    /// The digest of the query without credentials, in hexadecimal digits; nil if the URL has no query.
    public let query: String?

    /// Creates the location of a URL.
    ///
    /// - Parameter url: The URL that is requested.
    public init(_ url: WebURL) {
        self.url = url.removingCredentials.removingQuery
        query = url.query.map { Self.digest($0) }
    }

    /// Reads the members that ``json`` writes; nil if there is no URL.
    ///
    /// Earlier versions kept the whole URL.
    init?(_ json: JSONValue) {
        guard let text = json["url"]?.string, let url = try? WebURL(text) else { return nil }
        let plain = RemoteLocation(url)
        self.url = plain.url
        query = plain.query ?? json["query"]?.string
    }

    /// The location as members of a JSON object.
    var json: [(String, JSONValue)] {
        [("url", .string(url.description))] + (query.map { [("query", .string($0))] } ?? [])
    }

    /// The location for people, with `?…` in place of a query.
    public var shown: String { query == nil ? url.description : url.description + "?…" }

    // MARK: Credentials in queries

    /// The beginnings of the parameters of signed URLs: AWS and all that speak its API, Google, Alibaba.
    private static let prefixes = ["x-amz-", "x-goog-", "x-oss-"]
    /// Parameters that have a credential or its conditions, in lower case: S3 and Google before these prefixes,
    /// CloudFront, and the tokens of GitLab, Artifactory and others.
    private static let credentials: Set<String> = [
        "signature", "sig", "expires", "awsaccesskeyid", "googleaccessid", "ossaccesskeyid", "key-pair-id", "policy",
        "token", "access_token", "auth_token", "private_token", "job_token", "deploy_token", "jwt", "api_key",
        "api-key", "apikey", "hdnts", "hdnea", "__token__",
    ]
    /// Parameters of Azure's shared access signatures, beside `sig`
    /// (https://learn.microsoft.com/rest/api/storageservices/create-service-sas).
    private static let sharedAccess: Set<String> = [
        "sv", "st", "se", "sr", "sp", "sip", "spr", "ss", "srt", "si", "sdd", "skoid", "sktid", "skt", "ske", "sks",
        "skv", "saoid", "suoid", "scid", "ses",
    ]

    private static func digest(_ query: String) -> String {
        let parameters = query.split(separator: "&").map { text in
            let name = PercentDecoding.decode(text.prefix { $0 != "=" }.utf8)
            return (name: String(decoding: name, as: UTF8.self).lowercased(), text: text)
        }
        let isShared = parameters.contains { $0.name == "sig" }
        let kept = parameters.filter { parameter in
            !credentials.contains(parameter.name) && !prefixes.contains(where: parameter.name.hasPrefix)
                && !(isShared && sharedAccess.contains(parameter.name))
        }
        let text = kept.map(\.text).joined(separator: "&")
        return Hexadecimal.text(SHA256.hash(data: Array(text.utf8)).prefix(16))
    }
}
