import AFCLinter
import AFCPackageFormat
import AFCZip
import Foundation
import TestSupport

/// A sound package taken apart, in which a mutation plants a defect.
struct PlantedPackage: Sendable {
    /// What it is called in messages.
    let name: String
    /// The archive; manifest and sidecar are put in when it is put together.
    var zip: RawZip
    /// The manifest's lines without their ends.
    var lines: [String]
    /// The lines of the sidecar's records.
    var records: [String]
    /// `.afcache/package.json`, or nil where there is no sidecar.
    var info: String?
    /// The manifest where it is no such lines.
    var manifest: [UInt8]?
    /// The bytes of all where the records don't say them.
    var whole: [UInt8]?
    /// Changes how it is linted.
    var options: @Sendable (inout Linter.Options) -> Void = { _ in }

    /// The bodies of the sound package, by member.
    private let bodies: [String: [UInt8]]
    private let original: (lines: [String], records: [String], info: String?)

    /// Takes a package apart.
    init(_ package: GoodPackages.Package, in scratch: Scratch) throws {
        guard let zip = RawZip(reading: package.bytes) else { throw NotTakenApart() }
        (name, self.zip) = (package.name, zip)
        let reader = try ZipReader(path: try scratch.write(package.bytes, to: "good.zip"))
        let bodies = try Dictionary(
            uniqueKeysWithValues: reader.members.map { ($0.name, try reader.read($0, maxBytes: 1 << 24)) }
        )
        func lines(_ name: String) -> [String] {
            String(decoding: bodies[name] ?? [], as: UTF8.self).split(separator: "\n").map(String.init)
        }
        self.bodies = bodies
        self.lines = lines(PackageLayout.manifest)
        records = lines(PackageLayout.records)
        info = bodies[PackageLayout.info].map { String(decoding: $0, as: UTF8.self) }
        original = (self.lines, records, info)
    }

    struct NotTakenApart: Error {}

    /// Whether a change isn't seen by the rules, since a signature is broken by any.
    var isSigned: Bool { bodies[PackageLayout.signature] != nil }

    /// Puts it together; a member whose text didn't change keeps its data.
    var bytes: [UInt8] {
        if let whole { return whole }
        var zip = zip
        func put(_ body: [UInt8], in name: String) {
            guard let index = zip.members.firstIndex(where: { $0.text == name }) else { return }
            zip.members[index].setBody(body)
        }
        func text(_ lines: [String]) -> [UInt8] { Array(lines.map { $0 + "\n" }.joined().utf8) }
        if let manifest {
            put(manifest, in: PackageLayout.manifest)
        } else if lines != original.lines {
            put(text(lines), in: PackageLayout.manifest)
        }
        if records != original.records { put(text(records), in: PackageLayout.records) }
        if let info, info != original.info { put(Array(info.utf8), in: PackageLayout.info) }
        return zip.bytes
    }

    /// The manifest as its lines say it.
    var manifestBytes: [UInt8] { manifest ?? Array(lines.map { $0 + "\n" }.joined().utf8) }

    // MARK: What is in it

    /// An entry as its line says it.
    struct Entry {
        /// The line's index.
        var index: Int
        var fields: [String]
        /// The member that has the body.
        var member: String
        /// The line's number.
        var line: Int { index + 1 }
        var url: String { fields[0] }
        var type: String { fields[3] }

        /// Where a field begins, from 1.
        func column(_ field: Int) -> Int { fields[..<field].reduce(1) { $0 + $1.utf8.count + 3 } }
    }

    /// All entries.
    var entries: [Entry] { lines.indices.compactMap { entry(at: $0) } }

    /// The entry of a line, or nil for a header.
    func entry(at index: Int) -> Entry? {
        let fields = lines[index].split(separator: " ; ", omittingEmptySubsequences: false).map(String.init)
        guard fields.count >= 4 else { return nil }
        let named = fields.count > 4 && fields[4] != "NULL" ? fields[4] : nil
        return Entry(index: index, fields: fields, member: named ?? Self.ruleName(fields[0]))
    }

