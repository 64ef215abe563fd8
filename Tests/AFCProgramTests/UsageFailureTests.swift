import AFCLinter
import AFCText
import ArgumentParser
import Testing

@testable import AFCProgram

struct UsageFailureTests {
    @Test(
        arguments: [
            (["lnit", "x.zip", "--quiet"], "there is no command 'lnit'; did you mean 'lint'?"),
            (["frobnicate"], "there is no command 'frobnicate'; 'afcache --help' lists the commands"),
            (["cache", "inof", "--cache", "x"], "there is no command 'inof'; did you mean 'info'?"),
            (["cache", "\u{1B}"], "there is no command '\\u{1b}'; 'afcache cache --help' lists the commands"),
            (["get", "--fresh-onyl", "u"], "unknown option '--fresh-onyl'; did you mean '--fresh-only'?"),
            (["get", "--cahce", "x"], "unknown option '--cahce'; did you mean '--cache'?"),
            (["--hlep"], "unknown option '--hlep'; did you mean '--help'?"),
            (
                ["get", "--\u{1B}[31m", "u"],
                "unknown option '--\\u{1b}[31m'; 'afcache get --help' explains the options"
            ),
            (
                ["load", "x.zip", "--cache"],
                "'--cache <dir>' needs a value; 'afcache load --help' explains the options"
            ),
            (["load", "x.zip", "--cache", ""], "'--cache': the path of the cache is empty; name a folder"),
            (["ls", "--cache="], "'--cache <dir>' needs a value; 'afcache ls --help' explains the options"),
            (["get"], "'<url>' is missing; 'afcache get --help' explains the options"),
            (["ls", "a", "b"], "unexpected argument 'b'; 'afcache ls --help' explains the options"),
            (["ls", "a", "b", "c"], "2 unexpected arguments: 'b', 'c'; 'afcache ls --help' explains the options"),
            (
                ["ls", "a", "--json=x"],
                "the option '--json' does not take any value, but 'x' was specified; 'afcache ls --help' explains the options"
            ),
            (["serve", "--port", "x"], "'x' is not a value for '--port'; write a whole number"),
            (
                ["pack", "http://d.example/", "--max-pages", "-5"],
                "'-5' is not a value for '--max-pages'; write a number that isn't negative"
            ),
            (
                ["pack", "http://d.example/", "--depth", "deep"],
                "'deep' is not a value for '--depth'; write a whole number"
            ),
            (["pack", "--hlep"], "unknown option '--hlep'; did you mean '--help'?"),
            (["pack", "--frobnicate"], "unknown option '--frobnicate'; 'afcache pack --help' explains the options"),
            (["pack", "-z"], "name a URL to crawl, or a folder with '--folder'"),
            (
                ["serve", "--origin", "localhost:3000"],
                "'--origin': 'localhost:3000' is not an absolute URL: it has no scheme such as 'http:'; "
                    + "did you mean 'http://localhost:3000'?"
            ),
            (
                ["serve", "--origin", "http://d.example/?q"],
                "'--origin': 'http://d.example/?q' is not an origin; write http or https, a host and perhaps a port, "
                    + "without a password and a query"
            ),
            (
                ["lint", "--fail-on", "bad", "x"],
                "'bad' is not a value for '--fail-on'; choose 'error', 'warning', 'info' or 'never'"
            ),
            (
                ["lint", "--format", "xml", "x"],
                "'xml' is not a value for '--format'; choose 'text', 'json', 'sarif', 'junit', 'github', 'gitlab'"
            ),
            (
                ["pack", "http://d.example/", "--max-bytes", "many"],
                "'--max-bytes': 'many' is not a size; write bytes, or for example 512k, 1.5G or 64MiB"
            ),
            (
                ["pack", "http://d.example/", "--max-age", "250ms"],
                "'--max-age': '250ms' has a fraction of a second; write whole seconds"
            ),
            (["ls", "a.zip", "--cache", "b"], "name a package or a cache, not both"),
            (["ls", "a.zip", "-q", "-v"], "use '--quiet' or '--verbose', not both"),
        ] as [([String], String)]
    ) func `an invalid command line is reported in one line with a remedy`(arguments: [String], sentence: String) {
        do {
            _ = try AFCacheCommand.parseAsRoot(arguments)
            Issue.record("\(arguments) was taken")
        } catch {
            #expect(AFCacheCommand.exitCode(for: error) == ExitStatus.usage.code)
            #expect(UsageFailure.sentence(error, arguments: arguments) == sentence)
        }
    }

    @Test(arguments: [
        ["pack", "http://d.example/", "-ox.zip"], ["get", "http://d.example/", "--cache", "c", "-ox.zip"],
        ["lint", "a.zip", "-ox.zip"], ["unpack", "a.zip", "-ox.zip"], ["repack", "a.zip", "-ox.zip"],
        ["keygen", "-ox.zip"], ["patch", "a.zip", "b.zip", "-ox.zip"],
    ]) func `the output's name may follow its letter directly`(arguments: [String]) throws {
        _ = try AFCacheCommand.parseAsRoot(arguments)
    }

    @Test func `options of whole numbers exist`() {
        var known: Set<String> = []
        func check(_ command: any ParsableCommand.Type) {
            for command in command.configuration.subcommands { check(command) }
            known.formUnion(
                UsageFailure.names(in: AFCacheCommand.helpMessage(for: command, includeHidden: true, columns: 200))
            )
        }
        check(AFCacheCommand.self)
        #expect(UsageFailure.numbers.subtracting(known).isEmpty)
    }

    @Test(
        arguments: [
            (["help", "lnit"], "there is no command 'lnit'; did you mean 'lint'?"), (["help", "lint"], nil),
            (["help"], nil), (["help", "cache", "gc"], nil), (["lnit"], nil),
        ] as [([String], String?)]
    ) func `help for a command that doesn't exist is an error`(arguments: [String], sentence: String?) {
        #expect(UsageFailure.unknownTopic(in: arguments) == sentence)
    }

    /// Each is one insertion, removal, change or exchange away, but the last five.
    @Test(
        arguments: [
            ("lnit", "lint"), ("lin", "lint"), ("LOAD", "load"), ("serv", "serve"), ("sevre", "serve"),
            ("verfy", "verify"), ("rolback", "rollback"), ("gets", "get"), ("l", "ls"),
            ("frobnicate", nil), ("", nil), ("x", nil), ("--", nil), (String(repeating: "lint", count: 100), nil),
        ] as [(String, String?)]
    ) func `a mistyped name is recognized`(name: String, expected: String?) {
        let known = ["lint", "load", "ls", "get", "serve", "verify", "rollback", "pack"]
        #expect(NearestName.nearest(to: name, among: known) == expected)
    }

    @Test func `every command has the options '--quiet' and '--verbose'`() {
        func check(_ command: any ParsableCommand.Type, _ call: String) {
            let below = command.configuration.subcommands
            guard below.isEmpty else {
                for command in below { check(command, call + " " + (command.configuration.commandName ?? "")) }
                return
            }
            guard command.configuration.shouldDisplay else { return }
            #expect(AFCacheCommand.helpMessage(for: command).contains("-q, --quiet"), "\(call)")
        }
        check(AFCacheCommand.self, "afcache")
    }
}
