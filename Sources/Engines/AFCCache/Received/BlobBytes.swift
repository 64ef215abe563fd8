internal import GRDB
internal import HTTPTypes

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension [UInt8] {
    /// The bytes as SQLite takes them.
    var blob: DatabaseValue { Data(self).databaseValue }
}

extension FieldBlock {
    /// Fields as SQLite takes them.
    static func blob(_ fields: HTTPFields) -> DatabaseValue { bytes(of: fields).blob }
}

extension Row {
    /// The bytes of a column, or nil where it is null.
    func bytes(_ index: Int) throws -> [UInt8]? { try withUnsafeData(atIndex: index) { $0.map { Array($0) } } }
}
