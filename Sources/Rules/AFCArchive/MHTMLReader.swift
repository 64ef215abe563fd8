package import HTTPTypes

/// A part of an MHTML file (RFC 2557), without its body.
package struct MHTMLPart: Equatable, Sendable {
    /// The number of the part, from 1 on.
    package var number = 0
    /// The offset of the part's head in the file.
    package var offset: Int64 = 0
    /// The part's fields.
    package var fields = HTTPFields()

    /// Creates a part.
    package init(number: Int = 0, offset: Int64 = 0, fields: HTTPFields = HTTPFields()) {
        (self.number, self.offset, self.fields) = (number, offset, fields)
    }

    /// The place of the part, its Content-Location; nil for none.
    package var location: String? { fields[.contentLocation].map(MHTMLText.unfolded) }

    /// The identifier by which other parts refer to this one as `cid:`, without brackets; nil for none.
    package var id: String? {
        guard let name = HTTPField.Name("Content-ID"), let value = fields[name] else { return nil }
        let id = MHTMLText.unfolded(value).filter { $0 != "<" && $0 != ">" }
        return id.isEmpty ? nil : id
    }
}

/// A receiver of the parts of an MHTML file.
package protocol MHTMLReceiver {
    /// Takes the fields at the beginning of the file.
    mutating func begin(_ fields: HTTPFields) throws
    /// Begins a part.
    mutating func begin(_ part: MHTMLPart) throws
    /// Takes decoded bytes of the part's body.
    mutating func append(_ bytes: [UInt8]) throws
    /// Ends the part.
    ///
    /// - Parameter isComplete: False if the file ends within the part, or the part isn't in the coding that it states.
    /// - Throws: Any error, which ends the reading.
    mutating func end(isComplete: Bool) throws
}

/// Reads an MHTML file that arrives in pieces: a MIME message whose parts are the resources of a page.
///
/// Of a body, only the line at hand is in memory.
package struct MHTMLReader<Receiver: MHTMLReceiver> {
    /// The reason why a file can't be read.
    package enum Malformation: Error, Equatable {
        /// The file has no head of a message with several parts.
        case noMessage
        /// A head is too large, or parts are nested too deeply.
        case tooLarge
    }

    private enum Place {
        case head
        case preamble
        case partHead
        case body
        case end
    }

    private enum Coding {
        case none
        case quoted
        case base64(Base64Decoder)
    }

    /// The longest line that is kept; of a longer one, the parts are taken as they come.
    private static var lineLimit: Int { 64 << 10 }
    private static var headLimit: Int { 1 << 20 }
    private static var depthLimit: Int { 8 }

    /// The receiver.
    package private(set) var receiver: Receiver
    /// The number of parts so far.
    package private(set) var count = 0
    /// True once the line that ends the message was read.
    package var isFinished: Bool { place == .end }

    private var place = Place.head
    private var line: [UInt8] = []
    private var isContinued = false
    private var head: [UInt8] = []
    private var boundaries: [[UInt8]] = []
    private var offset: Int64 = 0
    private var headStart: Int64 = 0
    private var coding = Coding.none
    private var isSound = true
    /// The end of the previous line, which belongs to the boundary if one follows.
    private var pending: [UInt8] = []

    /// Creates a reader.
    package init(to receiver: Receiver) { self.receiver = receiver }

    /// Takes the next bytes.
    ///
    /// - Parameter bytes: The bytes.
    /// - Throws: ``Malformation``, or an error of the receiver.
    package mutating func feed(_ bytes: UnsafeRawBufferPointer) throws {
        var rest = bytes[...]
        while let first = rest.indices.first {
            let end = rest.firstIndex(of: 0x0A).map { $0 + 1 } ?? rest.endIndex
            line += rest[first..<end]
            rest = rest[end...]
            if line.last == 0x0A || line.count > Self.lineLimit { try takeLine() }
        }
    }

    /// Ends the file.
    ///
    /// - Throws: ``Malformation/noMessage`` if it isn't a message with several parts, or an error of the receiver.
    package mutating func finish() throws {
        if !line.isEmpty { try takeLine() }
        guard place != .head else { throw Malformation.noMessage }
        if place == .body { try endPart(isComplete: false) }
    }

    // MARK: Lines

    private mutating func takeLine() throws {
        let bytes = line
        let isWhole = !isContinued
        isContinued = bytes.last != 0x0A
        line.removeAll(keepingCapacity: true)
        defer { offset += Int64(bytes.count) }
        switch place {
        case .head, .partHead:
            let isEmpty = bytes.allSatisfy { $0 == 0x0D || $0 == 0x0A }
            if !isEmpty || head.isEmpty && place == .head {
                head += isEmpty ? [] : bytes
                guard head.count <= Self.headLimit else { throw Malformation.tooLarge }
            } else {
                try endHead()
            }
        case .preamble:
            _ = try isBoundary(bytes, isWhole)
        case .body:
            guard try !isBoundary(bytes, isWhole) else { return }
            try takeBody(bytes)
        case .end: break
        }
    }

    /// Takes a line between parts; false if it isn't one.
    private mutating func isBoundary(_ bytes: [UInt8], _ isWhole: Bool) throws -> Bool {
        guard isWhole, bytes.starts(with: [0x2D, 0x2D]) else { return false }
        var text = bytes[...]
        while let last = text.last, [0x20, 0x09, 0x0D, 0x0A].contains(last) { text.removeLast() }
        // The innermost first; those of the outer ones end the inner ones.
        for index in boundaries.indices.reversed() {
            let begin = [0x2D, 0x2D] + boundaries[index]
            let isLast = text.elementsEqual(begin + [0x2D, 0x2D])
            guard isLast || text.elementsEqual(begin) else { continue }
            if place == .body { try endPart(isComplete: true) }
            boundaries.removeSubrange((index + 1)...)
            if isLast { boundaries.removeLast() }
            place = boundaries.isEmpty ? .end : isLast ? .preamble : .partHead
            head = []
            headStart = offset + Int64(bytes.count)
            return true
        }
        return false
    }

    private mutating func endHead() throws {
        let fields = MessageHead.fields(ofPart: head)
        head = []
        let type = fields[.contentType].flatMap { MHTMLText.type($0) }
        if let type, type.essence.hasPrefix("multipart/"), let boundary = type.boundary {
            guard boundaries.count < Self.depthLimit else { throw Malformation.tooLarge }
            if place == .head { try receiver.begin(fields) }
            boundaries.append(Array(boundary.utf8))
            place = .preamble
            return
        }
        guard place == .partHead else { throw Malformation.noMessage }
        count += 1
        let name = HTTPField.Name("Content-Transfer-Encoding")
        switch name.flatMap({ fields[$0] })?.lowercased() {
        case "quoted-printable": coding = .quoted
        case "base64": coding = .base64(Base64Decoder())
        default: coding = .none
        }
        (place, isSound, pending) = (.body, true, [])
        try receiver.begin(MHTMLPart(number: count, offset: headStart, fields: fields))
    }

    // MARK: Bodies

    private mutating func takeBody(_ bytes: [UInt8]) throws {
        var text = bytes[...]
        var end: [UInt8] = []
        if text.last == 0x0A {
            end = text.count > 1 && text[text.endIndex - 2] == 0x0D ? [0x0D, 0x0A] : [0x0A]
            text.removeLast(end.count)
        }
        let before = pending
        pending = []
        switch coding {
        case .none:
            try receiver.append(before + text)
            pending = end
        case .quoted:
            if !end.isEmpty { while let last = text.last, last == 0x20 || last == 0x09 { text.removeLast() } }
            let isSoft = !end.isEmpty && text.last == UInt8(ascii: "=")
            if isSoft { text.removeLast() }
            try receiver.append(before + MHTMLText.unquoted(text))
            // Writers make CRLF of all line ends, and servers mostly send LF.
            pending = isSoft || end.isEmpty ? [] : [0x0A]
        case .base64(var decoder):
            if let decoded = Array(text).withUnsafeBytes({ decoder.decode($0) }) {
                try receiver.append(decoded)
            } else {
                isSound = false
            }
            coding = .base64(decoder)
        }
    }

    private mutating func endPart(isComplete: Bool) throws {
        if case .base64(let decoder) = coding {
            if let rest = decoder.finish() { try receiver.append(rest) } else { isSound = false }
        }
        place = .preamble
        try receiver.end(isComplete: isComplete && isSound)
    }
}

