import AFCSQLite
import CDatabase
import Foundation
import TestSupport
import Testing

/// What the store, the search index and a crawl's state expect of SQLite.
struct DatabaseTests {
    private static func memory() throws -> LockedDatabase { try LockedDatabase(":memory:") }

    /// Returns the value that a row gives back.
    private static func returned<Value: DatabaseValue>(_ value: Value) throws -> Value? {
        try memory().use { db in try db.first("SELECT ?", [value]) }
    }

    @Test func `values come back as they were given`() throws {
        for number in [0, 1, -1, Int64.max, Int64.min] { #expect(try Self.returned(number) == number) }
        for text in ["", "a", "ü", "a\u{0}b", "'", String(repeating: "x", count: 100_000)] {
            #expect(try Self.returned(text) == text)
        }
        for bytes in [[], [0], [0xFF, 0, 1], [UInt8](repeating: 7, count: 100_000)] as [[UInt8]] {
            #expect(try Self.returned(bytes) == bytes)
        }
        for number in [0.5, -1e300] { #expect(try Self.returned(number) == number) }
        for flag in [true, false] { #expect(try Self.returned(flag) == flag) }
        #expect(try Self.returned(Int?.none) == .some(nil))
        #expect(try Self.returned(String?("x")) == "x")
    }

    @Test(arguments: ["NULL", "'1'", "1.5", "x'01'", "9223372036854775807"])
    func `a value of another type is damage, not a crash`(literal: String) throws {
        let error = #expect(throws: DatabaseError.self) {
            try Self.memory().use { db in let _: Int32? = try db.first("SELECT \(literal) AS size") }
        }
        #expect(error == .damaged("column 'size' has a value of another type"))
    }

    @Test func `text that isn't UTF-8 is repaired`() throws {
        let text: String? = try Self.memory().use { try $0.first("SELECT CAST(x'61FF62' AS TEXT)") }
        #expect(text == "a\u{FFFD}b")
    }

    @Test func `a statement whose rows are read can run again at the same time`() throws {
        try Self.memory().use { db in
            try db.run("CREATE TABLE t (a); INSERT INTO t VALUES (1), (2), (3)")
            var pairs: [[Int]] = []
            let outer = try db.rows("SELECT a FROM t")
            while let row = try outer.next() {
                let inner = try db.rows("SELECT a FROM t")
                while let other = try inner.next() { pairs.append([try row[0], try other[0]]) }
            }
            #expect(pairs.count == 9 && Set(pairs).count == 9)
        }
    }

    @Test func `an error in a transaction leaves nothing of it`() throws {
        struct Stop: Error {}
        let database = try Self.memory()
        try database.change { db in try db.run("CREATE TABLE t (a UNIQUE)") }
        #expect(throws: Stop.self) {
            try database.change { db in
                try db.execute("INSERT INTO t VALUES (?)", [1])
                throw Stop()
            }
        }
        #expect(throws: DatabaseError.self) {
            try database.change { db in for _ in 0..<2 { try db.execute("INSERT INTO t VALUES (?)", [1]) } }
        }
        #expect(try database.use { try $0.first("SELECT count(*) FROM t") } == 0)
    }

    @Test func `rows that refer to a removed row are removed with it`() throws {
        let count: Int? = try Self.memory().use { db in
            try db.run(
                """
                CREATE TABLE a (id INTEGER PRIMARY KEY);
                CREATE TABLE b (id INTEGER PRIMARY KEY REFERENCES a(id) ON DELETE CASCADE);
                INSERT INTO a VALUES (1); INSERT INTO b VALUES (1); DELETE FROM a
                """
            )
            return try db.first("SELECT count(*) FROM b")
        }
        #expect(count == 0)
    }

    @Test(arguments: ["x?y#z%20.db", "100%41?x#1 ü.db", "file:x.db"])
    func `a file with any name is read without a file beside it`(name: String) throws {
        let scratch = try Scratch()
        let path = scratch.path(name)
        let written = try LockedDatabase(path)
        try written.use { db in
            try db.run("PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (5)")
            try db.checkpoint(truncating: true)
        }
        try written.close()
        let database = try LockedDatabase(path, .immutable)
        #expect(try database.use { try $0.first("SELECT a FROM t") } == 5)
        #expect(throws: DatabaseError.self) { try database.use { try $0.run("DELETE FROM t") } }
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path("")) == [name])
    }

    @Test func `what is wrong with a file is told apart`() throws {
        let scratch = try Scratch()
        let path = scratch.path("x.db")
        try Data(repeating: 0x41, count: 10_000).write(to: URL(fileURLWithPath: path))
        #expect((#expect(throws: DatabaseError.self) { try LockedDatabase(path) })?.isDamage == true)
        let missing = scratch.path("none/x.db")
        #expect((#expect(throws: DatabaseError.self) { try LockedDatabase(missing) })?.isUnopenable == true)
        let other = scratch.path("y.db")
        let first = try LockedDatabase(other)
        try first.use { try $0.run("CREATE TABLE t (a); BEGIN IMMEDIATE") }
        let second = try LockedDatabase(other)
        #expect((#expect(throws: DatabaseError.self) { try second.change { _ in } })?.isBusy == true)
        try first.use { try $0.run("PRAGMA max_page_count = 1") }
        let full = #expect(throws: DatabaseError.self) {
            try first.use { try $0.run("INSERT INTO t VALUES (randomblob(1000000))") }
        }
        #expect(full?.isWithoutRoom == true)
    }

    @Test func `a closed database and a wrong number of values are refused`() throws {
        let database = try Self.memory()
        #expect(throws: DatabaseError.self) { try database.use { try $0.execute("SELECT ?", []) } }
        try database.close()
        try database.close()
        let error = #expect(throws: DatabaseError.self) { try database.use { try $0.execute("SELECT 1") } }
        #expect(error?.code == SQLITE_MISUSE)
    }

    @Test func `threads take turns`() async throws {
        let database = try Self.memory()
        try database.use { try $0.run("CREATE TABLE t (a INTEGER)") }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask { try database.change { try $0.execute("INSERT INTO t VALUES (?)", [number]) } }
            }
            try await group.waitForAll()
        }
        #expect(try database.use { try $0.first("SELECT sum(a) FROM t") } == 19_900)
    }
}
