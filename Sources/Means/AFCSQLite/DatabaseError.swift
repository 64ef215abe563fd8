internal import CDatabase

/// An error of SQLite (https://sqlite.org/rescode.html).
package struct DatabaseError: Error, Equatable, CustomStringConvertible {
    /// The extended result code.
    package var extendedCode: Int32
    /// What SQLite says.
    package var message: String

    package init(_ extendedCode: Int32, _ message: String) {
        self.extendedCode = extendedCode
        self.message = message
    }

    /// Creates the error of a file whose contents this program never writes.
    package static func damaged(_ message: String) -> DatabaseError { DatabaseError(SQLITE_CORRUPT, message) }

    init(_ extendedCode: Int32, of handle: OpaquePointer?) {
        let text = handle.map { sqlite3_errmsg($0) } ?? sqlite3_errstr(extendedCode)
        self.init(extendedCode, text.map { String(cString: $0) } ?? "SQLite failed with \(extendedCode)")
    }

    /// The primary result code.
    package var code: Int32 { extendedCode & 0xFF }

    /// True if the file isn't a database, or is a damaged one.
    package var isDamage: Bool { code == SQLITE_CORRUPT || code == SQLITE_NOTADB }

    /// True if another process or connection holds a lock.
    package var isBusy: Bool { code == SQLITE_BUSY || code == SQLITE_LOCKED }

    /// True if the disk has no room.
    package var isWithoutRoom: Bool { afcache_sqlite_without_room(extendedCode) == 1 }

    /// True if a file can't be opened.
    package var isUnopenable: Bool { code == SQLITE_CANTOPEN }

    package var description: String { "SQLite error \(extendedCode): \(message)" }
}
