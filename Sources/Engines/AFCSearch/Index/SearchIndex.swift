internal import AFCCache
import AFCPlatform
internal import AFCSQLite
internal import AFCText
internal import CDatabase

/// A search index that is open for searching; safe to use from any thread, one search at a time.
final class SearchIndex: Sendable {
    /// A page that matches, with the number by which better ones have higher values.
    struct Hit: Sendable, Equatable {
        /// The number of the page's resource in its generation.
        var number: Int
        var score: Double
        var title: String
        var language: String?
        /// A hash of the page's words, the same for pages with the same words.
        var mark: Int64
    }

    /// The weights of the columns in the order of the table: title, headings, text.
    private static let weights = "bm25(10.0, 4.0, 1.0)"
    /// The share of the score that stems have, so that words as typed come first.
    private static let stemShare = 0.4
    /// The factor for the score of a page that defines what was asked for, which is often a long one with many terms.
    private static let definitionFactor = 5.0
    /// The share of its score that a plain text keeps, since pages with the same words are better to read.
    private static let plainShare = 0.05

    /// The number of pages in the index.
    let pages: Int
    /// The number of words of all pages.
    let words: Int
    private let path: String
    private let database: LockedDatabase

    /// Opens an index.
    ///
    /// - Parameters:
    ///   - path: A regular file.
    ///   - generation: The digest of the generation that it must belong to.
    /// - Throws: ``SearchError`` if it can't be opened, or isn't a finished index of the generation.
    init(path: String, generation: String) throws(SearchError) {
        self.path = path
        (database, pages, words) = try onIndex(path) {
            // The file is never changed, only replaced, and SQLite must not act on files beside it.
            let database = try LockedDatabase(path, .immutable) { db in
                try SearchSchema.harden(db)
                try SearchSchema.check(db)
                try db.run("PRAGMA query_only = 1; PRAGMA cache_size = -8192")
            }
            let about = try database.use { db in
                try Dictionary(
                    db.rows("SELECT name, value FROM about LIMIT 10").map { row in
                        (try row[0] as String, try row[1] as String)
                    },
                    uniquingKeysWith: { one, _ in one }
                )
            }
            guard about["generation"] == generation, let pages = about["pages"].flatMap({ Int($0) }),
                let words = about["words"].flatMap({ Int($0) }), pages >= 0, words >= 0
            else { throw SearchError(.unusable, subject: path, message: "the search index is of another generation") }
            return (database, pages, words)
        }
    }

    /// Finds the best pages for a query; blocks.
    ///
    /// - Parameters:
    ///   - query: The query, which isn't empty.
    ///   - isAny: True if one of the words is enough.
    ///   - isLoose: True if a page may have the parts of a name apart.
    ///   - numbers: The numbers of the resources to search among; nil for all.
    ///   - limit: The most pages to return.
    ///   - deadline: The time on the monotonic clock, in nanoseconds, after which the search is cut off.
    /// - Returns: The pages, the best first.
    /// - Throws: ``SearchError`` if the index is damaged, or the search took too long.
    func search(
        _ query: SearchQuery,
        isAny: Bool = false,
        isLoose: Bool = false,
        in numbers: [Range<Int>]? = nil,
        limit: Int,
        deadline: UInt64
    ) throws(SearchError) -> [Hit] {
        let expression = query.expression(isAny: isAny, isLoose: isLoose)
        return try limited(by: deadline) { db in
            var scores: [Int64: Double] = [:]
            for (table, share) in [("word", 1), ("stem", Self.stemShare)] {
                // Words that are to be side by side are meant as they are written.
                let isPhrase = (query.wanted + query.excluded).contains { $0.words.count > 1 }
                if table == "stem", isPhrase || query.wanted.contains(where: \.isPrefix) { continue }
                try Self.forEach(expression, in: table, numbers, limit, db) { id, rank in
                    scores[id, default: 0] += rank * share
                }
            }
            if !isAny, let term = query.term {
                let defining = "(\(expression)) AND {heading} : \"\(term)\""
                try Self.forEach(defining, in: "word", numbers, limit, db) { id, rank in
                    scores[id] = max(scores[id] ?? 0, rank) * Self.definitionFactor
                }
            }
            let best = scores.sorted { ($0.value, $1.key) > ($1.value, $0.key) }.prefix(limit)
            var hits: [Hit] = []
            for (id, score) in best {
                guard let hit = try Self.hit(id, score: score, query, in: db) else { continue }
                hits.append(hit)
            }
            return hits.sorted { ($0.score, $1.number) > ($1.score, $0.number) }
        }
    }

