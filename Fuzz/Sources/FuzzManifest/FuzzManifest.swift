import AFCPackageFormat
import AFCURL

/// Reads any bytes as a manifest, and as the parts of a package's sidecar: no line is dropped silently, nothing traps.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzManifest(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    checkReader(bytes)
    checkIndex(bytes)
    return 0
}

private func checkReader(_ bytes: [UInt8]) {
    var reader = ManifestReader(bytes)
    var urls: Set<WebURL> = []
    var lastLine = 0
    // The same by the long way, and in parts.
    var plain = ManifestReader(bytes, usesShortcuts: false)
    var parts = ManifestReader()
    func read(_ buffer: UnsafeMutableRawBufferPointer, _ offset: Int) -> Int {
        let part = bytes[min(offset, bytes.count)..<min(offset + buffer.count, bytes.count)]
        buffer.copyBytes(from: part)
        return part.count
    }
    while let item = reader.next() {
        let other = plain.next()
        precondition(other == item && other?.entry == item.entry, "a shortcut changes an entry")
        precondition(parts.next(read) == item, "an entry is another when it is read in parts")
        precondition(item.line > lastLine, "a line comes twice")
        lastLine = item.line
        precondition(urls.insert(item.entry.url).inserted, "a URL comes twice")
        let again = try? WebURL(item.entry.url.description)
        precondition(again == item.entry.url, "a URL doesn't survive being written")
    }
    precondition(plain.next() == nil && plain.problems == reader.problems, "a shortcut changes what is found")
    precondition(parts.next(read) == nil && parts.problems == reader.problems, "parts change what is found")
    check(reader.problems)
}

/// The input is manifest, package.json and records, with a zero byte between them.
private func checkIndex(_ bytes: [UInt8]) {
    let parts = bytes.split(separator: 0, maxSplits: 2, omittingEmptySubsequences: false).map(Array.init)
    let members = [
        PackageIndex.Member(name: "manifest.afcache", size: 100, isFolder: false),
        PackageIndex.Member(name: "docs.example/page.html", size: 12, isFolder: false),
        PackageIndex.Member(name: "docs.example/", size: 0, isFolder: true),
    ]
    let index = PackageIndex(
        members: members,
        manifest: parts[0],
        info: parts.count > 1 ? parts[1] : nil,
        records: parts.count > 2 ? parts[2] : nil
    )
    var reader = ManifestReader(parts[0])
    var entries: [Int: ManifestEntry] = [:]
    while let item = reader.next() { entries[item.line] = item.entry }
    precondition(index.resources.count { $0.entry != nil } == entries.count, "an entry is lost")
    var last: WebURL?
    for (place, resource) in index.resources.enumerated() {
        precondition(resource.member.map { $0 < members.count } ?? true)
        precondition(resource.entry == entries[resource.line], "an entry reads differently the second time")
        precondition(last.map { $0 < resource.url } ?? true, "resources aren't sorted")
        precondition(index.resources[place] == resource, "an entry reads differently when it is read alone")
        last = resource.url
    }
    check(index.problems)
}

/// What is told is fit for a terminal.
private func check(_ problems: [PackageProblem]) {
    for problem in problems {
        precondition(!problem.rule.isEmpty && !problem.sentence.isEmpty)
        for scalar in problem.sentence.unicodeScalars {
            precondition(scalar.value >= 0x20 && scalar.value != 0x7F, "a control character in '\(problem.rule)'")
        }
    }
}
