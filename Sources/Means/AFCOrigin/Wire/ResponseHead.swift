package import HTTPTypes

/// The head of a response as it was received.
package struct ResponseHead: Equatable, Sendable {
    /// The status, 100 to 999.
    package var status: Int
    /// The reason phrase, which may be empty.
    package var reason: String
    /// True if the sender speaks HTTP/1.1 or later.
    package var isHTTP11: Bool
    /// All fields, in their order, their values byte for byte.
    package var fields: HTTPFields

    /// Returns true if a field's list has a member, ignoring case.
    package func lists(_ member: String, in name: HTTPField.Name) -> Bool {
        fields[values: name].contains { value in
            value.split(separator: ",").contains { Self.trimmed($0).lowercased() == member }
        }
    }

    /// True if the connection stays open after this message (RFC 9112 §9.3).
    package var keepsConnection: Bool {
        if lists("close", in: .connection) { return false }
        return isHTTP11 || lists("keep-alive", in: .connection)
    }

    static func trimmed(_ text: Substring) -> Substring {
        var text = text
        while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return text
    }
}

/// The limits on the parts of a message.
package struct WireLimits: Equatable, Sendable {
    /// The most bytes of a head, together with the interim responses before it; Chromium has the same limit.
    package var headBytes = 256 << 10
    /// The most bytes of trailers.
    package var trailerBytes = 64 << 10
    /// The most lines of a head, or of trailers.
    package var lines = 1024
    /// The most interim responses before a final one.
    package var interims = 16

    /// Creates limits with the defaults.
    package init() {}
}

/// An error in the bytes that a peer sent.
package struct WireError: Error, Equatable, CustomStringConvertible {
    /// The error as a sentence, without the peer's bytes.
    package var description: String
    /// True if the connection ended too early, and the bytes before were valid.
    package var isCut = false
    /// True if the bytes may be valid, but exceed a limit of this client.
    package var isLimit = false

    package init(_ description: String) { self.description = description }

    /// Returns the error for a connection that ended too early.
    package static func cut(_ description: String) -> WireError {
        var error = WireError(description)
        error.isCut = true
        return error
    }

    /// Returns the error for a response that exceeds a limit.
    private static func limit(_ description: String) -> WireError {
        var error = WireError(description)
        error.isLimit = true
        return error
    }

    /// Returns the error for too many responses before the final one.
    static func tooManyInterims(_ limit: Int) -> WireError {
        .limit("the server sent more than \(limit) interim responses")
    }

    /// Returns the error for a head that is too long.
    static func longHead(_ limit: Int) -> WireError {
        .limit("the response's head is longer than \(limit) bytes")
    }

    /// Returns the error for trailers that are too long.
    static func longTrailers(_ limit: Int) -> WireError {
        .limit("the response's trailers are longer than \(limit) bytes")
    }

    /// Returns the error for a head, or trailers, with too many fields.
    static func tooManyFields(_ limit: Int) -> WireError {
        .limit("the response has more than \(limit) fields")
    }

    /// The error for a body that mainly consists of chunk extensions, padding, or frames of single bytes.
    static let tooMuchFraming = WireError.limit("the response has much more framing than data")

    /// The error for an incomplete body.
    package static let truncated = WireError.cut("the connection closed before the response's body was complete")

    /// The error for a missing response.
    package static let closed = WireError.cut("the connection closed before a response arrived")
}
