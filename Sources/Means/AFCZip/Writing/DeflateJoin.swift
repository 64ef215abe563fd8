internal import CZlib

/// Makes deflate streams (RFC 1951) of others, without compressing their bytes again.
package struct DeflateJoin: ~Copyable {
    private let stream: UnsafeMutablePointer<z_stream>
    private let output: UnsafeMutableRawBufferPointer

    /// Creates a joiner.
    ///
    /// - Throws: ``ZipError`` if there is not enough memory.
    package init() throws(ZipError) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        output = .allocate(byteCount: 64 << 10, alignment: 16)
        guard afcache_inflate_init(stream) == Z_OK else {
            stream.deallocate()
            output.deallocate()
            throw ZipError(inputOutput: "there is not enough memory for decompression")
        }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
        output.deallocate()
    }

    /// Returns a stream with a few bytes behind its body; nil if the stream is damaged.
    ///
    /// - Parameters:
    ///   - tail: The bytes, which are ASCII characters.
    ///   - data: The whole stream.
    /// - Returns: The new stream.
    package func appending(_ tail: [UInt8], to data: [UInt8]) -> [UInt8]? {
        guard let (lastBlock, end) = extent(of: data) else { return nil }
        var writer = BitWriter(data, count: end)
        writer.bytes[lastBlock >> 3] &= ~(1 << UInt8(lastBlock & 7))
        writer.addLast(tail)
        return writer.bytes
    }

    /// Returns a stream of bytes that aren't compressed, in blocks of up to 65,535 bytes.
    ///
    /// - Parameters:
    ///   - body: The bytes.
    ///   - tail: Bytes behind them, which are ASCII characters.
    /// - Returns: The stream.
    package static func stored(_ body: some Collection<UInt8>, then tail: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(body.count + body.count / 8192 + 64)
        var rest = body[...]
        while !rest.isEmpty {
            let block = rest.prefix(65_535)
            let length = UInt16(block.count)
            let (low, high) = (UInt8(length & 0xFF), UInt8(length >> 8))
            bytes += [0, low, high, ~low, ~high]
            bytes += block
            rest = rest.dropFirst(block.count)
        }
        var writer = BitWriter(bytes, count: bytes.count * 8)
        writer.addLast(tail)
        return writer.bytes
    }

    /// Returns the bits where a stream's last block begins, and where it ends; nil if the stream is damaged.
    private func extent(of data: [UInt8]) -> (lastBlock: Int, end: Int)? {
        guard data.count <= Int(UInt32.max) else { return nil }
        return data.withUnsafeBytes { bytes in
            inflateReset(stream)
            let input = UnsafeMutableRawBufferPointer(mutating: bytes)
            stream.pointee.next_in = input.bindMemory(to: UInt8.self).baseAddress
            stream.pointee.avail_in = UInt32(bytes.count)
            var lastBlock = 0
            while true {
                stream.pointee.next_out = output.bindMemory(to: UInt8.self).baseAddress
                stream.pointee.avail_out = UInt32(output.count)
                guard inflate(stream, Z_BLOCK) == Z_OK else { return nil }
                // The number of unused bits in the last byte; 64 in the last block; 128 behind a block.
                let state = Int(stream.pointee.data_type)
                guard state & 128 != 0 else {
                    guard stream.pointee.avail_in > 0 || stream.pointee.avail_out == 0 else { return nil }
                    continue
                }
                let position = (bytes.count - Int(stream.pointee.avail_in)) * 8 - state & 7
                if state & 64 != 0 { return (lastBlock, position) }
                lastBlock = position
            }
        }
    }

    /// Returns the checksum of two texts behind each other.
    ///
    /// - Parameters:
    ///   - first: The CRC-32 of the first one.
    ///   - second: The CRC-32 of the second one.
    ///   - size: The size of the second one in bytes.
    /// - Returns: The CRC-32 of both.
    package static func crc32(_ first: UInt32, then second: UInt32, size: Int64) -> UInt32 {
        UInt32(truncatingIfNeeded: crc32_combine(UInt(first), UInt(second), Int(size)))
    }
}

/// Writes bits, the lowest one of each byte first (RFC 1951 §3.1.1).
private struct BitWriter {
    var bytes: [UInt8]
    private var count: Int

    /// Continues behind the first bits of a stream.
    init(_ bytes: [UInt8], count: Int) {
        self.bytes = Array(bytes.prefix((count + 7) / 8))
        self.count = count
        if count & 7 != 0 { self.bytes[self.bytes.count - 1] &= (1 << UInt8(count & 7)) - 1 }
    }

    private mutating func add(_ bit: Bool) {
        if count & 7 == 0 { bytes.append(0) }
        if bit { bytes[bytes.count - 1] |= 1 << UInt8(count & 7) }
        count += 1
    }

    /// Adds a last block with fixed codes (RFC 1951 §3.2.6).
    mutating func addLast(_ text: [UInt8]) {
        for bit in [true, true, false] { add(bit) }
        for byte in text {
            precondition(byte < 144, "other bytes have codes of another form")
            let code = byte + 0x30
            for place in stride(from: 7, through: 0, by: -1) { add(code >> UInt8(place) & 1 == 1) }
        }
        for _ in 0..<7 { add(false) }
    }
}
