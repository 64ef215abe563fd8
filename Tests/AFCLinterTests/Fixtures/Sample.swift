import AFCCaching
import AFCLinter
import AFCPackageFormat
import AFCZip
import Foundation
import TestSupport

/// Something to lint.
struct Sample: Sendable {
    /// Gives the identifiers of the rules that find something; what it writes is gone with the folder.
    var rules: @Sendable (Scratch) async throws -> Set<String>
    /// Makes the file and says how it is linted; nil where it is no file that stays as it is.
    var file: (@Sendable (Scratch) async throws -> (path: String, options: Linter.Options))?

    /// A file that a test makes.
    ///
    /// - Parameters:
    ///   - options: Changes how it is linted.
    ///   - make: Makes the file and gives its path.
    /// - Returns: The sample.
    static func made(
        _ options: @escaping @Sendable (inout Linter.Options) throws -> Void = { _ in },
        _ make: @escaping @Sendable (Scratch) async throws -> String
    ) -> Sample {
        @Sendable func file(_ scratch: Scratch) async throws -> (path: String, options: Linter.Options) {
            let path = try await make(scratch)
            var chosen = Linter.Options(now: LinterTests.now)
            chosen.levels = everyRule
            try options(&chosen)
            return (path, chosen)
        }
        return Sample(
            rules: { scratch in
                let (path, options) = try await file(scratch)
                return Set(Linter.lint(path, options: options).findings.map(\.rule))
            },
            file: file
        )
    }

    /// All rules are on, those too that are off by default.
    private static let everyRule: RuleLevels = {
        var configuration = LintConfiguration()
        for rule in LintRules.all where !rule.isOn {
            configuration.rules[rule.id] = RuleLevel(rawValue: rule.severity.rawValue)
        }
        return configuration.levels(for: "")
    }()

    /// A bare manifest.
    static func manifest(_ text: String) -> Sample { bytes(Array(text.utf8)) }

    /// A file of these bytes.
    static func bytes(_ bytes: [UInt8]) -> Sample { made { try $0.write(bytes, to: "file") } }

    /// An archive whose records are written by hand.
    static func raw(_ members: [RawZip.Member], _ change: @Sendable (inout RawZip) -> Void = { _ in }) -> Sample {
        bytes(RawZip(members).with(change).bytes)
    }

    /// An archive of Fixtures/archives, for example `odd/plain.zip`.
    static func archive(_ name: String) -> Sample {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let path = root.appendingPathComponent("Fixtures/archives/" + name).path
        return made { _ in path }
    }

    /// A package of members as they are; `compressed` says whether they are deflated.
    static func package(
        _ members: KeyValuePairs<String, String>,
        compressed: Bool = true,
        _ options: @escaping @Sendable (inout Linter.Options) throws -> Void = { _ in }
    ) -> Sample {
        made(options) { try await write(members, compressed: compressed, to: $0.path("package.zip")) }
    }

    /// Writes members as they are.
    ///
    /// - Returns: The path.
    static func write(
        _ members: KeyValuePairs<String, String>,
        compressed: Bool = true,
        to path: String
    ) async throws -> String {
        let members = members.map {
            NewMember(name: $0.key, content: .bytes(Array($0.value.utf8)), isCompressible: compressed)
        }
        _ = try await ZipWriter.write(to: path, members: members, options: ZipWriter.Options())
        return path
    }
}
