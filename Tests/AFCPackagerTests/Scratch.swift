import Foundation

/// A folder that is there while a test runs.
func withScratchFolder<Result>(_ body: (String) async throws -> Result) async throws -> Result {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("packager-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    defer { _ = try? FileManager.default.removeItem(at: url) }
    return try await body(url.path)
}

/// Writes a file, and the folders above it.
func write(_ text: String, to path: String, modified: Int? = nil) throws {
    let url = URL(fileURLWithPath: path)
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
    guard let modified else { return }
    let date = Date(timeIntervalSince1970: TimeInterval(modified))
    try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
}

/// Runs a program and gives what it printed; fails where it fails.
///
/// By `popen`, which needs no run loop.
func run(_ program: String, _ arguments: String...) throws -> [UInt8] {
    struct Failure: Error { var status: Int32 }
    let words = ([program] + arguments).map { "'" + $0.replacingOccurrences(of: "'", with: "'\\''") + "'" }
    guard let stream = popen(words.joined(separator: " "), "r") else { throw Failure(status: -1) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
        let count = fread(&buffer, 1, buffer.count, stream)
        guard count > 0 else { break }
        bytes.append(contentsOf: buffer[..<count])
    }
    let status = pclose(stream)
    guard status == 0 else { throw Failure(status: status) }
    return bytes
}
