import AFCURL

@testable import AFCDiscovery

extension Recipe {
    static let docFX = Recipe("docfx")
    static let dartdoc = Recipe("dartdoc")
    static let javadoc = Recipe("javadoc")
    static let mdBook = Recipe("mdbook")
    static let vitePress = Recipe("vitepress")
}

/// What recipes find in one body.
struct FoundByRecipes {
    /// The URLs of one recipe's references in order, without its guesses.
    let urls: [String]
    /// The URLs of its guesses.
    let guesses: [String]
    /// The destination of each URL.
    let loads: [String: Destination]

    init(
        _ recipe: Recipe,
        in text: String,
        _ type: String = "text/javascript",
        as destination: Destination? = .script,
        at url: String,
        table: RecipeTable = .builtIn
    ) throws {
        try self.init(recipe, in: Array(text.utf8), type, as: destination, at: url, table: table)
    }

    init(
        _ recipe: Recipe,
        in bytes: [UInt8],
        _ type: String = "text/javascript",
        as destination: Destination? = .script,
        at url: String,
        table: RecipeTable = .builtIn
    ) throws {
        let result = ReferenceExtractor.references(
            in: bytes,
            mediaType: type,
            charset: "utf-8",
            url: try WebURL(url),
            destination: destination,
            recipes: table
        )
        let found = result.references.filter { $0.reference.recipe == recipe }
        urls = found.filter { !$0.reference.isGuess }.map(\.url.description)
        guesses = found.filter { $0.reference.isGuess }.map(\.url.description)
        loads = Dictionary(found.map { ($0.url.description, $0.reference.loads) }) { first, _ in first }
    }
}
