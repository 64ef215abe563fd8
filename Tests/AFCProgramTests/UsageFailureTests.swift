import AFCHTTP
import AFCLinter
import AFCText
import ArgumentParser
import Testing

@testable import AFCProgram

struct UsageFailureTests {
    @Test(
        arguments: [
            (["lnit", "x.zip", "--quiet"], "there is no command 'lnit'; did you mean 'lint'?"),
            (["sync", "x.yaml", "--wait", "2", "minutes"], "'--wait' takes one word; write '--wait 2m'"),
            (
                ["cache", "limit", "--bytes", "5", "MB"],
                "'--bytes' takes one word; write '--bytes 5M'"
            ),
            (["-q", "ls", "x"], "options follow the command; write 'afcache ls -q x'"),
            (["--verbose", "cache", "ls"], "options follow the command; write 'afcache cache ls --verbose'"),
            (
                ["ls", "--package", "x.zip"],
                "unknown option '--package'; name the package without an option: 'afcache ls FILE'"
            ),
            (
                ["serve", "--folder", "d"],
                "unknown option '--folder'; 'afcache pack --folder DIR -o NAME.zip' makes a package of a folder, 'afcache open "
                    + "DIR' shows one"
            ),
            (
                ["cache", "remove", "--all"],
                "unknown option '--all'; name each package, as 'afcache cache ls' lists it; 'afcache cache clear --received' "
                    + "removes received responses"
            ),
            (
                ["pack", "--folder", "d", "site.zip"],
                "name URLs or a folder, not both; to name the package to write, use '-o site.zip'"
            ),
            (
                ["merge", "packages/*.zip", "-o", "m.zip"],
                "name two packages or more to merge; write the pattern without quotes: packages/*.zip"
            ),
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
            (["get"], "'<url>' is missing; write for example 'afcache get http://docs.example/guide/ --cache cache'"),
            (["diff", "a.zip"], "'<new>' is missing; write 'afcache diff a.zip <new>'"),
            (
                ["ls", "a", "b"],
                "unexpected argument 'b'; 'afcache ls' takes one package; repeat the command for the others"
            ),
            (
                ["ls", "a", "b", "c"],
                "2 unexpected arguments: 'b', 'c'; 'afcache ls' takes one package; repeat the command for the others"
            ),
            (["keygen", "-o", "a", "b"], "unexpected argument 'b'; to name what to write, use '-o b'"),
            (["keygen"], "'--output' is missing; name what to write with '-o NAME'"),
            (["keygen", "a"], "'--output' is missing; name what to write with '-o a'"),
            (["merge", "a.zip", "b.zip", "c.zip"], "'--output' is missing; name what to write with '-o c.zip'"),
            (
                ["cache", "gc", "guide"],
                "unexpected argument 'guide'; it works on the whole cache; 'afcache cache remove guide' removes a package"
            ),
            (["ca", "create", "d.example"], "unexpected argument 'd.example'; write '--host d.example'"),
            (
                ["ls", "-la", "a.zip"],
                "unknown option '-la'; each line has size and type already; '--json' prints more"
            ),
            (["info", "--cache", "c"], "unknown option '--cache'; use 'afcache cache info --cache DIR'"),
            (
                ["export", "--cache", "c", "-o", "x"],
                "unknown option '--cache'; 'afcache export' takes packages, not a cache; name the file of a package"
            ),
            (["--cache", "c", "ls"], "options follow the command; write 'afcache ls --cache c'"),
            (["--cache", "c", "cache", "ls"], "options follow the command; write 'afcache cache ls --cache c'"),
            (["pack", "--max-page", "2"], "unknown option '--max-page'; did you mean '--max-pages'?"),
            (["pack", "-O", "x.zip"], "unknown option '-O'; did you mean '--output'?"),
            (["pack", "-k"], "unknown option '-k'; did you mean '--insecure'?"),
            (["load", "a.zip", "--sha1", "x"], "unknown option '--sha1'; did you mean '--sha256'?"),
            (["cache", "verify", "--fix"], "unknown option '--fix'; use 'afcache cache repair'"),
            (["cache", "limit", "--size", "5G"], "unknown option '--size'; did you mean '--bytes'?"),
            (
                ["lint", "--strict", "a.zip"],
                "unknown option '--strict'; use '--preset strict', or '--fail-on warning'"
            ),
            (
                ["ca", "export", "-o", "x.pem"],
                "unknown option '-o'; it writes to standard output: 'afcache ca export > FILE'"
            ),
            (["channel", "create"], "there is no command 'create'; use 'afcache channel new'"),
            (["fix", "a.zip"], "there is no command 'fix'; use 'afcache lint --fix FILE'"),
            (
                ["http://d.example/"],
                "name a command before 'http://d.example/': 'afcache pack http://d.example/ -o site.zip' makes a package, "
                    + "'afcache open http://d.example/' shows the site offline"
            ),
            (
                ["channel", "sign", "c", "--sign", "k", "--valid-for", "90"],
                "'--valid-for': '90' would be 90 seconds; write '90d' for days"
            ),
            (
                ["ca", "create", "--valid-for", "20y"],
                "'--valid-for': '20y' must be whole days; write '1d' to '3650d'"
            ),
            (
                ["ca", "create", "--host", "https://d.example/"],
                "'--host': 'https://d.example/' can't be used: labels of a host name can have only letters, digits and, "
                    + "between them, hyphens; write 'd.example'"
            ),
            (
                ["serve", "a.zip", "--stale-if-offline", "forever"],
                "'--stale-if-offline' needs '--origin' or '--forward-proxy'; offline, see '--expired'"
            ),
            (
                ["lint", "a.zip", "--fix", "--output", "b.zip"],
                "'--output' names the file of the report, and 'b.zip' looks like a package; '--fix' changes the package itself, "
                    + "so copy it first"
            ),
            (
                ["export", "a.zip", "-o", "a.pdf"],
                "'export' writes no '.pdf' but a folder, or a file if the name ends with .html, .zim, .wacz, .warc.gz, .warc or .har; name another path"
            ),
            (
                ["diff", "a.zip", "b.zip", "--include", "storms"],
                "'storms' can match no URL, since a path begins with '/'; write '*storms*'"
            ),
            (
                ["load", "oci:usb/docs:2"],
                "'oci:usb/docs:2' names no package; for a folder write 'oci-layout:usb/docs:2', for a registry "
                    + "oci://HOST/NAME:TAG"
            ),
            (
                ["pack", "file:///srv/public/"],
                "'file:///srv/public/' is a folder or file of this machine; pack the folder with '--folder /srv/public/'"
            ),
            (
                ["ls", "a", "--json=x"],
                "the option '--json' does not take any value, but 'x' was specified; 'afcache ls --help' explains the options"
            ),
            (["serve", "--port", "x"], "'x' is not a value for '--port'; write a number from 0 to 65535"),
            (["serve", "--port", "99999"], "'99999' is not a value for '--port'; write a number from 0 to 65535"),
            (["serve", "--cache", "c", "x.zip", "-p", "1"], "unknown option '-p'; did you mean '--port'?"),
            (["load", "x.zip", "-c", "c"], "unknown option '-c'; did you mean '--cache'?"),
            (
                ["load", "x.zip", "-o", "c"],
                "unknown option '-o'; 'afcache load' takes packages into a cache; 'afcache pack' makes them"
            ),
            (
                ["pack", "http://d.example/", "--cache", "c"],
                "unknown option '--cache'; 'afcache pack' writes a file, which 'afcache load FILE' takes into a cache"
            ),
            (
                ["pack", "http://d.example/", "--user", "ann:pw"],
                "unknown option '--user'; for a login, set AFCACHE_BASIC to 'user:password', or use '--credentials'"
            ),
            (
                ["pack", "http://d.example/", "--port", "1"],
                "unknown option '--port'; it is an option of 'record', 'open' and 'serve'"
            ),
            (
                ["load", "x.zip", "--sign", "key"],
                "unknown option '--sign'; signatures are made by 'pack', 'repack' and 'merge', and checked with '--trust'"
            ),
            (["serve", "x.zip", "--host", "::"], "unknown option '--host'; did you mean '--listen'?"),
            (["serve", "x.zip", "--allow-private"], "'--allow-private' needs '--forward-proxy'"),
            (["pack", "--x"], "unknown option '--x'; 'afcache pack --help' explains the options"),
            (["remov", "p"], "there is no command 'remov'; did you mean 'cache remove'?"),
            (["cache", "list"], "there is no command 'list'; use 'afcache cache ls'"),
            (["cache", "delete", "p"], "there is no command 'delete'; use 'afcache cache remove'"),
            (
                ["cache", "update", "p"],
                "there is no command 'update'; use 'afcache load' with the new package, or 'afcache sync'"
            ),
            (
                ["pack", "http://d.example/", "--update", "--max-removed", "120%"],
                "'--max-removed' must be a number such as 100, or a percentage such as 20%, not '120%'"
            ),
            (
                ["serve", "--forward-proxy", "--allow-port", "10-5"],
                "'10-5' is not a value for '--allow-port'; write a port such as 8443, or two such as 8000-8999, the "
                    + "smaller one first"
            ),
            (
                ["ls", "a.zip", "--type", "png"],
                "'--type': 'png' is not a media type; write for example 'image/png' or 'image/*'"
            ),
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
            (["pack", "-z"], "unknown option '-z'; 'afcache pack --help' explains the options"),
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
            _ = try AFCacheCommand.command(for: arguments)
            Issue.record("\(arguments) was taken")
        } catch {
            #expect(AFCacheCommand.exitCode(for: error) == ExitStatus.usage.code)
            #expect(UsageFailure.sentence(error, arguments: arguments) == sentence)
        }
    }

