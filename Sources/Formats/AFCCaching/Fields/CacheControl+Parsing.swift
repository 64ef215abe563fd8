internal import AFCHTTP
internal import HTTPTypes

extension CacheControl {
    mutating func read(_ field: HTTPField) { field.withUnsafeBytesOfValue { read($0) } }

    /// Reads one line; commas in quotes don't separate.
    mutating func read(_ bytes: UnsafeBufferPointer<UInt8>) {
        var start = 0
        var isQuoted = false
        var isEscaped = false
        for index in bytes.indices {
            let byte = bytes[index]
            if isEscaped {
                isEscaped = false
            } else if isQuoted, byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isQuoted.toggle()
            } else if byte == UInt8(ascii: ","), !isQuoted {
                readDirective(Self.trimmed(bytes[start..<index]))
                start = index + 1
            }
        }
        readDirective(Self.trimmed(bytes[start...]))
    }

    private typealias Text = Slice<UnsafeBufferPointer<UInt8>>

    private enum Argument {
        case none
        case value(Text)
        /// Neither a token nor a quoted string, or with white space around the equals sign, which the grammar doesn't have.
        case malformed
    }

    private mutating func readDirective(_ text: Text) {
        guard !text.isEmpty else { return }
        guard let equals = text.firstIndex(of: UInt8(ascii: "=")) else { return apply(text, .none) }
        let name = Self.trimmed(text[..<equals])
        let value = text[(equals + 1)...]
        let isSpaced = name.endIndex != equals
        if !isSpaced, !value.isEmpty, value.allSatisfy(FieldText.isTokenByte) {
            apply(name, .value(value))
        } else if !isSpaced, value.count >= 2, value.first == UInt8(ascii: "\""), value.last == UInt8(ascii: "\"") {
            // No argument that counts has a backslash; where one stands, it isn't digits and isn't a name.
            apply(name, .value(value.dropFirst().dropLast()))
        } else {
            apply(name, .malformed)
        }
    }

    private mutating func apply(_ name: Text, _ argument: Argument) {
        switch name.count {
        case 6 where Self.isName(name, "public"): flags.insert(.isPublic)
        case 7 where Self.isName(name, "max-age"): Self.set(&maxAge, argument)
        case 7 where Self.isName(name, "private"):
            if !Self.addNames(argument, to: &privateFields) { flags.insert(.isPrivate) }
        case 8 where Self.isName(name, "no-store"): flags.insert(.noStore)
        case 8 where Self.isName(name, "no-cache"):
            if !Self.addNames(argument, to: &noCacheFields) { flags.insert(.noCache) }
        case 8 where Self.isName(name, "s-maxage"): Self.set(&sharedMaxAge, argument)
        case 9 where Self.isName(name, "max-stale"):
            if case .none = argument { maxStale = maxStale ?? .max } else { Self.set(&maxStale, argument) }
        case 9 where Self.isName(name, "min-fresh"): Self.set(&minFresh, argument)
        case 9 where Self.isName(name, "immutable"): flags.insert(.immutable)
        case 14 where Self.isName(name, "only-if-cached"): flags.insert(.onlyIfCached)
        case 14 where Self.isName(name, "stale-if-error"): Self.set(&staleIfError, argument)
        case 15 where Self.isName(name, "must-revalidate"): flags.insert(.mustRevalidate)
        case 15 where Self.isName(name, "must-understand"): flags.insert(.mustUnderstand)
        case 16 where Self.isName(name, "proxy-revalidate"): flags.insert(.proxyRevalidate)
        case 22 where Self.isName(name, "stale-while-revalidate"): Self.set(&staleWhileRevalidate, argument)
        default: break
        }
    }

    private static func set(_ seconds: inout Int64?, _ argument: Argument) {
        guard seconds == nil else { return }
        guard case .value(let text) = argument else {
            seconds = 0
            return
        }
        seconds = FieldText.deltaSeconds(bytes: text) ?? 0
    }

    /// The most field names of a qualified directive; with more it counts as unqualified, which is the stricter.
    private static let nameLimit = 64

    /// Adds the field names of a qualified directive; false where it has none, and so counts as unqualified.
    private static func addNames(_ argument: Argument, to names: inout [String]) -> Bool {
        guard case .value(let text) = argument else { return false }
        let found = text.split(separator: UInt8(ascii: ","))
            .map(trimmed)
            .filter { !$0.isEmpty && $0.allSatisfy(FieldText.isTokenByte) }
            .map { String(decoding: $0, as: UTF8.self).lowercased() }
        guard names.count + found.count <= nameLimit else { return false }
        names += found
        return !found.isEmpty
    }

    private static func isName(_ text: Text, _ name: StaticString) -> Bool {
        var expected = name.utf8Start
        for byte in text {
            let lowercased = byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte
            guard lowercased == expected.pointee else { return false }
            expected += 1
        }
        return true
    }

    private static func trimmed(_ text: Text) -> Text {
        var text = text
        while let first = text.first, first == 0x20 || first == 0x09 { text = text.dropFirst() }
        while let last = text.last, last == 0x20 || last == 0x09 { text = text.dropLast() }
        return text
    }
}
