internal import HTTPTypes
internal import NIOCore

/// Where an exchange sends its answer: a connection of HTTP/1.1, or a stream of HTTP/2; lives on its event loop.
protocol AnswerSink: AnyObject {
    /// Whether there is room for more of a body.
    var isWritable: Bool { get }

    /// Whoever answers asks for bytes of the request's body.
    func wantBody()

    /// Sends an interim response.
    func sendInterim(_ status: HTTPResponse.Status, _ fields: HTTPFields)

    /// Sends the head, and the body where it is at hand whole and the request and the status let one follow.
    ///
    /// A stream may end before this returns.
    ///
    /// - Parameters:
    ///   - answer: The answer.
    ///   - first: The first bytes of the body, or all of them.
    ///   - length: The length of the body, where it is known and there is one.
    ///   - isWhole: Whether that was all.
    func begin(_ answer: ServerAnswer, first: ByteBuffer?, length: Int64?, isWhole: Bool)

    /// Sends more of the body.
    func send(_ bytes: ByteBuffer)

    /// Ends the answer.
    func end(trailers: HTTPFields?)

    /// Ends the connection, or the stream, so that nobody takes the answer for whole.
    func cut()

    /// Gives the connection away.
    func handOver(_ answer: ServerAnswer, to handover: Handover)
}
