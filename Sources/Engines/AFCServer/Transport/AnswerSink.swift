internal import HTTPTypes
internal import NIOCore

/// The receiver of a request's answer: an HTTP/1.1 connection or an HTTP/2 stream; lives on its event loop.
protocol AnswerSink: AnyObject {
    /// True if there is room for more of a body.
    var isWritable: Bool { get }

    /// The receiver of parts of files; nil if the body must pass through the program, for example to be encrypted.
    var files: (any FileSink)? { get }

    /// Requests bytes of the request's body from the client.
    func wantBody()

    /// Sends an interim response.
    func sendInterim(_ status: HTTPResponse.Status, _ fields: HTTPFields)

    /// Sends the head, and the body if all of it is available and the request and the status allow one.
    ///
    /// A stream may end before this returns.
    ///
    /// - Parameters:
    ///   - answer: The answer.
    ///   - first: The first bytes of the body, or all of them.
    ///   - length: The length of the body, if there is one and its length is known.
    ///   - isWhole: True if the body ends with these bytes.
    func begin(_ answer: ServerAnswer, first: ByteBuffer?, length: Int64?, isWhole: Bool)

    /// Sends more of the body.
    func send(_ bytes: ByteBuffer)

    /// Ends the answer.
    func end(trailers: HTTPFields?)

    /// Cuts the connection or the stream, so that no client takes the answer for complete.
    func cut()

    /// Hands the connection over to its new use.
    func handOver(_ answer: ServerAnswer, to handover: Handover)
}

/// A receiver of an answer that also sends parts of files.
protocol FileSink: AnyObject {
    /// Sends more of the body, and releases the part when it is sent or can't be sent.
    func send(_ part: FilePart)
}
