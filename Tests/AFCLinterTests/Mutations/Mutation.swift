import AFCLinter
import AFCPackageFormat
import TestSupport
import Testing

/// A way to plant one defect, and what is to be found then.
struct Mutation: Sendable, CustomTestStringConvertible {
    typealias Source = SeededGenerator

    /// What the defect is.
    let kind: String
    /// Plants it at a random place; nil where the package has no place for it.
    let plant: @Sendable (inout PlantedPackage, inout Source) throws -> [Expected]?

    init(_ kind: String, _ plant: @escaping @Sendable (inout PlantedPackage, inout Source) throws -> [Expected]?) {
        self.kind = kind
        self.plant = plant
    }

    var testDescription: String { kind }

    /// All kinds.
    static let all: [Mutation] =
        text + line + date + url + type + member + completeness + sidecar + record + zipRecord + zipMember + zipName
        + signature
}

/// What is to be found, and where.
struct Expected: Comparable, Sendable, CustomStringConvertible {
    let rule: String
    /// The place as text, so that many can be compared and read.
    let place: String

    var description: String { "\(rule) at \(place)" }

    static func < (one: Expected, other: Expected) -> Bool { (one.place, one.rule) < (other.place, other.rule) }

    private init(_ rule: String, _ place: String) { (self.rule, self.place) = (rule, place) }

    init(_ finding: Finding) {
        switch finding.place {
        case .package: self.init(finding.rule, "the package")
        case .member(let name): self.init(finding.rule, "member \(name)")
        case .record(let line): self.init(finding.rule, "record \(line)")
        case .manifest(let line, let column): self.init(finding.rule, "\(line):\(column)")
        }
    }

    static func line(_ rule: String, _ line: Int, _ column: Int = 1) -> Expected { Expected(rule, "\(line):\(column)") }
    static func entry(_ rule: String, _ entry: PlantedPackage.Entry, _ field: Int = 0) -> Expected {
        line(rule, entry.line, entry.column(field))
    }
    static func record(_ rule: String, _ index: Int) -> Expected { Expected(rule, "record \(index + 1)") }
    static func member(_ rule: String, _ name: String) -> Expected { Expected(rule, "member \(name)") }
    static func package(_ rule: String) -> Expected { Expected(rule, "the package") }
    /// About the records of redirects, which have no line of their own.
    static func records(_ rule: String) -> Expected { member(rule, PackageLayout.records) }
    static func info(_ rule: String) -> Expected { member(rule, PackageLayout.info) }
}

extension PlantedPackage {
    /// One of the entries for which something is true.
    func any(_ source: inout Mutation.Source, where isFit: (Entry) -> Bool = { _ in true }) -> Entry? {
        entries.filter(isFit).randomElement(using: &source)
    }

    /// One of the records for which something is true.
    func anyRecord(_ source: inout Mutation.Source, where isFit: (String) -> Bool = { _ in true }) -> Int? {
        records.indices.filter { isFit(records[$0]) }.randomElement(using: &source)
    }
}
