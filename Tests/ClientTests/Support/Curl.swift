import Foundation
import TestSupport
import Testing

/// An answer as curl got it.
struct CurlAnswer: Sendable {
    var version = ""
    var status = 0
    var fields: [(name: String, value: String)] = []
    var text = ""
    /// curl's exit code.
    var exit: Int32 = 0
    var errors = ""

    /// The first value of a field.
    subscript(name: String) -> String? { fields.first { $0.name.lowercased() == name.lowercased() }?.value }
    /// The last member of Cache-Status: what this cache did.
    var cache: String {
        self["Cache-Status"]?.split(separator: ",").last.map { $0.trimmingCharacters(in: .whitespaces) } ?? ""
    }
    /// Whether the store answered.
    var isHit: Bool { cache.contains("; hit") }
}

/// Runs curl and reads what it writes with `--include`.
func curl(_ arguments: String...) async throws -> CurlAnswer { try await curl(arguments) }

/// Runs curl and reads what it writes with `--include`.
func curl(_ arguments: [String]) async throws -> CurlAnswer {
    let result = try await Programs.run(
        "curl",
        ["-sS", "--include", "--suppress-connect-headers", "--max-time", "600", "--noproxy", ""] + arguments
    )
    var answer = CurlAnswer(exit: result.status, errors: result.errors)
    var rest = String(decoding: result.output, as: UTF8.self)[...]
    repeat {
        guard let end = rest.firstRange(of: "\r\n\r\n") else { return answer }
        let lines = rest[..<end.lowerBound].components(separatedBy: "\r\n")
        rest = rest[end.upperBound...]
        let words = (lines.first ?? "").split(separator: " ")
        answer.version = words.first.map(String.init) ?? ""
        answer.status = words.dropFirst().first.flatMap { Int($0) } ?? 0
        answer.fields = lines.dropFirst().map { line in
            let parts = line.split(separator: ":", maxSplits: 1)
            return (
                parts.first.map(String.init) ?? "",
                parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
            )
        }
    } while (100...199).contains(answer.status)
    answer.text = String(rest)
    return answer
}
