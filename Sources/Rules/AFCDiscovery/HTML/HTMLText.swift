/// Decodes text of a document: character references, line ends and NUL.
enum HTMLText {
    /// Decodes text by its content model: character references in data and RCDATA; NUL is kept in data and CDATA.
    static func string(_ bytes: ScanBuffer, _ range: Range<Int>, _ model: HTMLTokenizer.ContentModel) -> String {
        let resolves = model == .data || model == .rcdata
        let keepsNUL = model == .data || model == .cdata
        let context: CharacterReference.Context? = resolves ? .text : nil
        return decode(bytes, range, context: context, keepsNUL: keepsNUL) ?? bytes.string(range)
    }

    /// Appends text that is decoded by its content model.
    static func append(
        _ bytes: ScanBuffer,
        _ range: Range<Int>,
        _ model: HTMLTokenizer.ContentModel,
        to result: inout [UInt8]
    ) {
        if isPlain(bytes, range) {
            result += bytes.slice(range)
        } else {
            result += Array(string(bytes, range, model).utf8)
        }
    }

    /// Returns true if decoding changes nothing.
    static func isPlain(_ bytes: ScanBuffer, _ range: Range<Int>) -> Bool {
        !bytes.slice(range).contains(where: isSpecial)
    }

    /// Decodes an attribute's value.
    static func attribute(_ bytes: ScanBuffer, _ range: Range<Int>) -> String {
        decode(bytes, range, context: .attribute, keepsNUL: false) ?? bytes.string(range)
    }

    /// Decodes a tag's or an attribute's name.
    static func name(_ bytes: ScanBuffer, _ range: Range<Int>) -> String {
        let lowered = bytes.slice(range).map(\.lowercased)
        return lowered.withUnsafeBufferPointer { buffer in
            let bytes = ScanBuffer(buffer)
            return decode(bytes, 0..<bytes.count, context: nil, keepsNUL: false) ?? bytes.string(0..<bytes.count)
        }
    }

    /// Returns the decoded text, or nil if decoding changes nothing.
    private static func decode(
        _ bytes: ScanBuffer,
        _ range: Range<Int>,
        context: CharacterReference.Context?,
        keepsNUL: Bool
    ) -> String? {
        var index = range.lowerBound
        while index < range.upperBound, !isSpecial(bytes[index]) { index += 1 }
        guard index < range.upperBound else { return nil }
        var result = Array(bytes.slice(range.lowerBound..<index))
        result.reserveCapacity(range.count)
        while index < range.upperBound {
            let byte = bytes[index]
            switch byte {
            case UInt8(ascii: "&"):
                if let context,
                    let end = CharacterReference.read(bytes, index..<range.upperBound, context, into: &result)
                {
                    index = end
                    continue
                }
                result.append(byte)
            case 0x0D:
                if index + 1 == range.upperBound || bytes[index + 1] != 0x0A { result.append(0x0A) }
            case 0 where !keepsNUL:
                result += [0xEF, 0xBF, 0xBD]
            default:
                result.append(byte)
            }
            index += 1
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func isSpecial(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "&") || byte == 0 || byte == 0x0D
    }
}
