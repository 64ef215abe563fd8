internal import GRDB
internal import HTTPTypes

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

// SQLite permits any value in any column, and GRDB ends the program if a value isn't of the requested type.
extension Row {
    /// Returns the value of a column.
    ///
    /// - Throws: `DatabaseError` if it is null or has another type, which this program never writes.
    func value<Value: DatabaseValueConvertible>(_ column: String) throws -> Value {
        let found: DatabaseValue = self[column]
        return try Self.value(found, column)
    }

    /// Returns the value of a column by its index.
    func value<Value: DatabaseValueConvertible>(at index: Int) throws -> Value {
        let found: DatabaseValue = self[index]
        return try Self.value(found, "\(index)")
    }

    /// Returns the value of a column by its index, or nil if it is null.
    func optional<Value: DatabaseValueConvertible>(at index: Int) throws -> Value? {
        let found: DatabaseValue = self[index]
        return found.isNull ? nil : try Self.value(found, "\(index)")
    }

    private static func value<Value: DatabaseValueConvertible>(_ found: DatabaseValue, _ column: String) throws -> Value
    {
        guard let value = Value.fromDatabaseValue(found) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "column '\(column)' has a value of another type")
        }
        return value
    }
}

extension [UInt8] {
    /// The bytes in SQLite's form.
    var blob: DatabaseValue { Data(self).databaseValue }
}

extension FieldBlock {
    /// Returns fields in SQLite's form.
    static func blob(_ fields: HTTPFields) -> DatabaseValue { bytes(of: fields).blob }
}

extension Row {
    /// Returns the bytes of a column, or nil if it is null.
    func bytes(_ index: Int) throws -> [UInt8]? { try withUnsafeData(atIndex: index) { $0.map { Array($0) } } }
}

extension FieldBlock {
    /// Reads fields in SQLite's form; nil if they are damaged.
    static func fields(_ bytes: [UInt8]) -> HTTPFields? { bytes.withUnsafeBytes { read($0) } }
}
