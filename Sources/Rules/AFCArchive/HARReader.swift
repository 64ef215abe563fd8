package import HTTPTypes

/// One exchange in a HAR (http://www.softwareishard.com/blog/har-12-spec/), without the text of its body.
package struct HAREntry: Equatable, Sendable {
    /// The number of the entry, from 1 on.
    package var number = 0
    /// The time of the request.
    package var started = ""
    /// The request's method.
    package var method = "GET"
    /// The request's URL.
    package var url = ""
    /// The request's fields.
    package var requestFields = HTTPFields()
    /// The request's body, if it is short enough.
    package var requestBody: [UInt8]?
    /// The type of the request's body.
    package var requestType: String?
    /// True if the request's body is longer than ``HARReader/requestBodyLimit``.
    package var hasLongRequest = false
    /// The status; 0 if there was no response.
    package var status = 0
    /// The response's fields.
    package var fields = HTTPFields()
    /// The target of a redirect, beside the fields.
    package var redirectURL = ""
    /// The number of bytes of the body as it was sent; negative if it isn't known.
    package var bodySize: Int64 = -1
    /// The number of bytes of the body as it is stated; 0 if it isn't.
    package var contentSize: Int64 = 0
    /// The type of the body, beside the fields.
    package var mediaType: String?
    /// True if the body has a text, even an empty one.
    package var hasText = false
    /// True if the text is marked as base 64.
    package var isBase64 = false
    /// The file that holds the body, beside the HAR.
    package var file: String?
    /// The SHA-1 of the body, by which a file may be named.
    package var sha1: String?
}

/// A receiver of the entries of a HAR.
package protocol HARReceiver {
    /// Takes the next bytes of the current entry's body: its text, as UTF-8.
    mutating func append(_ bytes: UnsafeRawBufferPointer) throws
    /// Takes an entry; the text of its body was given before.
    mutating func take(_ entry: HAREntry) throws
}

/// Reads a HAR that arrives in pieces; of a body, only the piece at hand is in memory.
package struct HARReader<Receiver: HARReceiver> {
    /// The longest body of a request that is kept.
    package static var requestBodyLimit: Int { 1 << 20 }

    private var parser = JSONEventParser()
    private var events: HAREvents<Receiver>

    /// Creates a reader.
    ///
    /// - Parameter receiver: The receiver of the entries.
    package init(to receiver: Receiver) { events = HAREvents(receiver) }

    /// The receiver.
    package var receiver: Receiver { events.receiver }

    /// True if the document has a list of entries, as every HAR.
    package var hasEntries: Bool { events.hasEntries }

    /// The number of bytes read.
    package var offset: Int64 { parser.offset }

    /// The number of entries read.
    package var count: Int { events.count }

    /// Takes the next bytes.
    ///
    /// - Parameter bytes: The bytes.
    /// - Throws: ``JSONEventParser/Failure``; errors of the receiver are within.
    package mutating func feed(_ bytes: UnsafeRawBufferPointer) throws(JSONEventParser.Failure) {
        try parser.feed(bytes, to: &events)
    }

    /// Ends the document.
    ///
    /// - Throws: ``JSONEventParser/Failure/syntax`` if it isn't complete.
    package mutating func finish() throws(JSONEventParser.Failure) { try parser.finish() }
}

/// Follows the structure of a HAR.
private struct HAREvents<Receiver: HARReceiver>: JSONEventReceiver {
    private enum Place {
        case root, log, entries, entry, request, response, content, postData, parameters, parameter
        case headers(isRequest: Bool)
        case header(isRequest: Bool)
        case other
    }

    /// The longest value that is kept, apart from bodies.
    private let valueLimit = 1 << 20
    /// The most bytes of all fields of a message.
    private let fieldsLimit = 1 << 20

    var receiver: Receiver
    private(set) var hasEntries = false
    private(set) var count = 0

    private var places: [Place] = []
    private var keys: [String] = []
    private var value: [UInt8] = []
    private var isTooLong = false
    private var entry = HAREntry()
    private var fieldBytes = 0
    private var name = ""
    private var fieldValue = ""
    private var parameters = ""

    init(_ receiver: Receiver) { self.receiver = receiver }

    private var place: Place { places.last ?? .other }
    private var key: String { keys.last ?? "" }

    // MARK: Structure

    mutating func beginObject() throws(JSONEventParser.Failure) {
        let next: Place
        switch (places.last, key) {
        case (nil, _): next = .root
        case (.root, "log"): next = .log
        case (.entries, _):
            next = .entry
            entry = HAREntry()
            fieldBytes = 0
        case (.entry, "request"): next = .request
        case (.entry, "response"): next = .response
        case (.response, "content"): next = .content
        case (.request, "postData"):
            next = .postData
            parameters = ""
        case (.headers(let isRequest), _):
            next = .header(isRequest: isRequest)
            (name, fieldValue) = ("", "")
        case (.parameters, _):
            next = .parameter
            (name, fieldValue) = ("", "")
        default: next = .other
        }
        places.append(next)
        keys.append("")
    }