    private static func ruleName(_ url: String) -> String {
        String(url.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: true).last?.drop { $0 == "/" } ?? "")
    }

    /// The body of a member of the sound package.
    func body(_ member: String) -> [UInt8] { bodies[member] ?? [] }

    /// The index of a URL's record.
    func record(of url: String) -> Int? { records.firstIndex { $0.hasPrefix("{\"url\":\"\(url)\"") } }

    /// The place of a member in the archive.
    func place(of member: String) -> Int? { zip.members.firstIndex { $0.text == member } }

    /// Lines of pages and style sheets whose text has a word, as all references to one resource have.
    func users(of word: String) -> [Entry] {
        entries.filter { entry in
            entry.type.hasPrefix("text/html") || entry.type.hasPrefix("text/css") || entry.type == "text/javascript"
        }.filter { String(decoding: body($0.member), as: UTF8.self).contains(word) }
    }

    // MARK: Changes that plant nothing by themselves

    /// Writes an entry's line anew.
    mutating func set(_ entry: Entry, _ field: Int, to text: String) {
        var fields = entry.fields
        fields[field] = text
        lines[entry.index] = fields.joined(separator: " ; ")
    }

    /// Replaces a text in the record of an entry.
    mutating func edit(_ record: Int, _ old: String, _ new: String) {
        guard let range = records[record].firstRange(of: old) else { return }
        records[record].replaceSubrange(range, with: new)
    }

    /// Adds to one of the numbers in `.afcache/package.json`.
    mutating func count(_ key: String, _ change: Int) {
        guard let text = info, let range = text.firstRange(of: "\"\(key)\": ") else { return }
        let digits = text[range.upperBound...].prefix { $0.isNumber }
        let number = (Int(digits) ?? 0) + change
        info = text.replacingCharacters(in: digits.startIndex..<digits.endIndex, with: String(number))
    }

    /// Gives an entry another body, and its record the right size.
    mutating func setBody(of entry: Entry, to body: [UInt8]) {
        guard let place = place(of: entry.member) else { return }
        let change = body.count - Int(zip.members[place].size)
        zip.members[place].setBody(body)
        guard let record = record(of: entry.url) else { return }
        edit(record, "\"size\":\(body.count - change)", "\"size\":\(body.count)")
        if let digest = records[record].firstRange(of: ",\"sha256\":") {
            records[record].replaceSubrange(digest.lowerBound..., with: "}")
        }
        count("bodyBytes", change)
    }

    /// Adds a resource with an entry, a body and, where there are records, a record.
    ///
    /// - Returns: The entry.
    mutating func add(
        _ url: String,
        type: String = "text/plain; charset=utf-8",
        body: [UInt8] = Array("planted\n".utf8),
        member: String? = nil,
        record more: String = ""
    ) -> Entry {
        let name = member ?? Self.ruleName(url)
        let fifth = member.map { " ; " + $0 } ?? ""
        let hasHeader = lines.first?.hasPrefix("baseURL = ") == true
        let start = hasHeader ? 1 : 0
        let index = lines[start...].firstIndex { Self.url(of: $0) > Array(url.utf8)[...] } ?? lines.count
        lines.insert("\(url) ; Fri, 20 Mar 2015 10:00:00 GMT ; NULL ; \(type)\(fifth)", at: index)
        var raw = RawZip.Member(name, "")
        raw.method = type.hasPrefix("text/") ? 8 : 0
        raw.setBody(body)
        insert(raw)
        addRecord("{\"url\":\"\(url)\",\"status\":200,\"fields\":[\(more)],\"size\":\(body.count)}")
        count("resources", 1)
        if info != nil { count("bodyBytes", body.count) }
        return entry(at: index) ?? Entry(index: index, fields: [url, "", "", type], member: name)
    }

    private static func url(of line: String) -> ArraySlice<UInt8> {
        let bytes = Array(line.utf8)
        return bytes.prefix { $0 != UInt8(ascii: " ") }
    }

    /// Puts a member before those that describe the others.
    mutating func insert(_ member: RawZip.Member) {
        var member = member
        if let first = zip.members.first { (member.time, member.date) = (first.time, first.date) }
        member.attributes = member.attributes == 0 ? 0o100644 << 16 : member.attributes
        let last = zip.members.firstIndex { $0.text.hasPrefix(".afcache/") || $0.text == PackageLayout.manifest }
        zip.members.insert(member, at: last ?? 0)
    }

    /// Adds a record where there are records.
    mutating func addRecord(_ text: String) {
        guard !records.isEmpty else { return }
        records.insert(text, at: records.firstIndex { $0 > text } ?? records.count)
    }
}

extension ArraySlice<UInt8> {
    static func > (one: Self, other: Self) -> Bool { other.lexicographicallyPrecedes(one) }
}
