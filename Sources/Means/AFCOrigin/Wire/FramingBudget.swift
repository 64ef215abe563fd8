/// A pure limit on the bytes that frame a body: the sizes and extensions of chunks, or the heads and padding of frames.
///
/// Every piece of the body earns some framing, and the rest may not exceed an allowance. Otherwise a peer could send
/// without end, and none of it would count as body (RFC 9112 §7.1.1: "A recipient ought to limit the total length of
/// chunk extensions received").
struct FramingBudget {
    /// The bytes of framing that a piece may have, whatever its size.
    private let perPiece: Int
    /// The bytes of framing beyond what the pieces have earned.
    private let allowance: Int
    private var excess: Int64 = 0

    /// A budget for chunks of HTTP/1.1, with the same numbers as Go's net/http; chunks of one byte are fine.
    static let chunks = FramingBudget(perPiece: 16, allowance: 16 << 10)
    /// A budget for DATA frames of HTTP/2; each costs memory until it is read, so frames of one byte aren't fine forever.
    static let frames = FramingBudget(perPiece: 0, allowance: 256 << 10)

    private init(perPiece: Int, allowance: Int) {
        self.perPiece = perPiece
        self.allowance = allowance
    }

    /// Counts a piece of the body.
    ///
    /// - Parameters:
    ///   - framing: The number of bytes that frame the piece.
    ///   - body: The number of bytes of the body in it, at most 2^60.
    /// - Throws: ``WireError`` if all pieces together have too much framing.
    mutating func spend(_ framing: Int, on body: Int64) throws(WireError) {
        excess = max(0, excess + Int64(framing - perPiece) - 2 * body)
        guard excess <= allowance else { throw .tooMuchFraming }
    }
}
