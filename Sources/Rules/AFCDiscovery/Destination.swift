/// The destination of a request, which together with the media type decides how the body is read.
///
/// A script has different references as a module and as a classic script, and a web app manifest or a sitemap often has
/// a generic media type. The names follow those of the Fetch Standard (§2.2.5).
public enum Destination: String, Sendable, CaseIterable {
    /// A page, also in a frame.
    case document
    /// A style sheet.
    case style
    /// A classic script, including a worker's.
    case script
    /// An ECMAScript module.
    case module
    /// An image, including SVG and the files that SVG uses.
    case image
    /// Sound, video, or the text that belongs to it.
    case media
    /// A font.
    case font
    /// A web app manifest.
    case manifest
    /// A sitemap or a sitemap index.
    case sitemap
    /// An RSS or Atom feed.
    case feed
    /// The playlist of one stream, which a playlist of several streams names.
    case rendition
    /// A piece of a stream, or a key for it.
    case segment
    /// Data, or anything that only the media type will identify.
    case other

    /// True if a page that answers the request is displayed as one, with everything that it refers to.
    ///
    /// No browser loads what a page refers to that answers a request for an image, a style sheet or a script.
    public var showsPages: Bool { self == .document || self == .feed }

    /// Converts the `as` of a preload; Fetch §2.2.5 and HTML §4.6.8.19 "translate a preload destination".
    ///
    /// - Parameter preload: The value of the attribute or parameter.
    init(preload: String?) {
        self =
            switch preload?.trimmedASCII.lowercased() {
            case "document", "iframe", "frame": .document
            case "style": .style
            case "script", "worker", "sharedworker", "serviceworker": .script
            case "audioworklet", "paintworklet": .module
            case "image": .image
            case "audio", "video", "track": .media
            case "font": .font
            case "manifest": .manifest
            default: .other
            }
    }
}
