import Foundation

@testable import AFCDiscovery

/// The html5lib tokenizer suite: its files, its cases, and tokens in its notation.
///
/// `xmlViolation.test` is left out: it is about turning a tree into an XML infoset, which nobody does here.
enum TokenizerSuite {
    struct Case {
        var name: String
        var input: String
        var state: String
        var lastStartTag: String?
        var expected: [Token]
    }

    enum Token: Equatable {
        case doctype(HTMLDoctypeFields)
        case startTag(String, [String: String], isSelfClosing: Bool)
        case endTag(String)
        case comment(String)
        case characters(String)
    }

    struct HTMLDoctypeFields: Equatable {
        var name: String?
        var publicIdentifier: String?
        var systemIdentifier: String?
        var isCorrect: Bool
    }

    struct Malformed: Error {
        var what: String
    }

    /// Each file with the number of its cases, counted by another program.
    static let files: [(String, Int)] = [
        ("contentModelFlags", 24), ("domjs", 59), ("entities", 80), ("escapeFlag", 9), ("namedEntities", 4210),
        ("numericEntities", 336), ("pendingSpecChanges", 1), ("test1", 69), ("test2", 45), ("test3", 1786),
        ("test4", 85),
        ("unicodeChars", 323), ("unicodeCharsProblematic", 5),
    ]

    static func folder() -> URL {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Fixtures")
    }

    /// One case for each initial state.
    static func cases(in file: String) throws -> [Case] {
        let data = try Data(contentsOf: folder().appendingPathComponent("html5lib-tokenizer/\(file).test"))
        guard
            let root = try JSONSerialization.jsonObject(with: data) as? [String: Any],
            let tests = root["tests"] as? [[String: Any]]
        else { throw Malformed(what: file) }
        return try tests.flatMap { test -> [Case] in
            guard
                let name = test["description"] as? String, let input = test["input"] as? String,
                let output = test["output"] as? [[Any]]
            else { throw Malformed(what: "\(file): \(test)") }
            let unescape = test["doubleEscaped"] as? Bool == true ? unescaped : { $0 }
            let expected = try output.map { try token($0, unescape) }
            return (test["initialStates"] as? [String] ?? ["Data state"]).map { state in
                Case(
                    name: "\(file): \(name) (\(state))",
                    input: normalized(unescape(input)),
                    state: state,
                    lastStartTag: test["lastStartTag"] as? String,
                    expected: coalesced(expected)
                )
            }
        }
    }

    private static func token(_ fields: [Any], _ unescape: (String) -> String) throws -> Token {
        func text(_ index: Int) -> String? {
            index < fields.count ? (fields[index] as? String).map(unescape) : nil
        }
        switch (fields.first as? String, text(1)) {
        case ("DOCTYPE", let name):
            let isCorrect = fields.last as? Bool ?? false
            return .doctype(
                .init(name: name, publicIdentifier: text(2), systemIdentifier: text(3), isCorrect: isCorrect)
            )
        case ("StartTag", let name?):
            let attributes = fields[2] as? [String: String] ?? [:]
            let pairs = attributes.map { (unescape($0.key), unescape($0.value)) }
            return .startTag(name, Dictionary(uniqueKeysWithValues: pairs), isSelfClosing: fields.count > 3)
        case ("EndTag", let name?): return .endTag(name)
        case ("Comment", let data?): return .comment(data)
        case ("Character", let data?): return .characters(data)
        default: throw Malformed(what: "\(fields)")
        }
    }

    /// Resolves `\uHHHH`; a lone surrogate becomes U+FFFD, which is what a decoder would hand to a tokenizer.
    private static func unescaped(_ text: String) -> String {
        var units: [UInt16] = []
        var rest = Substring(text)
        while let next = rest.first {
            let hex = rest.dropFirst(2).prefix(4)
            if rest.hasPrefix("\\u"), let unit = UInt16(hex, radix: 16) {
                units.append(unit)
                rest = rest.dropFirst(6)
            } else {
                units += Array(String(next).utf16)
                rest = rest.dropFirst()
            }
        }
        return String(decoding: units, as: UTF16.self)
    }

    private static func normalized(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        var previous: Unicode.Scalar?
        for scalar in text.unicodeScalars {
            if scalar == "\r" {
                scalars.append("\n")
            } else if scalar != "\n" || previous != "\r" {
                scalars.append(scalar)
            }
            previous = scalar
        }
        return String(scalars)
    }

    static func coalesced(_ tokens: [Token]) -> [Token] {
        tokens.reduce(into: []) { result, token in
            if case .characters(let more) = token, case .characters(let text) = result.last {
                result[result.count - 1] = .characters(text + more)
            } else {
                result.append(token)
            }
        }
    }
}
