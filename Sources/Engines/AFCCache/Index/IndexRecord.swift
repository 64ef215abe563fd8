internal import AFCFiles
internal import AFCHTTP
internal import HTTPTypes

/// The layout of one record of an index; docs/developers/cache-format.md has the table.
enum IndexRecord {
    /// The number of bytes before the URL.
    static let headSize = 96
    /// The maximum size of a record in bytes; the lines of manifests and sidecars are shorter.
    static let sizeLimit = 1 << 20

    private enum Flag {
        static let body: UInt16 = 1
        static let digest: UInt16 = 2
        static let requestFields: UInt16 = 4
        static let lastModified: UInt16 = 8
        static let expires: UInt16 = 16
    }

    static func append(_ resource: IndexedResource, to bytes: inout [UInt8]) {
        let start = bytes.count
        var flags: UInt16 = 0
        if resource.member != nil { flags |= Flag.body }
        if resource.digest.count == 32 { flags |= Flag.digest }
        if resource.requestFields != nil { flags |= Flag.requestFields }
        if resource.lastModified != nil { flags |= Flag.lastModified }
        if resource.expires != nil { flags |= Flag.expires }
        var fields: [UInt8] = []
        var requestFields: [UInt8] = []
        FieldBlock.append(resource.fields, to: &fields)
        if let known = resource.requestFields { FieldBlock.append(known, to: &requestFields) }
        let member = resource.member ?? ""
        let length =
            headSize + resource.url.utf8.count + member.utf8.count + fields.count + requestFields.count
        bytes.append(UInt32(length))
        bytes.append(UInt16(clamping: resource.status))
        bytes.append(flags)
        bytes.append(UInt64(bitPattern: resource.size))
        bytes.append(UInt64(bitPattern: resource.lastModified?.secondsSinceEpoch ?? 0))
        bytes.append(UInt64(bitPattern: resource.expires?.secondsSinceEpoch ?? 0))
        bytes.append(UInt64(bitPattern: resource.received.secondsSinceEpoch))
        bytes.append(resource.number)
        bytes.append(UInt32(resource.url.utf8.count))
        bytes.append(UInt32(member.utf8.count))
        bytes.append(UInt32(fields.count))
        bytes.append(UInt32(requestFields.count))
        bytes.append(UInt32(0))
        bytes.append(contentsOf: resource.digest.count == 32 ? resource.digest : [UInt8](repeating: 0, count: 32))
        assert(bytes.count - start == headSize)
        bytes.append(contentsOf: resource.url.utf8)
        bytes.append(contentsOf: member.utf8)
        bytes.append(contentsOf: fields)
        bytes.append(contentsOf: requestFields)
    }

    /// Returns the length of a record according to its first bytes; nil if it is invalid.
    static func length(_ bytes: UnsafeRawBufferPointer) -> Int? {
        guard bytes.count >= 4 else { return nil }
        let length = Int(bytes.u32(0))
        return (headSize...sizeLimit).contains(length) ? length : nil
    }

    /// Returns true if a record has a URL.
    static func hasURL(_ url: UnsafeBufferPointer<UInt8>, _ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count >= headSize, Int(bytes.u32(44)) == url.count, bytes.count >= headSize + url.count else {
            return false
        }
        return UnsafeRawBufferPointer(rebasing: bytes[headSize..<(headSize + url.count)]).elementsEqual(url)
    }

    /// Returns the URL of a record; nil if the bytes are malformed.
    static func url(_ bytes: UnsafeRawBufferPointer) -> String? {
        guard bytes.count >= headSize, bytes.count - headSize >= Int(bytes.u32(44)) else { return nil }
        return String(decoding: bytes[headSize..<(headSize + Int(bytes.u32(44)))], as: UTF8.self)
    }

    /// Returns true if the URL of a record sorts before a text; nil if the bytes are malformed.
    ///
    /// The bytes need only contain as much of the URL as the text is long.
    static func isURL(in bytes: UnsafeRawBufferPointer, before text: UnsafeBufferPointer<UInt8>) -> Bool? {
        guard bytes.count >= headSize else { return nil }
        let length = min(Int(bytes.u32(44)), text.count)
        guard bytes.count - headSize >= length else { return nil }
        return bytes[headSize..<(headSize + length)].lexicographicallyPrecedes(text)
    }

    /// Reads a whole record.
    ///
    /// - Returns: The resource, or nil if the bytes are malformed.
    static func read(_ bytes: UnsafeRawBufferPointer) -> IndexedResource? {
        guard let length = length(bytes), length == bytes.count else { return nil }
        let flags = bytes.u16(6)
        let lengths = [44, 48, 52, 56].map { Int(bytes.u32($0)) }
        guard lengths.reduce(headSize, +) == length else { return nil }
        var position = headSize
        func part(_ length: Int) -> UnsafeRawBufferPointer {
            defer { position += length }
            return UnsafeRawBufferPointer(rebasing: bytes[position..<(position + length)])
        }
        let url = String(decoding: part(lengths[0]), as: UTF8.self)
        let member = String(decoding: part(lengths[1]), as: UTF8.self)
        guard let fields = FieldBlock.read(part(lengths[2])), let requestFields = FieldBlock.read(part(lengths[3])),
            flags & Flag.body == 0 || FolderListing.isBelow(member)
        else { return nil }
        // Other values would overflow in calculations, or are no status (RFC 9110 §15).
        guard (200...599).contains(bytes.u16(4)), Int64(bitPattern: bytes.u64(8)) >= 0,
            [16, 24, 32].allSatisfy({ Int64(bitPattern: bytes.u64($0)).magnitude < 1 << 40 })
        else { return nil }
        func time(_ offset: Int) -> Timestamp { Timestamp(secondsSinceEpoch: Int64(bitPattern: bytes.u64(offset))) }
        return IndexedResource(
            url: url,
            number: bytes.u32(40),
            status: Int(bytes.u16(4)),
            member: flags & Flag.body != 0 ? member : nil,
            size: Int64(bitPattern: bytes.u64(8)),
            lastModified: flags & Flag.lastModified != 0 ? time(16) : nil,
            expires: flags & Flag.expires != 0 ? time(24) : nil,
            received: time(32),
            fields: fields,
            requestFields: flags & Flag.requestFields != 0 ? requestFields : nil,
            digest: flags & Flag.digest != 0 ? Array(bytes[64..<96]) : []
        )
    }
}

extension [UInt8] {
    /// Appends a number in little-endian order.
    mutating func append<Number: FixedWidthInteger>(_ number: Number) where Number: UnsignedInteger {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }
}

extension UnsafeRawBufferPointer {
    func u16(_ offset: Int) -> UInt16 {
        UInt16(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt16.self))
    }
    func u32(_ offset: Int) -> UInt32 {
        UInt32(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
    func u64(_ offset: Int) -> UInt64 {
        UInt64(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
}
