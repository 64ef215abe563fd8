import Foundation

/// The html5lib encoding suite: documents, each with the encoding that a browser reads it in.
enum EncodingSuite {
    struct Case {
        var bytes: [UInt8]
        var encoding: String
    }

    static func cases(in file: String) throws -> [Case] {
        let url = TokenizerSuite.folder().appendingPathComponent("html5lib-encoding/\(file).dat")
        let text = String(decoding: try Data(contentsOf: url), as: UTF8.self)
        return text.components(separatedBy: "#data\n").dropFirst().compactMap { part in
            let halves = part.components(separatedBy: "\n#encoding\n")
            guard halves.count == 2 else { return nil }
            let name = halves[1].trimmingCharacters(in: .whitespacesAndNewlines).lowercased()
            return Case(bytes: Array(halves[0].utf8), encoding: name)
        }
    }
}
