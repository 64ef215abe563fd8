import Foundation
import Testing

/// The archives of Fixtures/archives, and what is expected of them.
enum Corpus {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    static let folder = root.appendingPathComponent("Fixtures/archives")

    /// An archive that must be refused.
    struct Hostile: Sendable, CustomTestStringConvertible {
        /// When the defect is noticed.
        enum Stage: String {
            case open, read, package, lint
        }

        var file: String
        var rule: String
        var stage: Stage
        var sentence: String
        var path: String { Corpus.folder.appendingPathComponent("hostile/" + file).path }
        var testDescription: String { file }
    }

    /// An archive that must be read, with its members.
    struct Odd: Sendable, CustomTestStringConvertible {
        /// A member; a folder has no digest.
        struct Member: Equatable {
            var name: String
            var size: Int64
            var digest: String?
        }

        /// The folder and the file's name.
        var file: String
        var members: [Member]
        var path: String { Corpus.folder.appendingPathComponent(file).path }
        var testDescription: String { file }
    }

    static let hostile: [Hostile] = rows("hostile").compactMap { row in
        guard row.count == 4, let stage = Hostile.Stage(rawValue: row[2]) else { return nil }
        return Hostile(file: row[0], rule: row[1], stage: stage, sentence: row[3])
    }

    static let odd = archives("odd")
    /// Archives that other programs made.
    static let tools = archives("tools")

    private static func archives(_ folder: String) -> [Odd] {
        var found: [Odd] = []
        for row in rows(folder) where row.count == 4 {
            if found.last?.file != "\(folder)/\(row[0])" { found.append(Odd(file: "\(folder)/\(row[0])", members: [])) }
            guard row[1] != "-", let size = Int64(row[2]) else { continue }
            let digest = row[3] == "-" ? nil : row[3]
            found[found.count - 1].members.append(Odd.Member(name: row[1], size: size, digest: digest))
        }
        return found
    }

    private static func rows(_ folder: String) -> [[String]] {
        let path = Corpus.folder.appendingPathComponent("\(folder)/expected.tsv")
        let text = (try? String(contentsOf: path, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").dropFirst().map { line in
            line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        }
    }
}
