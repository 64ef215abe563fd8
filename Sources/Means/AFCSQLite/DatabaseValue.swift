internal import CDatabase

/// A value that a column of a row can have.
package protocol DatabaseValue {
    /// Returns the value of a column of the current row; nil if it has another type.
    static func read(_ statement: OpaquePointer, _ column: Int32) -> Self?
    /// Makes the value a parameter; the first parameter is 1. Returns SQLite's result.
    func bind(_ statement: OpaquePointer, _ parameter: Int32) -> Int32
}

extension DatabaseValue where Self: FixedWidthInteger {
    package static func read(_ statement: OpaquePointer, _ column: Int32) -> Self? {
        guard sqlite3_column_type(statement, column) == SQLITE_INTEGER else { return nil }
        return Self(exactly: sqlite3_column_int64(statement, column))
    }

    package func bind(_ statement: OpaquePointer, _ parameter: Int32) -> Int32 {
        sqlite3_bind_int64(statement, parameter, Int64(self))
    }
}

extension Int: DatabaseValue {}
extension Int32: DatabaseValue {}
extension Int64: DatabaseValue {}

extension Bool: DatabaseValue {
    package static func read(_ statement: OpaquePointer, _ column: Int32) -> Bool? {
        Int64.read(statement, column).map { $0 != 0 }
    }

    package func bind(_ statement: OpaquePointer, _ parameter: Int32) -> Int32 {
        sqlite3_bind_int64(statement, parameter, self ? 1 : 0)
    }
}

extension Double: DatabaseValue {
    package static func read(_ statement: OpaquePointer, _ column: Int32) -> Double? {
        let type = sqlite3_column_type(statement, column)
        return type == SQLITE_FLOAT || type == SQLITE_INTEGER ? sqlite3_column_double(statement, column) : nil
    }

    package func bind(_ statement: OpaquePointer, _ parameter: Int32) -> Int32 {
        sqlite3_bind_double(statement, parameter, self)
    }
}

/// What makes SQLite copy a parameter (SQLITE_TRANSIENT).
private let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

extension String: DatabaseValue {
    package static func read(_ statement: OpaquePointer, _ column: Int32) -> String? {
        guard sqlite3_column_type(statement, column) == SQLITE_TEXT, let text = sqlite3_column_text(statement, column)
        else { return nil }
        let count = Int(sqlite3_column_bytes(statement, column))
        return String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
    }

    package func bind(_ statement: OpaquePointer, _ parameter: Int32) -> Int32 {
        var text = self
        return text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { bytes in
                // A null pointer would be a null value.
                guard let start = bytes.baseAddress else {
                    return sqlite3_bind_text(statement, parameter, "", 0, copied)
                }
                return sqlite3_bind_text64(
                    statement,
                    parameter,
                    start,
                    UInt64(bytes.count),
                    copied,
                    UInt8(SQLITE_UTF8)
                )
            }
        }
    }
}

extension [UInt8]: DatabaseValue {
    package static func read(_ statement: OpaquePointer, _ column: Int32) -> [UInt8]? {
        guard sqlite3_column_type(statement, column) == SQLITE_BLOB else { return nil }
        // The pointer comes before the size, since it may convert the value.
        let bytes = sqlite3_column_blob(statement, column)
        return Array(UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(statement, column))))
    }

    package func bind(_ statement: OpaquePointer, _ parameter: Int32) -> Int32 {
        withUnsafeBytes { bytes in
            // A null pointer would be a null value.
            guard let start = bytes.baseAddress, !bytes.isEmpty else {
                return sqlite3_bind_zeroblob(statement, parameter, 0)
            }
            return sqlite3_bind_blob64(statement, parameter, start, UInt64(bytes.count), copied)
        }
    }
}

extension Optional: DatabaseValue where Wrapped: DatabaseValue {
    package static func read(_ statement: OpaquePointer, _ column: Int32) -> Wrapped?? {
        guard sqlite3_column_type(statement, column) != SQLITE_NULL else { return .some(nil) }
        return Wrapped.read(statement, column).map { .some($0) }
    }

    package func bind(_ statement: OpaquePointer, _ parameter: Int32) -> Int32 {
        self?.bind(statement, parameter) ?? sqlite3_bind_null(statement, parameter)
    }
}

extension DatabaseValue where Self == Int? {
    /// No value.
    package static var null: Int? { nil }
}
