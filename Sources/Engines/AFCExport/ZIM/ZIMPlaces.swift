package import AFCDiscovery
package import AFCHTTP
internal import AFCPackageFile
internal import AFCText
package import AFCURL
internal import Crypto

/// The paths of the entries of a ZIM file: host and path of each URL, with its query.
///
/// A reader decodes the escapes of an address once and compares the result with the paths.
package final class ZIMPlaces: ExportPlaces {
    /// The origin that stands for the file.
    private static let origin = "http://export.invalid/"

    package let kind = ReferenceRewriter.Place.folder
    /// The paths of resources, by number.
    let paths: [String]

    init(_ urls: some Sequence<WebURL>) {
        var taken: Set<String> = []
        paths = urls.map { url in
            var path = Self.path(of: url)
            // Such as a URL that differs in its scheme only.
            if !taken.insert(path).inserted {
                path += "~" + Hexadecimal.text(SHA256.hash(data: Array(url.description.utf8)).prefix(8))
                taken.insert(path)
            }
            return path
        }
    }

    package func shown(_ number: Int, _ url: WebURL) -> WebURL? { address(of: number, isPage: true) }

    package func address(of number: Int, isPage: Bool) -> WebURL? {
        try? WebURL(Self.origin + Self.address(of: paths[number]))
    }

    package func fenced(_ body: [UInt8], _ type: MediaType, _ scripts: PageScripts.Fate) -> [UInt8]? {
        PageFence.fenced(body, type, scripts, scheme: "zim")
    }

    package func write(_ item: ExportedItem, _ body: ExportedBody) throws -> Bool? { nil }

    /// Returns the path of a URL: letters beyond ASCII as they are, other escapes as in the URL, so that no two URLs of a scheme
    /// have the same.
    static func path(of url: WebURL) -> String {
        let host = (url.host ?? "") + (url.port.map { ":\($0)" } ?? "")
        return host
            + url.path.split(separator: "/", omittingEmptySubsequences: false).map(unescaped).joined(separator: "/")
            + (url.query.map { "?" + unescaped($0[...]) } ?? "")
    }

    /// Returns a path as a relative address.
    static func address(of path: String) -> String {
        path.split(separator: "/", omittingEmptySubsequences: false).map { PercentEncodeSet.reserved.encode($0) }
            .joined(separator: "/")
    }

    private static func unescaped(_ text: Substring) -> String {
        guard text.utf8.contains(UInt8(ascii: "%")),
            let decoded = String(validating: String(text).percentDecoded, as: UTF8.self)
        else { return String(text) }
        var result = ""
        for scalar in decoded.unicodeScalars {
            // A part with controls, marks for directions or escapes that mean something keeps all of them.
            let properties = scalar.properties
            let isShown =
                scalar.isASCII
                ? !PercentEncodeSet.reserved.contains(UInt8(scalar.value))
                : scalar.value > 0xA0 && !properties.isDefaultIgnorableCodePoint && !properties.isWhitespace
            guard isShown else { return String(text) }
            result.unicodeScalars.append(scalar)
        }
        return result
    }
}
