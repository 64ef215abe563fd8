import AFCFiles
import Foundation
import TestSupport
import Testing

@testable import AFCZip

/// Archives of which only the end is there.
struct ArchiveOutlineTests {
    /// An archive of bodies that deflate, and of some that don't.
    private static func archive(_ count: Int, _ scratch: Scratch) throws -> [UInt8] {
        let output = try ZipOutput(to: scratch.path("a.zip"))
        for number in 0..<count {
            let body = number % 3 == 0 ? [] : Array(repeating: UInt8(number & 0xFF), count: number * 7)
            let name = "docs.example/\(number % 5)/page-\(number)\(number % 4 == 0 ? "-ä" : "")"
            try output.add(NewMember(name: name, content: .bytes(body), isCompressible: number % 2 == 0))
        }
        _ = try output.finish()
        return try scratch.read("a.zip")
    }

    /// The offset of the directory, as the end record says.
    private static func directory(_ bytes: [UInt8]) -> Int {
        (0..<4).reduce(0) { $0 | Int(bytes[bytes.count - 6 + $1]) << (8 * $1) }
    }

    @Test func `from any byte on, a directory gives the members that begin after it`() throws {
        let scratch = try Scratch()
        let bytes = try Self.archive(9, scratch)
        let members = try ZipReader(path: scratch.path("a.zip")).members
        let start = Self.directory(bytes)
        // The entries' places, by their sizes: 46 bytes and the name.
        var places = [start]
        for member in members.dropLast() { places.append(places[places.count - 1] + 46 + member.name.utf8.count) }
        for known in start..<(bytes.count - 22) {
            var partial = bytes
            partial.replaceSubrange(0..<known, with: repeatElement(0, count: known))
            let file = try OpenFile(reading: try scratch.write(partial, to: "part.zip"))
            let outline = try ArchiveOutline(file, from: Int64(known), limits: ReadLimits(), folder: scratch.path)
            let first = places.firstIndex { $0 >= known }
            guard let first else {
                #expect(outline == nil, "\(known)")
                continue
            }
            let found = try #require(outline, "\(known)")
            #expect(found.precedingCount == first && found.count == members.count - first)
            #expect(found.precedingEntries == Int64(start)..<Int64(places[first]))
            for index in 0..<found.count {
                let member = members[first + index]
                #expect(found.name(index) == member.name)
                #expect(found.entryOffset(index) == Int64(places[first + index]))
                #expect(found.record(index).lowerBound + Int64(found.header(index).count) == member.dataOffset)
                let known = try #require(found.member(named: member.name))
                #expect(known.dataOffset == member.dataOffset && known.compressedSize == member.compressedSize)
                #expect(known.uncompressedSize == member.uncompressedSize && known.crc32 == member.crc32)
                #expect(known.method == member.method)
            }
            #expect(found.member(named: members[0].name) == nil || first == 0)
        }
    }

    @Test(arguments: [1, 20, 199])
    func `entries that stand for others give an archive with the same names and sizes`(known: Int) throws {
        let scratch = try Scratch()
        let bytes = try Self.archive(200, scratch)
        let members = try ZipReader(path: scratch.path("a.zip")).members
        let entries = members.suffix(known).reduce(22) { $0 + 46 + $1.name.utf8.count }
        var partial = bytes
        partial.replaceSubrange(0..<(bytes.count - entries), with: repeatElement(0, count: bytes.count - entries))
        let file = try OpenFile(reading: try scratch.write(partial, to: "part.zip"))
        let outline = try #require(
            try ArchiveOutline(file, from: Int64(bytes.count - entries), limits: ReadLimits(), folder: scratch.path)
        )
        let others = members.prefix(200 - known).map { (name: $0.name, size: $0.uncompressedSize) }
        let isMade = try outline.makeStandIns(for: others, limits: ReadLimits()) { made, offset throws(FileError) in
            partial.replaceSubrange(Int(offset)..<(Int(offset) + made.count), with: made)
        }
        #expect(isMade)
        let whole = try OpenFile(reading: try scratch.write(partial, to: "part.zip"))
        let all = try #require(try ArchiveOutline(whole, limits: ReadLimits(), folder: scratch.path))
        for index in 0..<all.count {
            let (header, place) = (all.header(index), Int(all.record(index).lowerBound))
            partial.replaceSubrange(place..<(place + header.count), with: header)
        }
        let path = try scratch.write(partial, to: "part.zip")
        let found = try ZipReader(path: path).members
        #expect(found.map(\.name) == members.map(\.name))
        #expect(found.map(\.uncompressedSize) == members.map(\.uncompressedSize))
        for (member, original) in zip(found.suffix(known), members.suffix(known)) { #expect(member == original) }
        // Another program agrees.
        let script =
            "import sys, zipfile\nfor i in zipfile.ZipFile(sys.argv[1]).infolist(): print(i.file_size, i.filename)"
        let listed = try ["a.zip", "part.zip"].map {
            try Program.run("python3", ["-c", script, scratch.path($0)]).text
        }
        #expect(listed[0] == listed[1] && listed[0].split(separator: "\n").count == 200)
    }

    /// What a package may state that its directory contradicts.
    @Test(arguments: ["none", "one less", "one more", "a longer name", "a size that data can't be for", "no name"])
    func `nothing is made for members that the directory doesn't have`(lie: String) throws {
        let scratch = try Scratch()
        let bytes = try Self.archive(20, scratch)
        let members = try ZipReader(path: scratch.path("a.zip")).members
        let entries = members.suffix(4).reduce(22) { $0 + 46 + $1.name.utf8.count }
        let file = try OpenFile(reading: scratch.path("a.zip"))
        let outline = try #require(
            try ArchiveOutline(file, from: Int64(bytes.count - entries), limits: ReadLimits(), folder: scratch.path)
        )
        var others = members.prefix(16).map { (name: $0.name, size: $0.uncompressedSize) }
        switch lie {
        case "one less": others.removeLast()
        case "one more": others.append(("x", 1))
        case "a longer name": others[3].name += "x"
        case "a size that data can't be for": others[3].size = 40_000_000
        case "no name":
            others[3].name += others[4].name
            others[4].name = ""
        default: break
        }
        var written = 0
        let isMade = try outline.makeStandIns(for: others, limits: ReadLimits()) { made, _ throws(FileError) in
            written += made.count
        }
        #expect(isMade == (lie == "none") && (written > 0) == isMade)
    }
}
