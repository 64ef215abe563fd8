import ArgumentParser
import Testing

@testable import AFCProgram

/// What `-h` shows (docs/reference/command-line.md).
struct ShortHelpTests {
    @Test(arguments: ShortHelp.usual.keys.sorted()) func `each option that people use exists`(name: String) throws {
        let program = try #require(DescribedCommand(document: AFCacheCommand._dumpHelp()))
        let command = try #require(program.subcommands.first { $0.call == "afcache \(name)" })
        let names = Set(command.arguments.flatMap(\.names))
        for option in ShortHelp.usual[name] ?? [] { #expect(names.contains(option), "\(option)") }
    }

    @Test(arguments: [
        (["-h"], "Make, check,"), (["pack", "-h"], "Make a package"), (["cache", "limit", "-h"], "Set size limits"),
        (["pack", "https://d.example/", "-h"], "Make a package"), (["serve", "--port", "-h"], "Serve a cache"),
    ])
    func `the command line says of which command`(arguments: [String], beginning: String) {
        #expect(ShortHelp.text(for: arguments)?.hasPrefix(beginning) == true)
    }

    @Test(arguments: [
        [], ["pack"], ["pack", "--help"], ["pack", "--help", "-h"], ["record", "--", "curl", "-h"], ["pakc", "-h"],
        ["help", "-h"],
    ])
    func `nothing else asks for it`(arguments: [String]) {
        #expect(ShortHelp.text(for: arguments) == nil)
    }
}
