internal import AFCHTTP
internal import HTTPTypes
internal import NIOCore

/// Writes the head of a response of HTTP/1.1 (RFC 9112 §4 and §5).
struct HeadWriter {
    /// How the end of the body is told (RFC 9112 §6).
    enum Framing: Equatable {
        /// Content-Length, or nothing where the response has no body by its status.
        case length(Int64?)
        /// Transfer-Encoding: chunked.
        case chunked
        /// The end of the connection.
        case untilClose
    }

    /// What the Connection field says.
    enum Persistence: Equatable {
        /// Nothing: what HTTP/1.1 does anyway.
        case implied
        /// `keep-alive`, for HTTP/1.0.
        case keepAlive
        /// `close`.
        case close
        /// `upgrade`, with 101.
        case upgrade
    }

    /// Where numbers that move with the clock stand.
    struct Holes {
        var age: (range: Range<Int>, number: Int64)?
        var ttl: (range: Range<Int>, number: Int64)?
    }

    var status: HTTPResponse.Status
    var fields: HTTPFields
    var framing: Framing
    var persistence: Persistence
    /// The number of `ttl` in the last line of Cache-Status, where it is of this cache (RFC 9211 §2.5).
    var ttl: Int64?

    /// Where the number of `ttl` stands in a value whose last member is this cache's.
    private static func place(of ttl: Int64, in value: String) -> Range<Int>? {
        let bytes = Array(value.utf8)
        let text = Array("; ttl=\(ttl)".utf8)
        guard bytes.count >= text.count else { return nil }
        for start in stride(from: bytes.count - text.count, through: 0, by: -1)
        where bytes[start..<start + text.count].elementsEqual(text) {
            return start + "; ttl=".utf8.count..<start + text.count
        }
        return nil
    }

    /// Writes the head, with the empty line.
    ///
    /// - Parameter buffer: Where it goes.
    /// - Returns: Where in the bytes written the moving numbers stand.
    @discardableResult
    func write(into buffer: inout ByteBuffer) -> Holes {
        var holes = Holes()
        let start = buffer.writerIndex
        buffer.writeStaticString("HTTP/1.1 ")
        buffer.writeString(String(status.code))
        buffer.writeStaticString(" ")
        buffer.writeString(status.reasonPhrase)
        buffer.writeStaticString("\r\n")
        for field in fields {
            let name = field.name.canonicalName
            if FieldPolicy.traits(of: field.name).contains(.framing) {
                guard name == "upgrade", persistence == .upgrade else { continue }
            }
            buffer.writeString(field.name.rawName)
            buffer.writeStaticString(": ")
            let place = buffer.writerIndex - start
            if name == "age", let age = Int64(field.value), age >= 0 {
                holes.age = (place..<place + field.value.utf8.count, age)
            } else if name == "cache-status", let ttl, let range = Self.place(of: ttl, in: field.value) {
                holes.ttl = (place + range.lowerBound..<place + range.upperBound, ttl)
            }
            buffer.writeString(field.value)
            buffer.writeStaticString("\r\n")
        }
        switch framing {
        case .length(let length?):
            buffer.writeStaticString("Content-Length: ")
            buffer.writeString(String(length))
            buffer.writeStaticString("\r\n")
        case .chunked: buffer.writeStaticString("Transfer-Encoding: chunked\r\n")
        case .length(nil), .untilClose: break
        }
        switch persistence {
        case .implied: break
        case .keepAlive: buffer.writeStaticString("Connection: keep-alive\r\n")
        case .close: buffer.writeStaticString("Connection: close\r\n")
        case .upgrade: buffer.writeStaticString("Connection: upgrade\r\n")
        }
        buffer.writeStaticString("\r\n")
        return holes
    }
}
