/// A property list of Apple's systems, as it is in files of web archives and caches.
///
/// It is a tree of limited size and depth, whatever the file says; the bytes of data stay in the file.
package indirect enum PropertyList: Equatable, Sendable {
    /// The place of data.
    package enum Data: Equatable, Sendable {
        /// The bytes at an offset of the file.
        case range(offset: Int64, count: Int64)
        /// The bytes that a list in XML has in base 64.
        case bytes([UInt8])
    }

    /// The reason why a list can't be read.
    package enum Malformation: Error, Equatable {
        /// The file isn't a property list, or its end is missing.
        case noList
        /// A part contradicts the format, or refers to what isn't in the file.
        case damaged
        /// It has too many objects, too much text, or is nested too deeply.
        case tooLarge
    }

    /// No value, or one of a kind that no archive needs.
    case null
    /// A truth value.
    case bool(Bool)
    /// An integer.
    case integer(Int64)
    /// A number with a fraction.
    case real(Double)
    /// A time, in seconds since 2001-01-01 in UTC.
    case date(Double)
    /// Data.
    case data(Data)
    /// A text.
    case text(String)
    /// The number of an object in a keyed archive.
    case reference(Int)
    /// A list or a set.
    case array([PropertyList])
    /// Values with names; of equal names, the first.
    case dictionary([String: PropertyList])

    /// The most objects; one that is referred to twice counts twice.
    package static let objectLimit = 1_000_000
    /// The deepest nesting.
    package static let depthLimit = 64
    /// The most bytes of all texts.
    package static let textLimit = 64 << 20

    /// Returns the value with a name; nil if this isn't a dictionary, or doesn't have it.
    package subscript(_ name: String) -> PropertyList? {
        if case .dictionary(let values) = self { values[name] } else { nil }
    }

    /// Returns the value at an index; nil if this isn't a list, or a shorter one.
    package subscript(_ index: Int) -> PropertyList? {
        if case .array(let values) = self, values.indices.contains(index) { values[index] } else { nil }
    }

    /// The text; nil for another kind.
    package var string: String? { if case .text(let text) = self { text } else { nil } }

    /// The number; nil for another kind.
    package var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .real(let value), .date(let value): value
        default: nil
        }
    }
}

