internal import AFCHTTP
internal import AFCURL
internal import HTTPTypes

/// The media type with which a browser without a proxy shows a response; docs/reference/serve.md, "Media types".
///
/// Packages of AFCache have no types, and many servers send `application/octet-stream` for what they don't know.
/// Browsers would offer such pages as downloads.
enum ShownType {
    /// The stated type.
    case stated
    /// The type that the name in the URL says.
    case named(MediaType)
    /// The type that the first bytes say.
    case unstated

    /// Decides what tells the type of a response.
    ///
    /// - Parameters:
    ///   - fields: The stored response's fields.
    ///   - url: Its URL.
    init(_ fields: HTTPFields, _ url: WebURL) {
        let essence = fields[.contentType].map { $0.prefix { $0 != ";" }.lowercased() }
        guard essence == nil || essence == "application/octet-stream" else {
            self = .stated
            return
        }
        if let type = MediaType(suffixOf: url.path), type.essence != "application/octet-stream" {
            self = .named(type)
            return
        }
        // A name with a suffix that isn't known is that of a file to download.
        let isOpen = fields[.xContentTypeOptions]?.lowercased() != "nosniff"
        self = isOpen && !url.path.lastSegment.utf8.contains(UInt8(ascii: ".")) ? .unstated : .stated
    }
}

extension String {
    /// What follows the last slash.
    fileprivate var lastSegment: Substring {
        utf8.lastIndex(of: UInt8(ascii: "/")).map { self[$0...].dropFirst() } ?? self[...]
    }
}
