/// Bodies for what has none of its own: the type by the name's ending, the colour of a picture by the name.
enum Bodies {
    static func route(_ target: String) -> RequirementSite.Route {
        let path = target.prefix { $0 != "?" }
        let ending = path.split(separator: ".").last.map(String.init) ?? ""
        let (type, body) = content(ending, target)
        return RequirementSite.Route(path: target, fields: [(name: "Content-Type", value: type)], body: body)
    }

    private static func content(_ ending: String, _ target: String) -> (String, [UInt8]) {
        let colour = colour(of: target)
        let hex = "#" + colour.map { String(0x100 + Int($0), radix: 16).dropFirst() }.joined()
        return switch ending {
        case "png": ("image/png", png(colour))
        case "svg":
            (
                "image/svg+xml",
                Array(
                    """
                    <svg xmlns="http://www.w3.org/2000/svg" width="16" height="16"><g id="part"><rect width="16" height="16"
                    fill="\(hex)"/></g><filter id="filter"><feFlood flood-color="\(hex)"/></filter></svg>
                    """.utf8
                )
            )
        case "css": ("text/css", Array("p { color: \(hex) }".utf8))
        case "js", "mjs": ("text/javascript", Array("export default 1".utf8))
        case "json": ("application/json", Array("{}".utf8))
        case "woff2": ("font/woff2", Array("wOF2".utf8))
        case "vtt": ("text/vtt", Array("WEBVTT\n\n00:00.000 --> 00:01.000\nwords\n".utf8))
        case "wav": ("audio/wav", wav)
        case "webm": ("video/webm", [0x1A, 0x45, 0xDF, 0xA3, 0x80])
        case "mp3": ("audio/mpeg", Array("ID3".utf8))
        default:
            (
                "text/html; charset=utf-8",
                Array("<!DOCTYPE html><title>\(ending)</title><p style='color:\(hex)'>A page".utf8)
            )
        }
    }

    private static func colour(of name: String) -> [UInt8] {
        let hash = name.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
        return [0, 8, 16].map { UInt8(truncatingIfNeeded: hash >> $0) }
    }

    /// A tenth of a second of silence.
    private static let wav: [UInt8] = {
        func word(_ value: UInt32, _ count: Int = 4) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        let samples = [UInt8](repeating: 0x80, count: 800)
        let format = word(1, 2) + word(1, 2) + word(8000) + word(8000) + word(1, 2) + word(8, 2)
        let rest =
            Array("WAVEfmt ".utf8) + word(16) + format + Array("data".utf8) + word(UInt32(samples.count)) + samples
        return Array("RIFF".utf8) + word(UInt32(rest.count)) + rest
    }()
}

// MARK: - Compressed formats, stored

extension Bodies {
    /// A picture of 16 by 16 pixels in one colour.
    static func png(_ colour: [UInt8]) -> [UInt8] {
        let row: [UInt8] = [0] + Array(repeatElement(colour, count: 16).joined())
        let header: [UInt8] = [0, 0, 0, 16, 0, 0, 0, 16, 8, 2, 0, 0, 0]
        let pixels = Array(repeatElement(row, count: 16).joined())
        let data: [UInt8] = [0x78, 0x01] + stored(pixels) + bigEndian(adler32(pixels))
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunk("IHDR", header) + chunk("IDAT", data)
            + chunk("IEND", [])
    }

    /// A gzip file.
    static func gzip(_ bytes: [UInt8]) -> [UInt8] {
        let head: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]
        return head + stored(bytes) + bigEndian(crc32(bytes)).reversed() + bigEndian(UInt32(bytes.count)).reversed()
    }

    private static func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
        let body = Array(name.utf8) + data
        return bigEndian(UInt32(data.count)) + body + bigEndian(crc32(body))
    }

    /// One stored block of a deflate stream, at most 65,535 bytes.
    private static func stored(_ bytes: [UInt8]) -> [UInt8] {
        precondition(bytes.count < 65_536, "one block of \(bytes.count) bytes")
        let (low, high) = (UInt8(bytes.count & 0xFF), UInt8(bytes.count >> 8))
        return [1, low, high, ~low, ~high] + bytes
    }

    private static func bigEndian(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    private static func crc32(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(~UInt32(0)) { crc, byte in
            (0..<8).reduce(crc ^ UInt32(byte)) { value, _ in value >> 1 ^ (value & 1) * 0xEDB8_8320 }
        }
    }

    private static func adler32(_ bytes: [UInt8]) -> UInt32 {
        var (low, high): (UInt32, UInt32) = (1, 0)
        for byte in bytes {
            low = (low + UInt32(byte)) % 65_521
            high = (high + low) % 65_521
        }
        return high << 16 | low
    }
}
