import AFCFiles
import AFCZip
import Foundation
import TestSupport
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Where results go: files appear whole, and what is no file is written to.
struct OutputTargetTests {
    static func write(_ text: String, to path: String) throws {
        let sink = try OutputSink(try OutputTarget(path))
        try Array(text.utf8).withUnsafeBytes { bytes in try sink.append(bytes) }
        try sink.finish()
    }

    static func names(_ scratch: Scratch) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: scratch.path("")).sorted()
    }

    static func isLink(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }

    @Test func `a file appears whole, and keeps its mode when it is replaced`() throws {
        let scratch = try Scratch()
        try Self.write("one", to: scratch.path("f"))
        #expect(try scratch.read("f") == Array("one".utf8))
        #expect(chmod(scratch.path("f"), 0o600) == 0)
        try Self.write("two", to: scratch.path("f"))
        #expect(try scratch.read("f") == Array("two".utf8))
        var status = stat()
        #expect(stat(scratch.path("f"), &status) == 0 && status.st_mode & 0o777 == 0o600)
        #expect(try Self.names(scratch) == ["f"])
    }

    @Test func `what replaces a private file is private from the start`() throws {
        let scratch = try Scratch()
        try Self.write("one", to: scratch.path("f"))
        #expect(chmod(scratch.path("f"), 0o600) == 0)
        /// The modes of the files beside the one that is replaced.
        func modes() throws -> [mode_t] {
            try Self.names(scratch).filter { $0 != "f" }.map { name in
                var status = stat()
                #expect(lstat(scratch.path(name), &status) == 0)
                return status.st_mode & 0o777
            }
        }
        let sink = try OutputSink(try OutputTarget(scratch.path("f")))
        #expect(try modes() == [0o600])
        sink.abandon()
        let old = try OpenFile(reading: scratch.path("f"))
        let replacement = try FileReplacement(of: old, seenAs: try old.state())
        #expect(try modes() == [0o600])
        replacement.abandon()
        let zip = try ZipOutput(to: scratch.path("f"))
        #expect(try modes().allSatisfy { $0 & 0o077 == 0 })
        #expect(try !modes().isEmpty)
        zip.abandon()
        #expect(try modes().isEmpty)
    }

    @Test func `an unfinished replacement leaves the old file and nothing else`() throws {
        let scratch = try Scratch()
        try Self.write("one", to: scratch.path("f"))
        var sink: OutputSink? = try OutputSink(try OutputTarget(scratch.path("f")))
        try Array("two".utf8).withUnsafeBytes { bytes in try sink?.append(bytes) }
        sink = nil
        #expect(try scratch.read("f") == Array("one".utf8))
        #expect(try Self.names(scratch) == ["f"])
    }

    @Test(arguments: [true, false]) func `a link is followed and kept`(isDangling: Bool) throws {
        let scratch = try Scratch()
        try FileManager.default.createDirectory(atPath: scratch.path("far"), withIntermediateDirectories: true)
        if !isDangling { try Self.write("old", to: scratch.path("far/f")) }
        #expect(symlink("far/f", scratch.path("near")) == 0)
        #expect(symlink("near", scratch.path("link")) == 0)
        try Self.write("new", to: scratch.path("link"))
        #expect(try scratch.read("far/f") == Array("new".utf8))
        #expect(Self.isLink(scratch.path("link")) && Self.isLink(scratch.path("near")))
        #expect(try Self.names(scratch) == ["far", "link", "near"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path("far")) == ["f"])
    }

    @Test(arguments: ["pipe", "link"]) func `a pipe receives the bytes and isn't replaced, even through a link`(
        name: String
    ) throws {
        let scratch = try Scratch()
        #expect(mkfifo(scratch.path("pipe"), 0o600) == 0)
        #expect(symlink("pipe", scratch.path("link")) == 0)
        // Open for both, so that neither side waits for the other.
        let descriptor = open(scratch.path("pipe"), O_RDWR | O_CLOEXEC)
        defer { close(descriptor) }
        try Self.write("through", to: scratch.path(name))
        // A draft that is whole before it goes there, as a package is.
        let draft = try OutputTarget(scratch.path(name)).draft("draft")
        try Data("draft".utf8).write(to: URL(fileURLWithPath: draft))
        try OutputTarget(scratch.path(name)).put(draft)
        var bytes = [UInt8](repeating: 0, count: 100)
        #expect(read(descriptor, &bytes, 100) == 12)
        #expect(String(decoding: bytes[..<12], as: UTF8.self) == "throughdraft")
        #expect(try Self.names(scratch) == ["link", "pipe"])
        #expect(!FileManager.default.fileExists(atPath: draft))
    }

    @Test func `an archive goes through a pipe, too`() async throws {
        let scratch = try Scratch()
        #expect(mkfifo(scratch.path("pipe"), 0o600) == 0)
        let descriptor = open(scratch.path("pipe"), O_RDWR | O_CLOEXEC)
        defer { close(descriptor) }
        let member = NewMember(name: "a", content: .bytes(Array("body".utf8)), isCompressible: false)
        let size = try await ZipWriter.write(to: scratch.path("pipe"), members: [member])
        var bytes = [UInt8](repeating: 0, count: 4096)
        #expect(Int64(read(descriptor, &bytes, bytes.count)) == size)
        #expect(bytes.starts(with: [0x50, 0x4B, 3, 4]))
        #expect(try Self.names(scratch) == ["pipe"])
    }

    @Test func `a folder, or a file in a missing folder, is refused before anything is written`() throws {
        let scratch = try Scratch()
        for (path, words) in [(scratch.path(""), "this is a folder"), (scratch.path("no/f"), "there is no folder")] {
            do throws(FileError) {
                _ = try OutputTarget(path)
                Issue.record("\(path) was taken")
            } catch {
                #expect(error.message.hasPrefix(words), "\(error.message)")
            }
        }
        #expect(symlink("loop", scratch.path("loop")) == 0)
        #expect(throws: FileError.self) { _ = try OutputTarget(scratch.path("loop")) }
    }
}