    /// Calls a body with the best rows for an expression, and their ranks, which are higher for better ones.
    private static func forEach(
        _ expression: String,
        in table: String,
        _ numbers: [Range<Int>]?,
        _ limit: Int,
        _ db: Database,
        _ body: (Int64, Double) -> Void
    ) throws {
        for range in numbers ?? [0..<Int(Int32.max)] {
            let rows = try db.rows(
                """
                SELECT rowid, rank FROM \(table) WHERE \(table) MATCH ? AND rowid BETWEEN ? AND ?
                AND rank MATCH ? ORDER BY rank LIMIT ?
                """,
                [expression, range.lowerBound + 1, range.upperBound, weights, limit]
            )
            while let row = try rows.next() {
                let (id, rank): (Int64, Double) = (try row[0], try row[1])
                body(id, max(0, -rank))
            }
        }
    }

    /// Reads what is known of a page, and adds to its score what its title says.
    private static func hit(_ id: Int64, score: Double, _ query: SearchQuery, in db: Database) throws -> Hit? {
        let statement = try db.statement("SELECT title, language, isPlain, text FROM page WHERE number = ?")
        guard let row = try statement.rows([id]).next(), let number = Int(exactly: id - 1), number >= 0 else {
            return nil
        }
        let title: String = try row[0]
        let isPlain: Bool = try row[2]
        return Hit(
            number: number,
            score: score * (isPlain ? plainShare : TitleRank.factor(title, query)),
            title: String(decoding: title.utf8.prefix(1024), as: UTF8.self),
            language: try row[1],
            mark: try row[3]
        )
    }

    /// Returns the title and language of a page; nil if the index doesn't have the page.
    ///
    /// - Parameter number: The number of its resource.
    /// - Returns: Both; nil for a page that was left out.
    /// - Throws: ``SearchError`` if the index is damaged.
    func page(_ number: Int) throws(SearchError) -> (title: String, language: String?)? {
        try onIndex(path) {
            try database.use { db in
                let sql = "SELECT title, language FROM page WHERE number = ?"
                guard let row = try db.rows(sql, [number + 1]).next() else { return nil }
                return (try row[0], try row[1])
            }
        }
    }

    /// Reads with a deadline, after which SQLite stops.
    private func limited<Value>(by deadline: UInt64, _ body: (Database) throws -> Value) throws(SearchError) -> Value {
        try onIndex(path) {
            try database.use { db in
                var deadline = deadline
                return try withUnsafeMutablePointer(to: &deadline) { deadline in
                    sqlite3_progress_handler(
                        db.connection,
                        2000,
                        { pointer in
                            guard let deadline = pointer?.assumingMemoryBound(to: UInt64.self).pointee else { return 1 }
                            return SearchClock.now > deadline ? 1 : 0
                        },
                        deadline
                    )
                    defer { sqlite3_progress_handler(db.connection, 0, nil, nil) }
                    return try body(db)
                }
            }
        }
    }
}

/// The monotonic clock, for deadlines.
package enum SearchClock {
    /// The time in nanoseconds.
    package static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}

/// The effect of a page's title on its rank: pages that are about the words come before pages that mention them.
enum TitleRank {
    /// Returns the factor for a page's score: 1 if the title says nothing, up to 20 if it is what was asked for.
    ///
    /// Titles often end with the name of the site behind a dash or a bar, so the first part counts most.
    static func factor(_ title: String, _ query: SearchQuery) -> Double {
        let wanted = query.words
        guard !wanted.isEmpty else { return 1 }
        let parts = title.split { "—–|·»›:".contains($0) }.map(String.init)
        let first = SearchWord.all(in: parts.first ?? title, limit: 64).map(\.text)
        // It comes before pages that define the words among others.
        if first == wanted { return 20 }
        let all = parts.count > 1 ? SearchWord.all(in: title, limit: 64).map(\.text) : first
        let found = wanted.count { all.contains($0) }
        guard found > 0 else { return 1 }
        let share = Double(found) / Double(wanted.count)
        // A short title that has the words is more about them than a long one.
        let density = Double(min(found, first.count)) / Double(max(1, first.count))
        return 1 + share * (0.5 + density)
    }
}
