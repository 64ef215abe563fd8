import AFCURL

@testable import AFCDiscovery

/// What a playlist or a description of streams names.
struct FoundMedia {
    /// The paths, or whole URLs of other hosts.
    let paths: [String]
    /// The limits that left something out.
    let cuts: Set<DiscoveryCut>
    /// The destinations.
    let loads: [Destination]
    /// The paths of guesses among them.
    let guesses: [String]

    init(
        _ text: String,
        _ type: String,
        as destination: Destination? = .media,
        at url: String = "http://d.example/v/m",
        _ media: MediaSelection = .all,
        _ limits: DiscoveryLimits = DiscoveryLimits()
    ) throws {
        let result = ReferenceExtractor.references(
            in: Array(text.utf8),
            mediaType: type,
            charset: nil,
            url: try WebURL(url),
            destination: destination,
            limits: limits,
            media: media
        )
        func path(_ found: ResolvedReference) -> String {
            let path = found.url.path + (found.url.query.map { "?" + $0 } ?? "")
            return found.url.host == "d.example" ? path : found.url.description
        }
        paths = result.references.map(path)
        cuts = result.cuts
        loads = result.references.map(\.reference.loads)
        guesses = result.references.filter(\.reference.isGuess).map(path)
    }
}
