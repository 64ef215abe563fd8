internal import AFCCache

/// A place in the pages of a generation, in the order of their URLs.
struct PageCursor {
    private static let batch = 256

    /// The generation.
    let generation: CurrentGeneration
    private var number: Int
    private var pending: ArraySlice<CurrentGeneration.Resource> = []

    /// Creates a cursor.
    ///
    /// - Parameters:
    ///   - generation: The generation.
    ///   - text: The beginning of the first URL.
    ///   - isAfter: True to begin after the URL that is the text.
    /// - Throws: `CacheError` if the generation can't be read.
    init(_ generation: CurrentGeneration, from text: String = "", isAfter: Bool = false) throws(CacheError) {
        self.generation = generation
        number = try generation.firstNumber(notBefore: text)
        try fill()
        if isAfter, first?.url == text { try advance() }
    }

    /// The page at this place; nil at the end.
    var first: CurrentGeneration.Resource? { pending.first }

    /// Goes to the next page.
    ///
    /// - Throws: `CacheError` if the generation can't be read.
    mutating func advance() throws(CacheError) {
        pending = pending.dropFirst()
        if pending.isEmpty { try fill() }
    }

    private mutating func fill() throws(CacheError) {
        var found: [CurrentGeneration.Resource] = []
        var last: Int?
        try generation.forEachResource(from: number) { resource in
            last = resource.number
            if PageKind(resource.fields, status: resource.status) != nil { found.append(resource) }
            return found.count < Self.batch
        }
        if let last { number = last + 1 }
        pending = found[...]
    }

    /// Returns a negative number, 0 or a positive number for the order of two URLs; nil comes last.
    static func order(_ one: String?, _ other: String?) -> Int {
        guard let one else { return 1 }
        guard let other else { return -1 }
        if one == other { return 0 }
        return one.utf8.lexicographicallyPrecedes(other.utf8) ? -1 : 1
    }
}
