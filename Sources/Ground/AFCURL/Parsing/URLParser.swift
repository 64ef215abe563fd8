/// The standard's basic URL parser; see https://url.spec.whatwg.org/#concept-basic-url-parser.
///
/// The standard's states are methods here, and the result is written from left to right into one buffer, whose parts
/// are noted in ``Offsets``. Only the path is ever shortened again, at the end of what is written.
struct URLParser {
    let input: [UInt8]
    let base: WebURL?
    var position = 0
    var output: [UInt8] = []
    var offsets = Offsets(kind: .other, schemeEnd: 0)
    /// Where the fragment begins in the input.
    private var fragmentStart: Int?

    /// - Parameters:
    ///   - bytes: Valid UTF-8.
    ///   - base: What a reference is relative to.
    init(_ bytes: UnsafeBufferPointer<UInt8>, base: WebURL?) {
        input = Self.cleaned(bytes)
        self.base = base
    }

    /// Without white space and controls at the ends, and without tabs and line ends anywhere.
    private static func cleaned(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        var lower = bytes.startIndex
        var upper = bytes.endIndex
        while lower < upper, bytes[lower] <= 0x20 { lower += 1 }
        while upper > lower, bytes[upper - 1] <= 0x20 { upper -= 1 }
        var result = Array(bytes[lower..<upper])
        result.removeAll { $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
        return result
    }

    /// The URL without its fragment.
    mutating func parse() throws(WebURL.ParseError) -> WebURL {
        output.reserveCapacity(input.count + (base?.serialization.utf8.count ?? 0) + 16)
        if let length = schemeLength() {
            try appendScheme(length: length)
            try afterScheme()
        } else {
            try withoutScheme()
        }
        // Offsets beyond 32 bits were cut short, but none is used before this.
        guard output.count <= UInt32.max else { throw .tooLong }
        return WebURL(serialization: String(decoding: output, as: UTF8.self), offsets: offsets)
    }

    /// The percent-encoded fragment, after parsing.
    func fragment() -> String? { fragmentStart.map { PercentEncodeSet.fragment.encode(input[$0...]) } }

    // MARK: Reading

    @inline(__always)
    var byte: UInt8? { position < input.count ? input[position] : nil }

    var isSpecial: Bool { offsets.kind.isSpecial }

    @inline(__always)
    var isAtSlash: Bool { byte == UInt8(ascii: "/") || (isSpecial && byte == UInt8(ascii: "\\")) }

    /// Whether what follows is a query, a fragment, or nothing.
    var isAtTail: Bool { byte == nil || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") }

    private func schemeLength() -> Int? {
        guard let first = input.first, isLetter(first) else { return nil }
        for (index, byte) in input.enumerated() {
            if byte == UInt8(ascii: ":") { return index }
            let isPart = isLetter(byte) || isDigit(byte) || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
            guard isPart || byte == UInt8(ascii: ".") else { return nil }
        }
        return nil
    }

    // MARK: Writing

    private mutating func appendScheme(length: Int) throws(WebURL.ParseError) {
        guard length <= Offsets.maximalSchemeEnd else { throw .tooLong }
        for byte in input[..<length] { output.append(lowercased(byte)) }
        offsets = Offsets(kind: SchemeKind(output), schemeEnd: length)
        output.append(UInt8(ascii: ":"))
        position = length + 1
    }

    /// Starts over with the base's text up to a place, its parts included.
    mutating func takeOver(_ base: WebURL, upTo end: Int) {
        output.removeAll(keepingCapacity: true)
        offsets = base.offsets
        append(base, from: 0, to: end)
    }

    mutating func append(_ base: WebURL, from start: Int, to end: Int) {
        let copied: Void? = base.serialization.utf8.withContiguousStorageIfAvailable {
            output.append(contentsOf: $0[start..<end])
        }
        if copied == nil { output.append(contentsOf: base.slice(start, end).utf8) }
    }

    // MARK: After the path

    /// Ends the path, and writes the base's query where the reference ends here or has only a fragment.
    mutating func tail(queryOf base: WebURL? = nil) {
        endPath()
        if byte == UInt8(ascii: "?") {
            position += 1
            output.append(UInt8(ascii: "?"))
            let end = input[position...].firstIndex(of: UInt8(ascii: "#")) ?? input.count
            let set = isSpecial ? PercentEncodeSet.specialQuery : PercentEncodeSet.query
            set.append(input[position..<end], to: &output)
            position = end
        } else if let base {
            append(base, from: Int(base.offsets.pathEnd), to: base.serialization.utf8.count)
        }
        if byte == UInt8(ascii: "#") { fragmentStart = position + 1 }
    }

    private mutating func endPath() {
        var start = Int(offsets.pathStart)
        let slashes = [UInt8(ascii: "/"), UInt8(ascii: "/")]
        // Without an authority, two slashes would be read back as the beginning of one.
        if !offsets.hasAuthority, !offsets.hasOpaquePath, output.count >= start + 2,
            output[start...].starts(with: slashes)
        {
            output.insert(contentsOf: "/.".utf8, at: start)
            start += 2
        }
        offsets.pathStart = UInt32(truncatingIfNeeded: start)
        offsets.pathEnd = UInt32(truncatingIfNeeded: output.count)
    }
}
