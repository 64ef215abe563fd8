/// What a resource is loaded as, which with its media type decides how its body is read.
///
/// The same script is read for other references as a module than as a classic script, and a web app manifest or a
/// sitemap often has a type that many other things have. The names are near those of the Fetch Standard (§2.2.5).
public enum Destination: String, Sendable, CaseIterable {
    /// A page, also one in a frame.
    case document
    /// A style sheet.
    case style
    /// A classic script, also that of a worker.
    case script
    /// An ECMAScript module.
    case module
    /// An image, SVG among them, also what SVG is used from.
    case image
    /// A font.
    case font
    /// A web app manifest.
    case manifest
    /// A sitemap or an index of sitemaps.
    case sitemap
    /// A feed, RSS or Atom.
    case feed
    /// Media, data, and whatever its type will tell.
    case other

    /// What the `as` of a preload says; Fetch §2.2.5 and HTML §4.6.8.19 "translate a preload destination".
    ///
    /// - Parameter preload: The attribute's or parameter's value.
    init(preload: String?) {
        self =
            switch preload?.trimmedASCII.lowercased() {
            case "document", "iframe", "frame": .document
            case "style": .style
            case "script", "worker", "sharedworker", "serviceworker": .script
            case "audioworklet", "paintworklet": .module
            case "image": .image
            case "font": .font
            case "manifest": .manifest
            default: .other
            }
    }
}
