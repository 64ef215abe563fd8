internal import AFCURL

/// A page for recipes.
struct RecipePage {
    /// The page in UTF-8.
    let text: ScanBuffer
    /// The page's URL.
    let url: WebURL
    /// The content of its first `meta name=generator`, or an empty text.
    let generator: String
    /// The `script` elements that contain their script or data, in order.
    let scripts: [InlineScript]
    /// What the page refers to by itself.
    let references: [Reference]

    /// A `script` element with content.
    struct InlineScript: Sendable {
        /// The element's `id`, or an empty text.
        var id: String
        /// The element's `type`, or an empty text.
        var type: String
        /// The place of the content in the page.
        var range: Range<Int>
    }

    /// Returns true if a script that the page loads has a path with a certain end.
    func loadsScript(withSuffix suffix: String) -> Bool {
        references.contains { $0.isScript && $0.path.hasSuffix(suffix) }
    }

    /// Returns the content of the `script` element with an id, or nil if there is none.
    func script(id: String) -> ScanBuffer? {
        scripts.first { $0.id == id }.map { ScanBuffer(text.slice($0.range)) }
    }

    /// Returns the range of a `script` element's start tag, or nil if the tag has more than 4096 bytes.
    func startTag(of script: InlineScript) -> Range<Int>? {
        let first = max(0, script.range.lowerBound - 4_096)
        var start = script.range.lowerBound
        while start > first {
            start -= 1
            if text.hasPrefix("<script", at: start) { return start..<script.range.lowerBound }
        }
        return nil
    }
}

extension Reference {
    /// The text without query and fragment.
    var path: Substring {
        let end = text.utf8.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
        return text[..<(end ?? text.endIndex)]
    }

    /// Returns true if a part is in the text; much faster than `contains`.
    func mentions(_ part: StaticString) -> Bool {
        var text = text
        return text.withUTF8 { ScanBuffer($0).position(of: part) != nil }
    }
}

/// A script's file for recipes.
struct RecipeScript {
    /// The script in UTF-8.
    let text: ScanBuffer
    /// The script's URL.
    let url: WebURL
    /// The script's grammar.
    let goal: JavaScriptReferences.Goal
    /// The last segment of the URL's path.
    var name: Substring { url.lastSegment }
}

/// A data file for recipes, such as JSON.
struct RecipeData {
    /// The file's bytes; without gzip, if the file was one.
    let text: ScanBuffer
    /// The file's URL.
    let url: WebURL
    /// The last segment of the URL's path.
    var name: Substring { url.lastSegment }
}

/// The references that one recipe finds in one text.
struct RecipeReferences {
    /// The largest number of guesses in one text.
    static let guessLimit = 64

    let recipe: Recipe
    private(set) var references: [Reference] = []
    private var guesses = 0

    init(_ recipe: Recipe) { self.recipe = recipe }

    /// Adds a resource that the page or script will load.
    ///
    /// - Parameters:
    ///   - address: The address, absolute or relative to the page, script or data file.
    ///   - loads: The destination of the request.
    ///   - offset: The place in the text.
    mutating func add(_ address: String, _ loads: Destination, at offset: Int = 0) {
        append(address, loads, offset, isGuess: false)
    }

    /// Adds a page to which a link leads.
    mutating func addLink(_ address: String, _ loads: Destination, at offset: Int = 0) {
        append(address, loads, offset, isGuess: false, .link)
    }

    /// Adds a guess: a resource that may not exist; guesses beyond the limit are left out.
    ///
    /// - Parameters:
    ///   - address: The address, absolute or relative to the page, script or data file.
    ///   - loads: The destination of the request.
    ///   - offset: The place in the text.
    ///   - limit: The largest number of guesses in the text.
    mutating func addGuess(
        _ address: String,
        _ loads: Destination,
        at offset: Int = 0,
        limit: Int = RecipeReferences.guessLimit
    ) {
        guard guesses < limit else { return }
        guesses += 1
        append(address, loads, offset, isGuess: true)
    }

    private mutating func append(
        _ address: String,
        _ loads: Destination,
        _ offset: Int,
        isGuess: Bool,
        _ kind: Reference.Kind = .requisite
    ) {
        var reference = Reference(address, kind, loads, attribute: recipe.name, at: offset)
        reference.resolution = .utf8Address
        reference.recipe = recipe
        reference.isGuess = isGuess
        references.append(reference)
    }
}

extension WebURL {
    /// The last segment of the path, percent-encoded as in the URL; empty for a folder.
    var lastSegment: Substring { path.lastSegment }
}

extension ScanBuffer {
    /// Returns true if a text, which no name continues on its left, ends at a position.
    func hasSuffix(_ text: StaticString, at end: Int, from start: Int) -> Bool {
        let begin = end - text.utf8CodeUnitCount
        guard begin >= start else { return false }
        for offset in 0..<text.utf8CodeUnitCount where self[begin + offset] != text.utf8Start[offset] { return false }
        guard begin > start else { return true }
        let before = self[begin - 1]
        return !(before.isLetter || before.isDigit || before == UInt8(ascii: "_") || before == UInt8(ascii: "$"))
    }

    /// Finds the first occurrence of a text.
    ///
    /// - Parameters:
    ///   - text: The text, compared byte by byte; a rare byte at its start makes the search fast.
    ///   - start: The position to start at.
    /// - Returns: The position of its first byte, or nil.
    func position(of text: StaticString, from start: Int = 0) -> Int? {
        let length = text.utf8CodeUnitCount
        let first = text.utf8Start[0]
        var index = start
        while true {
            index = find(first, from: index)
            guard index + length <= count else { return nil }
            if slice(index..<index + length).elementsEqual(UnsafeBufferPointer(start: text.utf8Start, count: length)) {
                return index
            }
            index += 1
        }
    }
}