/// The text of MIME heads and bodies.
enum MHTMLText {
    /// Returns a value without the white space of folded lines, and with encoded words decoded (RFC 2047, UTF-8 only).
    static func unfolded(_ value: String) -> String {
        value.split { $0 == " " || $0 == "\t" }.map { word in
            let parts = word.split(separator: "?", omittingEmptySubsequences: false)
            guard parts.count == 5, parts[0] == "=", parts[4] == "=", parts[1].lowercased() == "utf-8" else {
                return String(word)
            }
            if parts[2].lowercased() == "q" {
                return String(decoding: unquoted(Array(parts[3].replacing("_", with: " ").utf8)[...]), as: UTF8.self)
            }
            return Base64Decoder.bytes(of: parts[3]).map { String(decoding: $0, as: UTF8.self) } ?? String(word)
        }.joined()
    }

    /// Returns bytes without escapes by `=`; those that aren't escapes stay.
    static func unquoted(_ text: ArraySlice<UInt8>) -> [UInt8] {
        guard text.contains(UInt8(ascii: "=")) else { return Array(text) }
        func digit(_ index: Int) -> UInt8? {
            guard index < text.endIndex else { return nil }
            return Character(Unicode.Scalar(text[index])).hexDigitValue.map { UInt8($0) }
        }
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        var index = text.startIndex
        while index < text.endIndex {
            if text[index] == UInt8(ascii: "="), let high = digit(index + 1), let low = digit(index + 2) {
                result.append(high << 4 | low)
                index += 3
            } else {
                result.append(text[index])
                index += 1
            }
        }
        return result
    }

    /// Returns the type and the boundary of a Content-Type; boundaries may have bytes that HTTP's parameters don't.
    static func type(_ value: String) -> (essence: String, boundary: String?)? {
        let essence = value.prefix { $0 != ";" && $0 != " " }.lowercased()
        guard let start = value.lowercased().firstRange(of: "boundary=")?.upperBound else { return (essence, nil) }
        let rest = value[start...]
        let boundary =
            rest.first == "\"" ? rest.dropFirst().prefix { $0 != "\"" } : rest.prefix { $0 != ";" && $0 != " " }
        return (essence, boundary.isEmpty || boundary.utf8.count > 200 ? nil : String(boundary))
    }
}
