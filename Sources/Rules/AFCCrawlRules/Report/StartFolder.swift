package import AFCURL

/// The pages of an origin, by whether they are below the folder of the start URL.
package struct StartFolder: Sendable, Equatable {
    /// The URL of the folder, with a slash at the end.
    package let url: WebURL
    /// The number of pages below it.
    package private(set) var inside = 0
    /// The number of pages outside of it.
    package private(set) var outside = 0

    /// True if most pages of a site of more than a few are somewhere else, so that somebody may have wanted only this part.
    package var isSmallPart: Bool { outside >= 20 && outside > inside }

    /// Creates a count for the folder of a page; nil if its URL has none.
    init?(of page: WebURL) {
        guard let folder = try? WebURL("./", base: page) else { return nil }
        url = folder
    }

    /// Counts a page, if it is of the same origin.
    mutating func note(_ page: WebURL) {
        guard page.origin == url.origin else { return }
        if page.path.hasPrefix(url.path) { inside += 1 } else { outside += 1 }
    }
}