    @Test(arguments: [
        ["pack", "http://d.example/", "-ox.zip"], ["get", "http://d.example/", "--cache", "c", "-ox.zip"],
        ["lint", "a.zip", "-ox.txt"], ["unpack", "a.zip", "-ox.zip"], ["repack", "a.zip", "-ox.zip"],
        ["keygen", "-ox.zip"], ["patch", "a.zip", "b.zip", "-ox.zip"],
    ]) func `the output's name may follow its letter directly`(arguments: [String]) throws {
        _ = try AFCacheCommand.command(for: arguments)
    }

    @Test(
        arguments: [
            (["load", "a.zip", "--cache=~/c"], "'~' isn't expanded in '--cache=~/c'; write '--cache ~/c'"),
            (["load", "a.zip", "--cache", "~/c"], nil), (["pack", "http://d.example/=~/x"], nil),
            (["record", "--", "sh", "--x=~/y"], nil),
        ] as [([String], String?)]
    )
    func `a home folder that the shell doesn't expand is an error`(arguments: [String], sentence: String?) {
        #expect(UsageFailure.tilde(in: arguments) == sentence)
    }

    @Test(arguments: [
        (0, ["load", "p.zip"], true), (1_735_689_599, ["serve"], true), (1_735_689_600, ["serve"], false),
        (0, ["ls"], false),
    ]) func `a clock that can't be right is reported where it counts`(now: Int64, arguments: [String], warns: Bool)
        throws
    {
        let command = try AFCacheCommand.command(for: arguments)
        let warning = AFCacheCommand.clockWarning(at: Timestamp(secondsSinceEpoch: now), for: command)
        #expect((warning?.hasPrefix("warning: this machine's clock says 19") ?? false) == (warns && now == 0))
        #expect((warning != nil) == warns)
        #expect(AFCacheCommand.clockError(at: Timestamp(secondsSinceEpoch: now)) == nil)
    }

