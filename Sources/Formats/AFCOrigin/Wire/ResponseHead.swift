package import HTTPTypes

/// The head of a response as it came over the wire.
package struct ResponseHead: Equatable, Sendable {
    /// The status, 100 to 999.
    package var status: Int
    /// The phrase beside it, which may be empty.
    package var reason: String
    /// Whether the sender speaks HTTP/1.1 or later.
    package var isHTTP11: Bool
    /// All fields, in their order, their values byte for byte.
    package var fields: HTTPFields

    /// Whether a field's list has a member, in any case.
    package func lists(_ member: String, in name: HTTPField.Name) -> Bool {
        fields[values: name].contains { value in
            value.split(separator: ",").contains { Self.trimmed($0).lowercased() == member }
        }
    }

    /// Whether the connection stays open after this message (RFC 9112 §9.3).
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

/// How much of a message a peer may send.
package struct WireLimits: Equatable, Sendable {
    /// The bytes of a head, or of trailers.
    package var headBytes = 64 * 1024
    /// The lines of a head.
    package var lines = 256
    /// The interim responses before a final one.
    package var interims = 16

    /// Creates limits with the defaults.
    package init() {}
}

/// What is wrong with what a peer sent.
package struct WireError: Error, Equatable, CustomStringConvertible {
    /// In words, without what the peer sent.
    package var description: String
    /// A Boolean value that is true where the connection ended too early, and nothing is wrong with what came before.
    package var isCut = false

    package init(_ description: String) { self.description = description }

    /// The connection ended too early.
    package static func cut(_ description: String) -> WireError {
        var error = WireError(description)
        error.isCut = true
        return error
    }

    /// There is no end to what comes before the response.
    static func tooManyInterims(_ limit: Int) -> WireError {
        WireError("more than \(limit) interim responses came")
    }

    /// The body isn't all there.
    package static let truncated = WireError.cut("the connection was closed within the response's body")

    /// Nothing came.
    package static let closed = WireError.cut("the connection was closed before the response")
}
