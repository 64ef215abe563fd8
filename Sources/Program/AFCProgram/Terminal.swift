import AFCFiles
import AFCPlatform

/// The terminal that the program was started from, even if its standard streams are redirected.
enum Terminal {
    /// Asks for a secret, which isn't shown while it is typed.
    ///
    /// - Returns: The bytes without the line end, or nil if there is no terminal.
    /// - Throws: `CancellationError` on Control-C.
    static func secret(_ prompt: String) throws -> [UInt8]? {
        let descriptor = open("/dev/tty", O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var before = termios()
        guard tcgetattr(descriptor, &before) == 0 else { return nil }
        var silent = before
        // Without signals: one that ended the program would leave the terminal silent.
        silent.c_lflag &= ~tcflag_t(ECHO | ECHONL | ICANON | ISIG)
        guard tcsetattr(descriptor, TCSAFLUSH, &silent) == 0 else { return nil }
        defer { tcsetattr(descriptor, TCSAFLUSH, &before) }
        put(prompt, to: descriptor)
        defer { put("\n", to: descriptor) }
        return try line(from: descriptor)
    }

    private static func line(from descriptor: Int32) throws -> [UInt8] {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while true {
            let count = withUnsafeMutableBytes(of: &byte) { Descriptor.readNext(descriptor, into: $0) }
            guard let count, count > 0 else { return line }
            switch byte {
            case 0x0A, 0x0D: return line
            case 0x03: throw CancellationError()
            // Control-D ends an empty line, as it does elsewhere.
            case 0x04: if line.isEmpty { return line }
            case 0x08, 0x7F: removeCharacter(from: &line)
            case 0x15: line.removeAll()
            default: line.append(byte)
            }
        }
    }

    private static func removeCharacter(from line: inout [UInt8]) {
        while let byte = line.popLast(), byte & 0xC0 == 0x80 {}
    }

    private static func put(_ text: String, to descriptor: Int32) {
        _ = Array(text.utf8).withUnsafeBytes { Descriptor.append($0, to: descriptor) }
    }
}