    @Test func `a clock before 1970, at which TLS ends the process, is an error`() {
        let error = AFCacheCommand.clockError(at: Timestamp(secondsSinceEpoch: -1))
        #expect(error == "error: this machine's clock says 1969-12-31T23:59:59Z; set it")
    }

    @Test(arguments: [
        (["pack", "u", "--include", "a.html", "b.html"], "'*.html'"),
        (["pack", "u", "--exclude", "a.png", "b.html"], "'*'"),
        (["pack", "u", "--include", "/a*", "b.html"], nil),
        (["record", "--", "x", "--include", "a.html", "b.html"], nil),
        (["pack", "u", "--max-pages", "5", "m"], nil),
    ]) func `a pattern that the shell replaced is to be quoted`(arguments: [String], pattern: String?) {
        let sentence = SplitArgument.sentence(for: arguments, of: PackCommand.self) { $0.contains(".") }
        #expect(
            sentence
                == pattern.map {
                    "'\(arguments[2])' takes one pattern, which the shell replaced with the names of files; quote it: "
                        + "\(arguments[2]) \($0)"
                }
        )
    }

    @Test func `the options whose values have a form exist`() {
        var known: Set<String> = []
        func check(_ command: any ParsableCommand.Type) {
            for command in command.configuration.subcommands { check(command) }
            known.formUnion(
                UsageFailure.names(in: AFCacheCommand.helpMessage(for: command, includeHidden: true, columns: 200))
            )
        }
        check(AFCacheCommand.self)
        #expect(Set(UsageFailure.forms.keys).subtracting(known).isEmpty)
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