/// Reads a binary property list (https://opensource.apple.com/source/CF/CF-550/CFBinaryPList.c.auto.html).
package struct BinaryPropertyList {
    /// The bytes with which a file begins.
    package static let mark = Array("bplist0".utf8)

    private static let (trailerSize, headerSize): (Int64, Int64) = (32, 8)

    private let size: Int64
    private let source: (_ offset: Int64, _ count: Int) throws -> [UInt8]
    private let offsetSize: Int
    private let referenceSize: Int
    private let objectCount: Int64
    private let table: Int64
    private let top: Int64
    private var objects = 0
    private var textBytes = 0

    /// Reads a list.
    ///
    /// - Parameters:
    ///   - size: The size of the file in bytes.
    ///   - source: Returns the bytes at an offset, which is within the file.
    /// - Returns: The list.
    /// - Throws: ``PropertyList/Malformation``, or an error of the source.
    package static func read(
        size: Int64,
        from source: (_ offset: Int64, _ count: Int) throws -> [UInt8]
    ) throws -> PropertyList {
        try withoutActuallyEscaping(source) { source in
            var reader = try BinaryPropertyList(size: size, source)
            return try reader.object(reader.top, depth: 0)
        }
    }

    /// Reads a list that is in memory.
    ///
    /// - Parameter bytes: The file.
    /// - Returns: The list.
    /// - Throws: ``PropertyList/Malformation``.
    package static func read(_ bytes: [UInt8]) throws(PropertyList.Malformation) -> PropertyList {
        do {
            return try read(size: Int64(bytes.count)) { Array(bytes[Int($0)..<Int($0) + $1]) }
        } catch {
            throw error as? PropertyList.Malformation ?? .damaged
        }
    }

    private init(size: Int64, _ source: @escaping (Int64, Int) throws -> [UInt8]) throws {
        guard size >= Self.headerSize + Self.trailerSize,
            try source(0, Self.mark.count) == Self.mark
        else { throw PropertyList.Malformation.noList }
        (self.size, self.source) = (size, source)
        let trailer = try source(size - Self.trailerSize, Int(Self.trailerSize))
        (offsetSize, referenceSize) = (Int(trailer[6]), Int(trailer[7]))
        func number(_ offset: Int) -> Int64? { Int64(exactly: Self.unsigned(trailer[offset..<offset + 8])) }
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize), let count = number(8),
            let top = number(16),
            let table = number(24), table >= Self.headerSize, table <= size - Self.trailerSize, count > 0,
            count <= (size - Self.trailerSize - table) / Int64(offsetSize), top < count
        else { throw PropertyList.Malformation.noList }
        (objectCount, self.top, self.table) = (count, top, table)
    }

    private static func unsigned(_ bytes: some Sequence<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }

    /// Returns bytes of an object, which all lie before the table.
    private func bytes(_ count: Int64, at offset: Int64) throws -> [UInt8] {
        guard count >= 0, offset >= 0, offset <= table, count <= table - offset else {
            throw PropertyList.Malformation.damaged
        }
        return count == 0 ? [] : try source(offset, Int(count))
    }

    private mutating func object(_ number: Int64, depth: Int) throws -> PropertyList {
        guard number >= 0, number < objectCount else { throw PropertyList.Malformation.damaged }
        objects += 1
        guard objects <= PropertyList.objectLimit, depth <= PropertyList.depthLimit else {
            throw PropertyList.Malformation.tooLarge
        }
        let entry = try source(table + number * Int64(offsetSize), offsetSize)
        guard let offset = Int64(exactly: Self.unsigned(entry)), offset >= Self.headerSize, offset < table else {
            throw PropertyList.Malformation.damaged
        }
        let mark = try bytes(1, at: offset)[0]
        let (kind, low) = (mark >> 4, mark & 0x0F)
        switch kind {
        case 0: return low == 8 ? .bool(false) : low == 9 ? .bool(true) : .null
        case 1: return .integer(try integer(low, at: offset + 1))
        case 2: return .real(try real(low, at: offset + 1))
        case 3: return .date(try real(3, at: offset + 1))
        case 8:
            let value = Self.unsigned(try bytes(Int64(low) + 1, at: offset + 1).suffix(8))
            guard let value = Int(exactly: value) else { throw PropertyList.Malformation.damaged }
            return .reference(value)
        default: break
        }
        let (count, start) = try count(low, at: offset + 1)
        switch kind {
        case 4:
            guard count <= table - start else { throw PropertyList.Malformation.damaged }
            return .data(.range(offset: start, count: count))
        case 5, 6, 7: return .text(try text(count, at: start, isUTF16: kind == 6))
        case 0xA, 0xB, 0xC: return .array(try objects(count, at: start, depth))
        case 0xD:
            let names = try objects(count, at: start, depth)
            let values = try objects(count, at: start + count * Int64(referenceSize), depth)
            var result: [String: PropertyList] = [:]
            for (name, value) in zip(names, values) {
                guard let name = name.string else { throw PropertyList.Malformation.damaged }
                if result[name] == nil { result[name] = value }
            }
            return .dictionary(result)
        default: throw PropertyList.Malformation.damaged
        }
    }

    private func integer(_ exponent: UInt8, at offset: Int64) throws -> Int64 {
        guard exponent <= 4 else { throw PropertyList.Malformation.damaged }
        let bytes = try bytes(1 << Int64(exponent), at: offset)
        // Those of fewer than eight bytes have no sign; of sixteen, only the lower half is used.
        return Int64(bitPattern: Self.unsigned(bytes.suffix(8)))
    }

    private func real(_ exponent: UInt8, at offset: Int64) throws -> Double {
        guard exponent == 2 || exponent == 3 else { throw PropertyList.Malformation.damaged }
        let bits = Self.unsigned(try bytes(1 << Int64(exponent), at: offset))
        return exponent == 3 ? Double(bitPattern: bits) : Double(Float(bitPattern: UInt32(bits)))
    }

    /// Returns the number of elements of an object and the offset of the first one.
    private func count(_ low: UInt8, at offset: Int64) throws -> (Int64, Int64) {
        guard low == 0x0F else { return (Int64(low), offset) }
        let mark = try bytes(1, at: offset)[0]
        guard mark >> 4 == 1, mark & 0x0F <= 3 else { throw PropertyList.Malformation.damaged }
        let count = try integer(mark & 0x0F, at: offset + 1)
        guard count >= 0, count <= size else { throw PropertyList.Malformation.damaged }
        return (count, offset + 1 + 1 << Int64(mark & 0x0F))
    }

    private mutating func text(_ count: Int64, at offset: Int64, isUTF16: Bool) throws -> String {
        let length = isUTF16 ? 2 * count : count
        guard length <= Int64(PropertyList.textLimit - textBytes) else { throw PropertyList.Malformation.tooLarge }
        let bytes = try bytes(length, at: offset)
        textBytes += Int(length)
        guard isUTF16 else { return String(decoding: bytes, as: UTF8.self) }
        let units = stride(from: 0, to: bytes.count, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
        return String(decoding: units, as: UTF16.self)
    }

    private mutating func objects(_ count: Int64, at offset: Int64, _ depth: Int) throws -> [PropertyList] {
        guard count <= Int64(PropertyList.objectLimit - objects) else { throw PropertyList.Malformation.tooLarge }
        let references = try bytes(count * Int64(referenceSize), at: offset)
        var result: [PropertyList] = []
        for start in stride(from: 0, to: references.count, by: referenceSize) {
            let number = Self.unsigned(references[start..<start + referenceSize])
            guard let number = Int64(exactly: number) else { throw PropertyList.Malformation.damaged }
            result.append(try object(number, depth: depth + 1))
        }
        return result
    }
}
