import AFCCaching
import AFCCrawlRules
import AFCHTTP
import AFCText
import AFCURL
import ArgumentParser

/// The options that select resources; a resource must pass all of them.
struct ListFilter: ParsableArguments {
    @OptionGroup var urls: IncludeOption

    enum State: String, ExpressibleByArgument, CaseIterable {
        case fresh, stale, unstated
    }

    @Option(
        help: ArgumentHelp(
            "Only media types that match, for example 'image/*'. Repeatable; one match is enough.",
            valueName: "type"
        )
    )
    var type: [String] = []

    @Option(
        help: """
            Only responses that are fresh, that are stale, or that don't say how long they are fresh ('unstated').
            """
    )
    var freshness: State?

    /// The options in a form that can be applied to resources.
    struct Compiled {
        fileprivate var urls: IncludeOption.Compiled
        fileprivate var types: [Glob]
        fileprivate var state: State?

        /// Returns true if a resource is selected.
        func admits(_ resource: ListedResource, at now: Timestamp) -> Bool {
            guard urls.admits(resource.url) else { return false }
            let type = (resource.mediaType ?? "").lowercased()
            guard types.isEmpty || types.contains(where: { $0.matches(type) }) else { return false }
            guard let state else { return true }
            return state == resource.expires.map { $0 > now ? .fresh : .stale } ?? .unstated
        }
    }

    func validate() throws {
        _ = try compiled()
        if let type = type.first(where: { !$0.contains("/") && !$0.contains("*") }) {
            throw ValidationError(
                "'--type': \(PrintableText.quoted(type)) is not a media type; write for example 'image/png' or 'image/*'"
            )
        }
    }

    /// True if an option selects anything.
    var isUsed: Bool { !urls.include.isEmpty || !type.isEmpty || freshness != nil }

    /// Says that a selection found nothing, which otherwise looks like an empty package.
    static func noteNothing(of count: Int) {
        let list = CommandLine.arguments.dropFirst().first == "ls" ? "" : ", which 'ls' lists"
        Console.note("note: nothing matches the selection, of \(Quantity.count(count, "resource"))\(list)")
    }

    /// Returns the usage error for a selection that finds nothing, where the result would look like a success.
    ///
    /// - Parameter place: Where nothing was found.
    func nothing(in place: String) -> ValidationError {
        let only = !urls.include.isEmpty && type.isEmpty && freshness == nil
        return only
            ? urls.nothing(in: place)
            : ValidationError("nothing in \(place) matches the selection; 'afcache ls' lists it")
    }

    func compiled() throws -> Compiled {
        Compiled(
            urls: try urls.compiled(),
            types: type.map { Glob($0.lowercased()) },
            state: freshness
        )
    }
}

/// The option that selects URLs.
struct IncludeOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Only URLs that match a pattern as for 'afcache pack --include'. Repeatable; one match is enough.",
            valueName: "pattern"
        )
    )
    var include: [String] = []

    /// The patterns.
    struct Compiled {
        fileprivate var patterns: [URLPattern]

        /// Returns true if a URL is selected.
        func admits(_ url: WebURL) -> Bool { patterns.isEmpty || patterns.contains { $0.matches(url) } }
    }

    func validate() throws { _ = try compiled() }

    /// Returns the usage error for patterns that match nothing.
    ///
    /// - Parameter place: Where nothing was found.
    func nothing(in place: String) -> ValidationError {
        let shown = include.prefix(3).map { PrintableText.quoted("--include " + $0) }.joined(separator: ", ")
        return ValidationError(
            "\(shown) matches no URL in \(place); '*' stands for any characters, and 'afcache ls' lists the URLs"
        )
    }

    func compiled() throws -> Compiled { Compiled(patterns: try patterns()) }

    /// The patterns.
    func patterns() throws -> [URLPattern] { try include.map { try URLPattern.argument($0) } }
}
