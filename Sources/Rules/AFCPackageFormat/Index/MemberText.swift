internal import AFCText

/// The text of a member, of which parts are read when they are needed, so that it needn't be in memory.
public struct MemberText: Sendable {
    /// The size of the text in bytes.
    public let count: Int
    private let read: @Sendable (_ buffer: UnsafeMutableRawBufferPointer, _ offset: Int) -> Int

    /// Creates a text that a function reads.
    ///
    /// - Parameters:
    ///   - count: The size of the text in bytes.
    ///   - read: Reads from an offset until the buffer is full or the text ends, and returns the number of bytes read.
    ///     It must give the same bytes each time, on any thread.
    public init(count: Int, read: @escaping @Sendable (UnsafeMutableRawBufferPointer, Int) -> Int) {
        self.count = count
        self.read = read
    }

    /// Creates a text in memory.
    public init(_ bytes: [UInt8]) {
        self.init(count: bytes.count) { buffer, offset in
            let count = min(buffer.count, bytes.count - offset)
            bytes.withUnsafeBytes { bytes in
                buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + count)]))
            }
            return count
        }
    }

    /// Reads from an offset until the buffer is full or the text ends.
    ///
    /// - Returns: The number of bytes read.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
        offset < count ? read(buffer, offset) : 0
    }
}

/// The part of a text from which lines are read at places that mostly ascend.
struct TextWindow: ~Copyable {
    private static let firstSize = 4 << 10
    private static let nextSize = 64 << 10

    private let text: MemberText
    private var buffer: UnsafeMutableRawBufferPointer
    private var base = 0
    private var count = 0
    /// The number of times the window was filled; lines are valid until it changes.
    private(set) var fillings = 0

    init(_ text: MemberText) {
        self.text = text
        buffer = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    }

    deinit { buffer.deallocate() }

    /// Returns the line at an offset, with its end if it has one; it was read before, and isn't too long.
    mutating func line(at offset: Int) -> UnsafeBufferPointer<UInt8> {
        guard let line = newLine(at: offset) else {
            preconditionFailure("the line at byte \(offset) had at most \(PackageLayout.lineByteLimit) bytes before")
        }
        return line
    }

    /// Returns the line at an offset, with its end if it has one; nil if it is too long.
    mutating func newLine(at offset: Int) -> UnsafeBufferPointer<UInt8>? {
        if offset >= base, offset < base + count, let line = availableLine(at: offset) { return line }
        let isNear = count > 0 && offset >= base && offset <= base + count
        var size = isNear ? Self.nextSize : Self.firstSize
        while true {
            fill(at: offset, size: size)
            if let line = availableLine(at: offset) { return line }
            guard size <= PackageLayout.lineByteLimit else { return nil }
            size *= 4
        }
    }

    private func availableLine(at offset: Int) -> UnsafeBufferPointer<UInt8>? {
        let bytes = UnsafeBufferPointer(
            rebasing: UnsafeRawBufferPointer(buffer)[..<count].assumingMemoryBound(to: UInt8.self)[...]
        )
        let end = ByteCursor.next(UInt8(ascii: "\n"), in: bytes, from: offset - base)
        guard end < count || base + count >= text.count else { return nil }
        return UnsafeBufferPointer(rebasing: bytes[(offset - base)..<min(end + 1, count)])
    }

    private mutating func fill(at offset: Int, size: Int) {
        if buffer.count < size {
            buffer.deallocate()
            buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
        }
        base = offset
        count = text.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<size]), at: offset)
        fillings += 1
    }
}
