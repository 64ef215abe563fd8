internal import AFCDiscovery
internal import AFCSQLite

/// Writes a search index to a new file, which counts only once ``finish(_:)`` has returned.
///
/// The file is not synced; whoever gives it its name syncs it.
struct SearchIndexWriter {
    private let path: String
    private let database: LockedDatabase
    private(set) var pages = 0
    private(set) var words = 0

    /// Creates the file.
    ///
    /// - Parameter path: A path at which there is nothing, in a folder that only this user can change.
    /// - Throws: ``SearchError`` if it can't be created.
    init(path: String) throws(SearchError) {
        self.path = path
        database = try onIndex(path) {
            // A file that isn't finished is never used, so there is nothing to roll back.
            let database = try LockedDatabase(path) { db in
                try db.run(
                    "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE; "
                        + "PRAGMA cache_size = -32768"
                )
            }
            // One transaction holds all pages, each of which is an access of its own.
            try database.use { db in
                try db.run(SearchSchema.tables)
                try db.run("BEGIN")
            }
            return database
        }
    }

    /// Adds a page.
    ///
    /// - Parameters:
    ///   - page: The text of the page.
    ///   - number: The number of its resource in the generation.
    ///   - isPlain: True for a plain text, which comes after pages.
    /// - Throws: ``SearchError`` if it can't be written.
    mutating func add(_ page: PageText, number: Int, isPlain: Bool) throws(SearchError) {
        var (title, headings, text): ([UInt8], [UInt8], [UInt8]) = ([], [], [])
        _ = SearchWord.fold(page.title, into: &title)
        _ = SearchWord.fold(page.headings, into: &headings)
        let count = SearchWord.fold(page.text, into: &text)
        var columns = [title, headings, text].map { String(decoding: $0, as: UTF8.self) }
        let mark = Self.mark(columns)
        let isStemmed = page.language == nil || page.language == "en"
        try onIndex(path) {
            try database.use { db in
                if isStemmed {
                    try db.statement("INSERT INTO stem (rowid, title, heading, text) VALUES (?, ?, ?, ?)")
                        .execute([number + 1, columns[0], columns[1], columns[2]])
                }
                let terms = DefinedTerms.tokens(in: page.headings)
                columns[1] = ([columns[1]] + terms).joined(separator: " ")
                try db.statement("INSERT INTO word (rowid, title, heading, text) VALUES (?, ?, ?, ?)")
                    .execute([number + 1, columns[0], columns[1], columns[2]])
                try db.statement("INSERT INTO page VALUES (?, ?, ?, ?, ?, ?)").execute(
                    [
                        number + 1, page.title, page.language, isPlain ? 1 : 0, count, mark,
                    ]
                )
            }
        }
        pages += 1
        words += count
    }

    /// Completes the index and closes the file.
    ///
    /// - Parameter generation: The digest of the generation that the index belongs to.
    /// - Throws: ``SearchError`` if it can't be written.
    func finish(_ generation: String) throws(SearchError) {
        try onIndex(path) {
            try database.use { db in
                try db.execute("INSERT INTO word (word) VALUES ('optimize')")
                try db.execute("INSERT INTO stem (stem) VALUES ('optimize')")
                for (name, value) in [("generation", generation), ("pages", "\(pages)"), ("words", "\(words)")] {
                    try db.execute("INSERT INTO about VALUES (?, ?)", [name, value])
                }
                try db.execute("COMMIT")
                // The marks come last, so that an index that was cut off has none.
                try db.execute("PRAGMA user_version = \(SearchSchema.version)")
                try db.execute("PRAGMA application_id = \(SearchSchema.applicationID)")
            }
            try database.close()
        }
    }

    /// Returns a hash by which pages with the same words are recognized: 64-bit FNV-1a.
    private static func mark(_ columns: [String]) -> Int64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for column in columns {
            for byte in column.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
            hash = (hash ^ 0xFF) &* 0x100_0000_01B3
        }
        return Int64(bitPattern: hash)
    }
}
