internal import AFCURL

/// Names and values in queries, as forms write them.
enum QueryText {
    /// The text with `+` and percent-escapes undone (URL Standard, application/x-www-form-urlencoded parsing).
    static func decoded(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else { return text }
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
                let value = PercentDecoding.byte(bytes[index + 1], bytes[index + 2])
            {
                result.append(value)
                index += 3
            } else {
                result.append(bytes[index] == UInt8(ascii: "+") ? UInt8(ascii: " ") : bytes[index])
                index += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