    mutating func endObject() throws(JSONEventParser.Failure) {
        let ended = places.popLast()
        _ = keys.popLast()
        switch ended {
        case .entry:
            count += 1
            entry.number = count
            do { try receiver.take(entry) } catch { throw .receiver(error) }
        case .header(let isRequest): addField(isRequest)
        case .parameter:
            guard parameters.utf8.count < HARReader<Receiver>.requestBodyLimit else { break }
            parameters += (parameters.isEmpty ? "" : "&") + "\(name)=\(fieldValue)"
        case .postData: if entry.requestBody == nil, !parameters.isEmpty { entry.requestBody = Array(parameters.utf8) }
        default: break
        }
    }

    mutating func beginArray() throws(JSONEventParser.Failure) {
        let next: Place
        switch (places.last, key) {
        case (.log, "entries"):
            next = .entries
            hasEntries = true
        case (.request, "headers"): next = .headers(isRequest: true)
        case (.response, "headers"): next = .headers(isRequest: false)
        case (.postData, "params"): next = .parameters
        default: next = .other
        }
        places.append(next)
        keys.append("")
    }

    mutating func endArray() throws(JSONEventParser.Failure) {
        _ = places.popLast()
        _ = keys.popLast()
    }

    mutating func key(_ text: String) {
        guard !keys.isEmpty else { return }
        keys[keys.count - 1] = text
    }

    // MARK: Values

    private var isBody: Bool { if case .content = place, key == "text" { true } else { false } }

    mutating func string(_ bytes: UnsafeRawBufferPointer) throws(JSONEventParser.Failure) {
        if isBody {
            entry.hasText = true
            do { try receiver.append(bytes) } catch { throw .receiver(error) }
            return
        }
        guard value.count + bytes.count <= valueLimit else {
            isTooLong = true
            return
        }
        value.append(contentsOf: bytes)
    }

    mutating func endString() throws(JSONEventParser.Failure) {
        defer {
            value.removeAll(keepingCapacity: true)
            isTooLong = false
        }
        if isBody {
            entry.hasText = true
            return
        }
        if case .postData = place, key == "text" {
            if isTooLong { entry.hasLongRequest = true } else { entry.requestBody = value }
            return
        }
        guard !isTooLong else { return }
        set(String(decoding: value, as: UTF8.self))
    }

    mutating func literal(_ text: String) {
        let number = Int64(text) ?? Double(text).flatMap { Int64(exactly: $0.rounded()) }
        switch (place, key) {
        case (.response, "status"): entry.status = number.flatMap { Int(exactly: $0) } ?? 0
        case (.response, "bodySize"): entry.bodySize = number ?? -1
        case (.content, "size"): entry.contentSize = number ?? 0
        default: break
        }
    }

    private mutating func set(_ text: String) {
        switch (place, key) {
        case (.entry, "startedDateTime"): entry.started = text
        case (.request, "method"): entry.method = text
        case (.request, "url"): entry.url = text
        case (.postData, "mimeType"): entry.requestType = text
        case (.response, "redirectURL"): entry.redirectURL = text
        case (.content, "mimeType"): entry.mediaType = text
        case (.content, "encoding"): entry.isBase64 = text.lowercased() == "base64"
        case (.content, "_file"): entry.file = text
        case (.content, "_sha1"): entry.sha1 = text
        case (.header, "name"), (.parameter, "name"): name = text
        case (.header, "value"), (.parameter, "value"): fieldValue = text
        // Some writers give numbers as strings.
        case (.response, "status"), (.response, "bodySize"), (.content, "size"): literal(text)
        default: break
        }
    }

    private mutating func addField(_ isRequest: Bool) {
        fieldBytes += name.utf8.count + fieldValue.utf8.count
        guard fieldBytes <= fieldsLimit, name.utf8.first != UInt8(ascii: ":"), let name = HTTPField.Name(name) else {
            return
        }
        // Chromium joins fields with the same name by line ends.
        for line in fieldValue.split(whereSeparator: \.isNewline) {
            let field = HTTPField(name: name, value: String(line))
            if isRequest { entry.requestFields.append(field) } else { entry.fields.append(field) }
        }
        if fieldValue.isEmpty {
            let field = HTTPField(name: name, value: "")
            if isRequest { entry.requestFields.append(field) } else { entry.fields.append(field) }
        }
    }
}
