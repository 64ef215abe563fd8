import Crypto
import Foundation
import TestSupport
import Testing

/// An archive that loads looks the same to every other program: the same names, the same bytes.
struct OtherReadersTests {
    /// A program that extracts an archive to the folder it runs in.
    enum Reader: String, CaseIterable, Sendable {
        case unzip, bsdtar, streamingBsdtar, sevenZip, python

        var command: [String] {
            switch self {
            case .unzip: ["unzip", "-q", "-o", "ARCHIVE"]
            case .bsdtar: ["bsdtar", "-xf", "ARCHIVE"]
            // From a pipe it sees local headers and data descriptors only.
            case .streamingBsdtar: ["sh", "-c", "cat \"$1\" | bsdtar -xf -", "sh", "ARCHIVE"]
            case .sevenZip: ["7z", "x", "-y", "-bd", "ARCHIVE"]
            case .python: ["python3", "-c", OtherReadersTests.python, "ARCHIVE"]
            }
        }

        var program: String { self == .streamingBsdtar ? "bsdtar" : command[0] }
    }

    /// A name without the UTF-8 flag is in code page 437 for Python, as APPNOTE has it; its bytes are those that others see.
    static let python = """
        import sys, zipfile
        with zipfile.ZipFile(sys.argv[1]) as archive:
            for item in archive.infolist():
                if not item.flag_bits & 0x800:
                    item.filename = item.filename.encode("cp437").decode()
                archive.extract(item)
        """

    static let installed = Reader.allCases.filter { reader in
        (try? Program.run("sh", ["-c", "command -v \"$1\"", "sh", reader.program]).status) == 0
    }

    @Test(.enabled(if: installed.count == Reader.allCases.count, "scripts/setup --tests installs what is missing"))
    func `the programs used for comparison are installed`() {}

    @Test(arguments: installed)
    func `another program finds the same members and bodies`(reader: Reader) throws {
        for item in Corpus.odd + Corpus.tools {
            // Made by DOS, as jar says: unzip 6.0 takes letters outside ASCII for a code page then, even with the UTF-8 flag.
            if reader == .unzip, item.file == "tools/jar.zip" { continue }
            let scratch = try Scratch()
            let command = reader.command.map { $0 == "ARCHIVE" ? item.path : $0 }
            let settings = ["LC_ALL": "C.UTF-8"]
            let result = try Program.run(
                command[0],
                Array(command.dropFirst()),
                in: scratch.path,
                environment: settings
            )
            #expect(try Self.files(in: scratch.path) == Self.expected(item), "'\(item.file)': \(result.errors)")
        }
    }

    private static func expected(_ item: Corpus.Odd) -> [String: String] {
        var digests: [String: String] = [:]
        for member in item.members {
            if let digest = member.digest { digests[member.name] = digest }
        }
        return digests
    }

    private static func files(in folder: String) throws -> [String: String] {
        var digests: [String: String] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder) {
            let path = folder + "/" + name
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            switch attributes[.type] as? FileAttributeType {
            case .typeDirectory: continue
            case .typeRegular:
                let digest = SHA256.hash(data: try Data(contentsOf: URL(fileURLWithPath: path)))
                digests[name] = digest.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
            default: digests[name] = "neither file nor folder"
            }
        }
        return digests
    }
}
