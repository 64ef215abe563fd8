/// The rules for parts of a member's name, so that Linux, macOS and Windows can all hold it as a file.
enum PortableName {
    static let partByteLimit = 120
    static let nameByteLimit = 200

    private static let devices: Set<String> = {
        var names: Set<String> = ["con", "prn", "aux", "nul", "conin$", "conout$"]
        for digit in 0...9 { names.formUnion(["com\(digit)", "lpt\(digit)"]) }
        return names
    }()

    static func isPortable(part: Substring.UTF8View) -> Bool {
        part.count <= partByteLimit && hasPortableEnd(part) && part.allSatisfy(isPortable) && !isDevice(part)
    }

    /// Returns true if Linux, macOS and Windows can all hold a file with this name.
    ///
    /// Letters outside ASCII are permitted.
    static func isFileName(_ part: Substring.UTF8View) -> Bool {
        part.count <= 255 && hasPortableEnd(part) && part.allSatisfy { $0 >= 0x80 || isPortable($0) } && !isDevice(part)
    }

    /// Returns false for an empty part and for one that ends with a dot or a space, so also for `.` and `..`.
    private static func hasPortableEnd(_ part: Substring.UTF8View) -> Bool {
        guard let last = part.last else { return false }
        return last != UInt8(ascii: ".") && last != UInt8(ascii: " ")
    }

    static func isPortable(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x00...0x1F, 0x7F...0xFF: false
        case UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: ":"), UInt8(ascii: "\""), UInt8(ascii: "|"),
            UInt8(ascii: "?"), UInt8(ascii: "*"), UInt8(ascii: "\\"), UInt8(ascii: "/"):
            false
        default: true
        }
    }

    static func isPortable(host: String) -> Bool {
        guard let first = host.utf8.first, first != UInt8(ascii: "."), host != PackageLayout.manifest else {
            return false
        }
        return host.utf8.allSatisfy(isPlain) && isPortable(part: host[...].utf8)
    }

    /// Returns true for ASCII letters, digits, dot, hyphen and underscore.
    static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// Returns the text with each run of bytes that aren't plain replaced by a hyphen, cut to the limit.
    static func readable(_ text: some StringProtocol, limit: Int) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if isPlain(byte) {
                bytes.append(byte)
            } else if bytes.last != UInt8(ascii: "-") {
                bytes.append(UInt8(ascii: "-"))
            }
            if bytes.count == limit { break }
        }
        while let last = bytes.last, last == UInt8(ascii: ".") || last == UInt8(ascii: "-") { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isDevice(_ part: Substring.UTF8View) -> Bool {
        let stem = part.prefix(8).prefix { $0 != UInt8(ascii: ".") }
        guard (3...7).contains(stem.count) else { return false }
        return devices.contains(Substring(stem).lowercased())
    }
}
