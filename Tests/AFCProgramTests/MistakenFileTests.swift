import Foundation
import TestSupport
import Testing

@testable import AFCProgram

/// What is said of a file that may not be read or written.
struct MistakenFileTests {
    private func advice(_ path: String, _ action: String) -> String? {
        MistakenFile(subject: path, message: "\(action): Permission denied", arguments: ["ls", path]).advice
    }

    @Test func `what is missing is the right to read a file, or to write into its folder`() throws {
        let scratch = try Scratch()
        try scratch.write([], to: "p.zip")
        let folder = Path.absolute(scratch.path)
        let path = folder + "/p.zip"
        #expect(advice(path, "cannot open") == "'chmod u+r \(path)' lets you read it")
        for action in ["cannot write to the folder '.'", "cannot create the file"] {
            #expect(advice(path, action) == "'chmod u+w \(folder)' lets you write there")
        }
    }

    @Test func `a URL where a command reads a file is explained`() {
        let arguments = ["channel", "add", "c.channel", "http://h.example/v.zip"]
        let file = MistakenFile(
            subject: arguments[3],
            message: "cannot open '\(arguments[3])': No such file or directory",
            arguments: arguments
        )
        #expect(file.advice == "download the package first; '--base' says where devices get it")
    }

    @Test func `all of a cache is meant, and a folder that can't be listed`() throws {
        let scratch = try Scratch()
        try scratch.write([], to: "c/changes")
        try scratch.write(Array(#"{"version":2}"#.utf8), to: "c/catalogue.json")
        try scratch.write([], to: "c/packages/p")
        let cache = Path.absolute(scratch.path("c"))
        #expect(advice(cache + "/changes", "cannot open") == "'chmod -R u+rwX \(cache)' lets you use the cache")
        try scratch.write([], to: "d/file")
        let folder = Path.absolute(scratch.path("d"))
        #expect(advice(folder, "cannot read the folder") == "'chmod u+rwx \(folder)' lets you use it")
    }

    @Test(.enabled(if: geteuid() == 0)) func `the owner is named`() throws {
        let scratch = try Scratch()
        try scratch.write([], to: "p.zip")
        let folder = Path.absolute(scratch.path)
        let path = folder + "/p.zip"
        try #require(chown(path, 12345, 12345) == 0)
        #expect(advice(path, "cannot open") == "'\(path)' belongs to user 12345, who must let you read it")
        try #require(chown(scratch.path, 12345, 12345) == 0)
        #expect(
            advice(path, "cannot write to the folder '.'")
                == "'\(folder)' belongs to user 12345; choose another place, or change its permissions"
        )
    }
}
