internal import HTTPTypes

/// Fields as bytes: for each field the name's length (2), the value's length (4), name and value, little-endian.
///
/// Values keep their bytes, even if they aren't UTF-8.
enum FieldBlock {
    static func append(_ fields: HTTPFields, to bytes: inout [UInt8]) {
        for field in fields {
            let name = field.name.rawName
            bytes.append(UInt16(clamping: name.utf8.count))
            field.withUnsafeBytesOfValue { value in
                bytes.append(UInt32(value.count))
                bytes.append(contentsOf: name.utf8)
                bytes.append(contentsOf: value)
            }
        }
    }

    static func bytes(of fields: HTTPFields) -> [UInt8] {
        var bytes: [UInt8] = []
        append(fields, to: &bytes)
        return bytes
    }

    /// Reads fields; nil if they are damaged.
    static func fields(_ bytes: [UInt8]) -> HTTPFields? { bytes.withUnsafeBytes { read($0) } }

    /// Reads fields.
    ///
    /// - Returns: The fields, or nil if the bytes are malformed.
    static func read(_ bytes: UnsafeRawBufferPointer) -> HTTPFields? {
        var fields = HTTPFields()
        var position = 0
        while position < bytes.count {
            guard position + 6 <= bytes.count else { return nil }
            let (name, value) = (Int(bytes.u16(position)), Int(bytes.u32(position + 2)))
            position += 6
            guard position + name + value <= bytes.count else { return nil }
            let text = String(decoding: bytes[position..<(position + name)], as: UTF8.self)
            guard let fieldName = HTTPField.Name(text) else { return nil }
            position += name
            fields.append(HTTPField(name: fieldName, lenientValue: bytes[position..<(position + value)]))
            position += value
        }
        return fields
    }
}
