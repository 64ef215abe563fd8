internal import CDatabase

/// A statement that was prepared once and is run as often as necessary; its connection reuses it afterwards.
package final class Statement {
    private let database: Database
    private let sql: String
    fileprivate let pointer: OpaquePointer

    init(_ sql: String, _ pointer: OpaquePointer, of database: Database) {
        (self.sql, self.pointer, self.database) = (sql, pointer, database)
    }

    deinit { database.putBack(pointer, sql) }

    /// Runs the statement and ignores its rows.
    ///
    /// - Parameter arguments: The values of its parameters, in order.
    /// - Throws: ``DatabaseError`` if SQLite refuses it.
    package func execute(_ arguments: [any DatabaseValue] = []) throws(DatabaseError) {
        let rows = try rows(arguments)
        while try rows.step() {}
    }

    /// Runs the statement row by row.
    ///
    /// - Parameter arguments: The values of its parameters, in order.
    /// - Returns: Its rows; the statement isn't run again while they are read.
    /// - Throws: ``DatabaseError`` if SQLite refuses a value.
    package func rows(_ arguments: [any DatabaseValue] = []) throws(DatabaseError) -> Rows {
        guard sqlite3_bind_parameter_count(pointer) == Int32(arguments.count) else {
            throw DatabaseError(SQLITE_MISUSE, "a statement got \(arguments.count) values: \(sql)")
        }
        for (index, argument) in arguments.enumerated() {
            let result = argument.bind(pointer, Int32(index + 1))
            guard result == SQLITE_OK else { throw error(result) }
        }
        return Rows(self)
    }

    fileprivate func error(_ result: Int32) -> DatabaseError { DatabaseError(result, of: sqlite3_db_handle(pointer)) }
}

/// The rows of a statement, one after the other.
package final class Rows {
    private let statement: Statement

    fileprivate init(_ statement: Statement) { self.statement = statement }

    deinit {
        // The result repeats that of the last step.
        sqlite3_reset(statement.pointer)
        sqlite3_clear_bindings(statement.pointer)
    }

    /// Returns the next row, which counts until the next call; nil at the end.
    package func next() throws(DatabaseError) -> Row? { try step() ? Row(rows: self) : nil }

    /// Returns what a closure makes of each row.
    package func map<Value>(_ transform: (Row) throws -> Value) throws -> [Value] {
        var values: [Value] = []
        while let row = try next() { values.append(try transform(row)) }
        return values
    }

    fileprivate func step() throws(DatabaseError) -> Bool {
        switch sqlite3_step(statement.pointer) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let result: throw statement.error(result)
        }
    }

    fileprivate var pointer: OpaquePointer { statement.pointer }
}

/// A row.
package struct Row {
    fileprivate let rows: Rows

    /// Returns the value of a column; an optional value if it may be null.
    ///
    /// - Parameter column: The number of the column, from 0.
    /// - Throws: ``DatabaseError`` if it is null or has another type, which SQLite permits in any column.
    package subscript<Value: DatabaseValue>(_ column: Int) -> Value {
        get throws(DatabaseError) {
            guard let value = Value.read(rows.pointer, Int32(column)) else {
                let name = sqlite3_column_name(rows.pointer, Int32(column)).map { String(cString: $0) }
                throw .damaged("column '\(name ?? "\(column)")' has a value of another type")
            }
            return value
        }
    }
}
