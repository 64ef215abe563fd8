package import AFCDiscovery
package import AFCHTTP
package import AFCURL

/// Where the bodies of an export go, and how they refer to each other; several threads use it at once.
package protocol ExportPlaces: Sendable {
    /// What the bodies are part of.
    var kind: ReferenceRewriter.Place { get }

    /// True if pages become something else.
    var converts: Bool { get }

    /// Returns true if the export has a resource.
    func holds(_ number: Int) -> Bool

    /// Returns what a page becomes.
    ///
    /// - Parameters:
    ///   - item: The page.
    ///   - body: The page as received, or the beginning of a larger one.
    ///   - number: Returns the number of the resource that a URL means.
    /// - Returns: What is written instead; nil if it stays a page.
    func converted(_ item: ExportedItem, _ body: [UInt8], number: @escaping (WebURL) -> Int?) -> [UInt8]?

    /// Returns the URL that stands for a resource at the place of its body.
    func shown(_ number: Int, _ url: WebURL) -> WebURL?

    /// Returns the URL that a reference to a resource gets; nil to leave the reference.
    func address(of number: Int, isPage: Bool) -> WebURL?

    /// Returns a body with what keeps it from requesting anything, or the beginning of one.
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - type: Its media type.
    ///   - scripts: What becomes of its scripts.
    /// - Returns: The body; nil if it stays as it is.
    func fenced(_ body: [UInt8], _ type: MediaType, _ scripts: PageScripts.Fate) -> [UInt8]?

    /// Writes a body if the order of bodies makes no difference.
    ///
    /// - Parameters:
    ///   - item: What the body belongs to.
    ///   - body: Writes the body by calling its argument with each piece.
    /// - Returns: False if the export has the body already, under another URL; nil if the output has to write it.
    /// - Throws: `PackageError` if it can't be written, and any error that `body` throws.
    func write(_ item: ExportedItem, _ body: ExportedBody) throws -> Bool?
}

extension ExportPlaces {
    package var converts: Bool { false }

    package func holds(_ number: Int) -> Bool { true }

    package func converted(_ item: ExportedItem, _ body: [UInt8], number: @escaping (WebURL) -> Int?) -> [UInt8]? {
        nil
    }
}

/// Writes a body by calling its argument with each piece.
package typealias ExportedBody = ((UnsafeRawBufferPointer) throws -> Void) throws -> Void

/// What the resources of an export are written to: a folder, or one file.
package protocol ExportOutput: AnyObject {
    associatedtype Places: ExportPlaces

    /// Where the bodies go.
    var places: Places { get }

    /// The number of threads that may prepare bodies; one if the order makes a difference.
    var workers: Int { get }

    /// Writes a body that its place hasn't written.
    ///
    /// - Parameters:
    ///   - item: What the body belongs to.
    ///   - body: Writes the body by calling its argument with each piece.
    /// - Returns: False if the export has the body already, under another URL.
    /// - Throws: `PackageError` if it can't be written, and any error that `body` throws.
    func write(_ item: ExportedItem, _ body: ExportedBody) throws -> Bool

    /// Notes a page for the search; only those with text and without `noindex` come here.
    func add(_ page: SearchedPage, of item: ExportedItem)

    /// Completes the export.
    ///
    /// - Parameters:
    ///   - sites: What the crawls began with, each with the number of its page.
    ///   - redirects: The targets of redirects, by URL.
    /// - Returns: The number of pages that the search finds.
    /// - Throws: `PackageError` if it can't be written; nothing is left behind then.
    func finish(_ sites: [ExportedSite], redirects: [String: WebURL]) throws -> Int
}

/// A resource of an export.
package struct ExportedItem: Sendable {
    /// Its number in the plan.
    package var number: Int
    /// Its URL.
    package var url: WebURL
    /// Its media type; nil if it has none.
    package var type: MediaType?
    /// The encoding of a text that states it within or beside itself; nil if it isn't known.
    package var encoding: String?
    /// The time of its last modification, or when it was received.
    package var date: Timestamp?
    /// The time of its last modification.
    package var modified: Timestamp?
    /// True if pages of other origins may read it (Fetch §3.3, `Access-Control-Allow-Origin: *`).
    package var isShared = false
    /// The digest of the body as it is written; nil if it isn't known.
    package var digest: String?
    /// True if references in its body were replaced.
    package var isChanged = false
}

/// A site, as the first page of an export names it.
package struct ExportedSite {
    /// Its title; empty if it has none.
    package var title: String
    /// The number of its start page.
    package var number: Int
    /// The URL of its start page.
    package var url: WebURL
    /// Its icon, as a `data:` URL.
    package var icon: String?
    /// Its language.
    package var language: String?
    /// The time when its package was made.
    package var made: Timestamp
    /// Where its package is from, in words.
    package var provenance: [String]
}
