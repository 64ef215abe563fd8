package import AFCText

/// The identifier of a request: a text or a number, as the client wrote it.
package enum MessageID: Hashable, Sendable {
    /// A text.
    case text(String)
    /// A number in its digits.
    case number(String)

    /// Reads an identifier; nil for anything else.
    init?(_ value: JSONValue?) {
        switch value {
        case .string(let text)?: self = .text(text)
        case .number(let digits)?: self = .number(digits)
        default: return nil
        }
    }

    /// The identifier in an answer.
    var json: JSONValue {
        switch self {
        case .text(let text): .string(text)
        case .number(let digits): .number(digits)
        }
    }
}

/// A message of a client (JSON-RPC 2.0 §4).
package enum Message: Sendable, Equatable {
    /// A request, which is to be answered.
    case request(Request)
    /// A notification, which never is.
    case notification(method: String, parameters: JSONValue)
    /// An answer to a request that this server never sends.
    case response

    /// A request.
    package struct Request: Sendable, Equatable {
        /// The identifier.
        package var id: MessageID
        /// The method.
        package var method: String
        /// The parameters: an object, empty if there are none.
        package var parameters: JSONValue

        /// The revision that the request itself states; nil if it states none.
        package var statedVersion: String? {
            parameters["_meta"]?["io.modelcontextprotocol/protocolVersion"]?.string
        }
    }

    /// What was sent at once: one message, or several (JSON-RPC 2.0 §6).
    package enum Parcel: Sendable {
        /// One message.
        case one(Result<Message, MessageError>)
        /// Several messages in an array.
        case batch([Result<Message, MessageError>])
    }

    /// The most messages of a batch.
    static let batchLimit = 64

    /// Reads what was sent at once.
    ///
    /// - Parameter bytes: One JSON text.
    /// - Returns: The messages, or the errors to answer them with.
    package static func parcel(_ bytes: [UInt8]) -> Parcel {
        let value: JSONValue
        do throws(JSONValue.SyntaxError) {
            value = try JSONValue(parsing: bytes)
        } catch {
            let words = "the message is no JSON in UTF-8, or nested too deeply; reading stopped at byte \(error.offset)"
            return .one(.failure(MessageError(.parse, words)))
        }
        guard case .array(let elements) = value else { return .one(message(value)) }
        guard !elements.isEmpty, elements.count <= batchLimit else {
            let words = "a batch has 1 to \(batchLimit) messages; this one has \(elements.count)"
            return .one(.failure(MessageError(.invalidRequest, words)))
        }
        return .batch(elements.map { message($0) })
    }

    /// Reads one message.
    private static func message(_ value: JSONValue) -> Result<Message, MessageError> {
        let id = MessageID(value["id"])
        func refuse(_ words: String) -> Result<Message, MessageError> {
            .failure(MessageError(.invalidRequest, words, id: id))
        }
        guard case .object = value, value["jsonrpc"]?.string == "2.0" else {
            return refuse("a message is an object with \"jsonrpc\": \"2.0\"")
        }
        guard let method = value["method"] else {
            guard value["result"] != nil || value["error"] != nil else { return refuse("the message has no method") }
            return .success(.response)
        }
        guard let method = method.string else { return refuse("the method is no text") }
        let parameters = value["params"] ?? .object([])
        guard case .object = parameters else { return refuse("the parameters are no object") }
        guard let written = value["id"] else {
            return .success(.notification(method: method, parameters: parameters))
        }
        guard let id = MessageID(written) else { return refuse("the id is neither a text nor a number") }
        return .success(.request(Request(id: id, method: method, parameters: parameters)))
    }

    /// Returns the answer to a request.
    ///
    /// - Parameters:
    ///   - id: The identifier of the request.
    ///   - result: The result, or the error.
    /// - Returns: One JSON value.
    package static func answer(_ id: MessageID, _ result: Result<JSONValue, MessageError>) -> JSONValue {
        switch result {
        case .success(let value):
            return .object([("jsonrpc", .string("2.0")), ("id", id.json), ("result", value)])
        case .failure(var error):
            error.id = id
            return error.json
        }
    }

    /// Returns a notification of the server.
    static func notification(_ method: String) -> JSONValue {
        .object([("jsonrpc", .string("2.0")), ("method", .string(method))])
    }
}

/// An error of the protocol (JSON-RPC 2.0 §5.1); errors of a tool are results instead.
package struct MessageError: Error, Sendable, Equatable {
    /// The kinds, by their numbers.
    package enum Code: Int, Sendable {
        /// The bytes are no JSON.
        case parse = -32700
        /// The JSON is no message, or the message is out of order.
        case invalidRequest = -32600
        /// There is no such method.
        case unknownMethod = -32601
        /// The parameters don't fit.
        case invalidParameters = -32602
        /// The packages can't be read.
        case inner = -32603
        /// There is no such resource, before revision 2026-07-28.
        case missingResource = -32002
        /// The fields of the HTTP request contradict its body.
        case headerMismatch = -32020
        /// The request's revision isn't spoken.
        case unsupportedVersion = -32022
    }

    /// The kind.
    package var code: Code
    /// A sentence.
    package var message: String
    /// The identifier of the request; nil if it couldn't be read.
    package var id: MessageID?
    /// Further values.
    package var data: JSONValue?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind.
    ///   - message: A sentence.
    ///   - id: The identifier of the request.
    ///   - data: Further values.
    init(_ code: Code, _ message: String, id: MessageID? = nil, data: JSONValue? = nil) {
        (self.code, self.message, self.id, self.data) = (code, message, id, data)
    }

    /// Creates the error for a revision that isn't spoken.
    static func unsupported(_ version: String) -> MessageError {
        MessageError(
            .unsupportedVersion,
            "unsupported protocol version",
            data: .object([
                ("supported", ProtocolVersion.list), ("requested", .string(String(version.prefix(64)))),
            ])
        )
    }

    /// Creates the error for a method that there isn't.
    static func unknownMethod(_ method: String) -> MessageError {
        MessageError(.unknownMethod, "there is no method \(PrintableText.quoted(method))")
    }

    /// The answer with the error.
    package var json: JSONValue {
        var members: [(String, JSONValue)] = [
            ("code", .number(String(code.rawValue))), ("message", .string(message)),
        ]
        if let data { members.append(("data", data)) }
        return .object([
            ("jsonrpc", .string("2.0")), ("id", id?.json ?? .null), ("error", .object(members)),
        ])
    }
}
