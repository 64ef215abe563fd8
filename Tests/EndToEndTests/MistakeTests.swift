import Foundation
import TestSupport
import Testing

/// What somebody is told who mistakes a command, a file or a server for another one: what is wrong, and what to type.
struct MistakeTests {
    /// A folder with the package `p.zip`, the package `none.zip` without resources, and the cache `store` with the first.
    private static func made() throws -> Scratch {
        let scratch = try Scratch()
        try scratch.write(Array("<p>guide</p>".utf8), to: "in/index.html")
        let base = ["pack", "--folder", "in", "--base-url", "http://d.example", "--name", "p", "-o", "p.zip"]
        #expect(try afcache(base, in: scratch).status == 0)
        #expect(try afcache(["load", "p.zip", "--cache", "store"], in: scratch).status == 0)
        try scratch.write([], to: "manifest.afcache")
        for (name, member) in [("none.zip", "manifest.afcache"), ("plain.zip", "in/index.html")] {
            #expect(try Program.run("zip", ["-q", name, member], in: scratch.path).status == 0)
        }
        try scratch.write(Array(try scratch.read("p.zip").prefix(300)), to: "cut.zip")
        try scratch.write(Array("[{}]\n".utf8), to: "cookies.json")
        try scratch.write(Array("WARC/1.1\r\nWARC-Type: warcinfo\r\n\r\n".utf8), to: "crawl.warc")
        try scratch.write(Array("<!doctype html>\n<title>Cookies</title>\n".utf8), to: "cookies.html")
        try scratch.write(Array("# \n".utf8) + [0xE9, 0x0A], to: "latin1.txt")
        try scratch.write(Array("# \n".utf8), to: "empty.txt")
        try scratch.write(Array("http://d.example/a/\nb.html\n".utf8), to: "paths.txt")
        try scratch.write(Array("http://d.example/a/\nlocalhost:9/b.html\n".utf8), to: "hosts.txt")
        try scratch.write(Array("version: 1\npackages:\n  - url: p.zip\n".utf8), to: "s.yaml")
        try scratch.write(Array("version: 1\nlimits: { bytes: 10 }\npackages: []\n".utf8), to: "tiny.yaml")
        try scratch.write(Array("afcache-channel-1\n{}\n".utf8), to: "all.channel")
        try scratch.write(Array("version: 1\nsites:\n  - urls: */x\n".utf8), to: "star.yaml")
        try scratch.write(Array("junk\n".utf8), to: "authority/certificate.pem")
        try scratch.write(Array("\nuser anna, password 1 2\n".utf8), to: "netrc")
        #expect(try Program.run("chmod", ["600", "netrc"], in: scratch.path).status == 0)
        try scratch.write([], to: "nothing.zip")
        #expect(try Program.run("sh", ["-c", "gzip -c p.zip > again.zip"], in: scratch.path).status == 0)
        try FileManager.default.createSymbolicLink(
            atPath: scratch.path("link.zip"),
            withDestinationPath: "elsewhere.zip"
        )
        return scratch
    }

    private static func afcache(_ arguments: [String], in scratch: Scratch) throws -> ProgramResult {
        try Program.run(Program.afcache, arguments, in: scratch.path)
    }

    @Test(arguments: [
        ("list", "ls"), ("add", "load"), ("extract", "unpack"), ("validate", "lint"), ("mirror", "pack"),
        ("CAT", "get"),
        ("browse", "open"), ("rm", "cache remove"), ("rollback", "cache rollback"), ("version", "--version"),
        ("completion", "--generate-completion-script bash"),
    ])
    func `a command of another program is translated`(word: String, command: String) throws {
        let scratch = try Scratch()
        let result = try Self.afcache([word, "p.zip"], in: scratch)
        #expect(result.status == 64)
        #expect(result.errors == "error: there is no command '\(word)'; use 'afcache \(command)'\n")
    }

    @Test(arguments: [
        (["pack", "http://d.example/", "-o", ""], 64, "'--output' is empty; name a file"),
        (["info", "nothing.zip"], 10, "cannot use 'nothing.zip': the file is empty; get it, or make it, again"),
        (
            ["info", "link.zip"], 11,
            "cannot open 'link.zip': No such file or directory; it is a link to 'elsewhere.zip', which isn't there"
        ),
        (
            ["info", "-"], 11,
            "cannot open '-': No such file or directory; '-' isn't standard input here: write it to a file, and name that"
        ),
        (
            ["pack", "http://d.example/", "--depth", "99999999999999999999"], 64,
            "'99999999999999999999' is too large a number for '--depth'"
        ),
        (
            ["pack", "http://d.example/", "x.zip"], 64,
            "'x.zip' is not an absolute URL: it has no scheme such as 'http:'; the package to write is named with '-o'"
        ),
        (
            ["pack", "http//d.example/", "-o", "x.zip"], 64,
            "'http//d.example/' is not an absolute URL: it has no scheme such as 'http:'; did you mean 'http://d.example/'?"
        ),
        (
            ["pack", "p.zip", "-o", "x.zip"], 64,
            "'p.zip' is not an absolute URL: it has no scheme such as 'http:'; it is a zip: 'afcache open' shows a package, and "
                + "'afcache load' loads it"
        ),
        (
            ["pack", "cookies.html", "-o", "x.zip"], 64,
            "'cookies.html' is not an absolute URL: it has no scheme such as 'http:'; it is a file: name its folder with "
                + "'--folder'"
        ),
        (
            ["load", "p.zip", "\u{2014}cache", "x"], 64,
            "'\u{2014}cache' begins with a dash that isn't a hyphen; write '--cache'"
        ),
        (
            ["pack", "http://d.example/", "\u{2013}o", "x.zip"], 64,
            "'\u{2013}o' begins with a dash that isn't a hyphen; write '-o'"
        ),
        (
            ["pack", "--list", "p.zip", "-o", "x.zip"], 64,
            "'p.zip' is a zip, and here the name of a text file is needed"
        ),
        (
            ["batch", "star.yaml", "--root", "r"], 64,
            "star.yaml:3:12: the file is not YAML: did not find expected alphabetic or numeric character; quote text that begins with "
                + "'*', '&' or '!'"
        ),
        (
            ["batch", "s.yaml", "--root", "r", "--junit", "s.yaml"], 64,
            "'--junit': 's.yaml' is the list of sites; name another file"
        ),
        (
            ["try", "p.zip", "--missing", "cookies.html"], 11,
            "'--missing': 'cookies.html': the file exists and is not a list of URLs; name another file"
        ),
        (
            ["try", "p.zip", "--junit", "cookies.html"], 11,
            "cannot use 'cookies.html': the file exists and is not a report in JUnit's XML; name another file"
        ),
        (
            ["try", "p.zip", "--html", "cookies.html"], 11,
            "cannot use 'cookies.html': the file exists and is not a report; name another file"
        ),
        (
            ["lint", "p.zip", "--baseline", "p.zip", "--write-baseline"], 64,
            "'--baseline': 'p.zip' is a zip; name another file for the findings"
        ),
        (
            ["ca", "show", "--ca", "authority"], 11,
            "cannot use 'authority/certificate.pem': this isn't a certificate in PEM; put a copy of the authority's back, or "
                + "begin a new authority; replace it with 'afcache ca create --overwrite'"
        ),
        (
            ["sync", "all.channel"], 64,
            "'all.channel' is a channel; write a sync file with the keys 'channel', which names it, and 'trust'"
        ),
        (
            ["sync", "tiny.yaml", "--cache", "store"], 64,
            "tiny.yaml:2:18: 'bytes: 10' is less than any cache needs, and would evict everything; write a unit, as in 2G"
        ),
        (
            ["pack", "--list", "paths.txt", "-o", "x.zip"], 64,
            "paths.txt:2: 'b.html' is a path, not a URL; did you mean 'http://d.example/a/b.html'?"
        ),
        (
            ["serve", "-c", "x.conf"], 64,
            "unknown option '-c'; 'afcache serve' has no configuration file; all options are on the command line"
        ),
        (
            ["repack", "empty.txt", "-o", "x.zip"], 10,
            "cannot use 'empty.txt': there is no end record; the file is truncated or not a zip; it isn't even the beginning of "
                + "one: name a package"
        ),
        (["serve", "--listen", "127.0.0.1:80"], 64, "'--listen' takes no port; write '--listen 127.0.0.1 --port 80'"),
        (
            ["record", "-o", "x.zip", "--listen", ":80"], 64,
            "'--listen' takes no port; write '--listen 0.0.0.0 --port 80'"
        ),
        (
            ["info", "store"], 11,
            "cannot use 'store': 'store' is a folder, not a file; it is a cache: use 'afcache cache info --cache store'"
        ),
        (
            ["diff", "p.zip", "store"], 11,
            "cannot use 'store': 'store' is a folder, not a file; it is a cache, and 'afcache diff' takes packages: name the "
                + "file of one"
        ),
        (
            ["serve", "in"], 11,
            "cannot load 'in': 'in' is a folder, not a file; 'afcache pack --folder in -o NAME.zip' makes a package of it, "
                + "'afcache open in' shows it"
        ),
        (["get", "p.zip"], 64, "'p.zip' is a package, not a URL; write 'afcache get URL --package p.zip'"),
        (
            ["get", "p.zip", "http://d.example/"], 64,
            "unexpected argument 'http://d.example/'; write 'afcache get http://d.example/ --package p.zip'"
        ),
        (
            ["export", "p.zip", "--page", "http://d.example/indxe.html", "-o", "one.html"], 11,
            "cannot use 'http://d.example/indxe.html': no package has this page; did you mean 'http://d.example/index.html'?"
        ),
        (
            ["export", "p.zip", "--page", "index.html", "-o", "one.html"], 64,
            "'--page': 'index.html' is not a URL; did you mean 'http://d.example/index.html'?"
        ),
        (
            ["export", "http://d.example/", "-o", "out"], 11,
            "cannot open 'http://d.example/': No such file or directory; this command reads files: make a package with "
                + "'afcache pack http://d.example/ -o site.zip', or download one"
        ),
        (
            ["ls", "http://d.example/a"], 11,
            "cannot open 'http://d.example/a': No such file or directory; this command reads files: 'afcache ls --include "
                + "\"http://d.example/*\"' lists what the cache has, and 'afcache load' takes the URL of a package"
        ),
        (
            ["info", "p.zip", "--trust", "gone.pub"], 11,
            "'--trust': cannot open 'gone.pub': No such file or directory; the publisher of what you check has the key: ask for "
                + "its .pub file"
        ),
        (
            ["ls", "xyz.zip"], 11,
            "cannot open 'xyz.zip': No such file or directory; the folder has 'again.zip', 'cut.zip', 'link.zip' and others"
        ),
        (
            ["info", "plane.zip"], 11,
            "cannot open 'plane.zip': No such file or directory; did you mean 'plain.zip'?"
        ),
        (
            ["repack", "p.zip", "-o", "n.zip", "--sign", "team"], 11,
            "'--sign': cannot open 'team': No such file or directory; 'afcache keygen -o team' makes a key"
        ),
        (
            ["pack", "http://d.example/", "--cookies", "cookies.json"], 64,
            "'--cookies': 'cookies.json': this is JSON; export the cookies in Netscape's format (cookies.txt)"
        ),
        (
            ["keygen", "-o", "none/team"], 11,
            "cannot use 'none/team.pub': cannot create the file: No such file or directory; there is no folder 'none': "
                + "create it first"
        ),
        (
            ["load", "cookies.html", "--cache", "store"], 10,
            "cannot load 'cookies.html': there is no end record; the file is truncated or not a zip; it is a page or another "
                + "XML file: if a package was downloaded, the server sent this page in its place; to pack a site, use "
                + "'afcache pack'"
        ),
        (
            ["cache", "repair", "none/p.zip", "--cache", "store"], 11,
            "cannot open 'none/p.zip': No such file or directory; there is no folder 'none': check the path"
        ),
        (
            ["cache", "clear", "--received", "--host", "http://d.example/", "--cache", "store"], 64,
            "'--host' takes a host, not 'http://d.example/'; write 'd.example'"
        ),
        (
            ["ca", "create", "--ca", "in"], 64,
            "'in' has other files, such as 'index.html', and a private key needs a folder of its own; name a new folder with "
                + "'--ca'"
        ),
        (
            ["pack", "--folder", "in/index.html"], 64,
            "'in/index.html' is a file, not a folder; name the folder that has it"
        ),
        (
            ["pack", "--folder", "in", "--base-url", "http://other.example", "-o", "p.zip"], 64,
            "cannot pack 'p.zip': it is a package of another site: of 'http://d.example/', not of 'http://other.example/'; "
                + "choose another file; use '--overwrite' to replace it"
        ),
        (
            ["record", "-o", "p.zip", "--", "true"], 64,
            "cannot pack 'p.zip': it is a package of 'http://d.example/', not a recording; choose another file; use "
                + "'--overwrite' to replace it"
        ),
        (
            ["pack", "--folder", "inn", "-o", "n.zip"], 11,
            "cannot pack 'inn': cannot read it: no such file or directory; did you mean 'in'?"
        ),
        (
            ["load", "crawl.warc", "--cache", "store"], 10,
            "cannot load 'crawl.warc': there is no end record; the file is truncated or not a zip; "
                + "'afcache import crawl.warc -o NEW.zip' makes a package of it"
        ),
        (
            ["push", "oci://r.example/p:1", "p.zip"], 64,
            "the package comes first, and then its name; write 'afcache push p.zip oci://r.example/p:1'"
        ),
        (
            ["channel", "add", "p.zip", "docs.channel"], 10,
            "cannot use 'p.zip': this is a package or another zip, not a channel; the channel's file comes first, then the "
                + "package"
        ),
        (
            ["pack", "--list", "latin1.txt"], 64,
            "latin1.txt:2: the file is not UTF-8; convert it, for example with 'iconv -f latin1 -t utf-8'"
        ),
        (["pack", "--list", "empty.txt"], 64, "'--list': 'empty.txt' has no URL; write one a line"),
        (
            ["sync", "s.yaml", "--cache", "store"], 64,
            "s.yaml:3:5: a package has a key 'url', which is not known; did you mean 'from'?"
        ),
        (
            ["load", "-h.zip", "--cache", "store"], 64,
            "'-h.zip' begins with '-', so it is read as an option; for a file of this name write './-h.zip'"
        ),
        (
            ["get", "http://d.exmaple/", "--package", "p.zip"], 3,
            "'http://d.exmaple/' is not in 'p.zip'; did you mean 'http://d.example/'?"
        ),
        (
            ["import", "cookies.html", "-o", "n.zip"], 10,
            "cannot import 'cookies.html': the file is neither a WARC nor an ARC, WACZ, HAR, ZIM, web archive, MHTML or cache; "
                + "it is a page or another XML file: if a package was downloaded, the server sent this page in its place; to "
                + "pack a site, use 'afcache pack'"
        ),
        (
            ["import", "latin1.txt", "-o", "n.zip"], 10,
            "cannot import 'latin1.txt': the file is neither a WARC nor an ARC, WACZ, HAR, ZIM, web archive, MHTML or cache; "
                + "'afcache pack --folder DIR' makes a package of a site's files"
        ),
        (
            ["patch", "p.zip", "latin1.txt", "-o", "n.zip"], 10,
            "cannot load 'latin1.txt': the file is too short to be a zip; it is truncated or not a package; it isn't even the "
                + "beginning of one: name a package"
        ),
        (
            ["cache", "limit", "--bytes", "0", "--cache", "store"], 64,
            "'--bytes': '0' would evict everything; 'none' removes a limit, and 'afcache cache remove NAME' removes a package"
        ),
        (
            ["cache", "limit", "--bytes", "1", "--cache", "store"], 64,
            "'--bytes': '1' is less than any cache needs, and would evict everything; write a unit, as in 2G"
        ),
        (
            ["lint", "p.zip", "--baseline", "gone.json"], 11,
            "'--baseline': cannot open 'gone.json': No such file or directory; '--baseline gone.json --write-baseline' makes it"
        ),
        (
            ["load", "again.zip", "--cache", "store"], 10,
            "cannot load 'again.zip': there is no end record; the file is truncated or not a zip; it is a zip that was compressed "
                + "once more: 'gunzip -c again.zip > NEW.zip' unpacks it"
        ),
        (
            ["ls", "http://d.example:8080/a"], 11,
            "cannot open 'http://d.example:8080/a': No such file or directory; this command reads files: 'afcache ls --include "
                + "\"http://d.example:8080/*\"' lists what the cache has, and 'afcache load' takes the URL of a package"
        ),
        (["serve", "p.zip", "--listen", "8080"], 64, "'8080' is no address; for a port, write '--port 8080'"),
        (["replay", "--", "curl", "x"], 64, "'<package>' is missing; write 'afcache replay <package> -- curl x'"),
        (
            ["ls", "q.zip"], 11,
            "cannot open 'q.zip': No such file or directory; the folder has 'again.zip', 'cut.zip', 'link.zip' and others"
        ),
        (
            ["serve", "p.zip:/docs"], 11,
            "cannot open 'p.zip:/docs': No such file or directory; name 'p.zip' alone: a package's resources have URLs of their own"
        ),
        (["pack", "-np", "http://d.example/"], 64, "unknown option '-np'; '--include URL/*' keeps to a folder"),
        (
            ["pack", "http://d.example/", "--delay", "99999999999999", "-o", "n.zip"], 64,
            "'--delay': '99999999999999' seconds are longer than a thousand years"
        ),
        (
            ["channel", "sign", "d.channel", "--sign", "k", "--valid-for", "0"], 64,
            "'--valid-for': '0' is no time; write for example 12h or 90d"
        ),
        (
            ["load", "p.zip", "--cacert", "latin1.txt", "--cache", "store"], 64,
            "'--cacert': 'latin1.txt' has no certificate in PEM form; name a file with '-----BEGIN CERTIFICATE-----'"
        ),
        (
            ["cache", "pin"], 64,
            "'<name>' is missing; write for example 'afcache cache pin docs --cache cache'"
        ),
        (["mount-index", "p.zip"], 64, "'--output' is missing; name what to write with '-o NAME.index'"),
        (["load", "p.zip", "store"], 64, "'store' is a cache, not a package; write '--cache store'"),
        (
            ["load", "in", "--cache", "store"], 64,
            "'in' is a folder, not a package; make one of it with 'afcache pack --folder in -o NAME.zip'"
        ),
        (
            ["load", "127.0.0.1:80/p.zip", "--cache", "store"], 64,
            "there is no file '127.0.0.1:80/p.zip'; did you mean 'http://127.0.0.1:80/p.zip'?"
        ),
        (
            ["load", "ftp://d.example/p.zip", "--cache", "store"], 64,
            "'ftp://d.example/p.zip': packages are not loaded by 'ftp'; write a file, or a URL with https, s3 or oci"
        ),
        (
            ["load", "cut.zip", "--cache", "store"], 10,
            "cannot load 'cut.zip': there is no end record; the file is truncated or not a zip; it begins as a zip, so its "
                + "end is missing: get it again"
        ),
        (
            ["load", "plain.zip", "--cache", "store"], 10,
            "cannot load 'plain.zip': there is no member 'manifest.afcache'; this is a zip, but not a package; to make one "
                + "of its files, unpack them and use 'afcache pack --folder'"
        ),
        (
            ["cache", "rollback", "q", "--cache", "store"], 3,
            "cannot use 'store': the cache has no package 'q'; it holds 'p'"
        ),
        (
            ["ls", "--cache", "p.zip"], 11,
            "cannot use 'p.zip': this is not a folder; it is a package: name it without '--cache'"
        ),
        (
            ["get", "http://d.example/", "--cache", "p.zip"], 11,
            "cannot use 'p.zip': this is not a folder; it is a package, which '--package' names"
        ),
        (
            ["get", "http://d.example/", "--cache", "store", "-o", "p.zip"], 11,
            "cannot use 'p.zip': the file is a package or another zip, which would be lost; name another file"
        ),
        (["cache", "ls", "store"], 64, "unexpected argument 'store'; it is a cache: write '--cache store'"),
        (
            ["sync", "p.zip", "--cache", "store"], 64,
            "'p.zip' is a zip, not a sync file; load a package with 'afcache load p.zip'"
        ),
        (
            ["pack", "--folder", "p.zip"], 64,
            "'p.zip' is a zip, not a folder; 'afcache load' takes a package as it is"
        ),
        (
            ["pack", "http://d.example/", "--cacert", "in/index.html"], 64,
            "'--cacert': 'in/index.html' has no certificate in PEM form; name a file with '-----BEGIN CERTIFICATE-----'"
        ),
        (
            ["info", "http://d.example/p.zip"], 11,
            "cannot open 'http://d.example/p.zip': No such file or directory; this command reads files: download it first, "
                + "or load it with 'afcache load'"
        ),
        (
            ["get", "http://d.example/indxe.html", "--cache", "store"], 3,
            "'http://d.example/indxe.html' is not in 'store'; did you mean 'http://d.example/index.html'?"
        ),
        (
            ["get", "http://d.example/idex.html", "--package", "p.zip"], 3,
            "'http://d.example/idex.html' is not in 'p.zip'; did you mean 'http://d.example/index.html'?"
        ),
        (
            ["load", "http://d.example/p.zip", "--netrc", "netrc", "--cache", "store"], 64,
            "'--netrc': 'netrc': line 2: write 'machine HOST login USER password PASSWORD', with quotes around what has blanks"
        ),
        (
            ["pack", "http://d.example/", "--netrc", "netrc"], 64,
            "'--netrc': 'netrc': line 2: write 'machine HOST login USER password PASSWORD', with quotes around what has blanks"
        ),
        (
            ["serve", "p.zip", "--port", "0", "--mount-index", "p.zip"], 12,
            "'--mount-index': 'p.zip': this isn't an index of a package, or it is damaged; make it again; it is a package: "
                + "'afcache mount-index p.zip -o NAME.index' makes its index"
        ),
        (
            ["load", "p.zip", "--digest", "sha256:00", "--cache", "store"], 64,
            "'--digest' must have 64 hexadecimal digits, without 'sha256:'"
        ),
        (["keygen", "-o", "-"], 64, "a private key goes into a file that only its owner can read; name one with '-o'"),
        (
            ["pack", "--folder", "in", "--fallback", "./indx.html", "-o", "y.zip"], 64,
            "'--fallback': there is no file './indx.html' below 'in'; did you mean 'index.html'?"
        ),
        (
            ["push", "p.zip", "oci://r.example/Team/Docs:1"], 64,
            "cannot push 'oci://r.example/Team/Docs:1': the name of a repository has lower-case letters and digits, separated "
                + "by '.', '_', '-' and '/'; did you mean 'oci://r.example/team/docs:1'?"
        ),
        (
            ["try", "p.zip", "--browser", "firefox"], 11,
            "cannot use 'firefox': Firefox can't be controlled as Chromium can; name Chromium or Google Chrome with "
                + "'--browser', or leave it out"
        ),
        (["open", "store"], 64, "'store' is a cache; 'afcache serve --cache' shows what it holds"),
        (
            ["load", "none.zip", "--name", "p", "--cache", "store"], 10,
            "cannot load 'none.zip': the package has no resources, and would replace 'p', which has 2; if it is meant, use "
                + "'afcache cache remove p --cache store'"
        ),
    ])
    func `a mistake is named, with what to type`(arguments: [String], status: Int, sentence: String) throws {
        let scratch = try Self.made()
        let result = try Self.afcache(arguments, in: scratch)
        #expect(result.status == Int32(status))
        #expect(result.errors == "error: \(sentence)\n")
        #expect(try Self.afcache(["get", "http://d.example/", "--cache", "store"], in: scratch).text == "<p>guide</p>")
    }

    @Test(arguments: [
        (["pull", "oci://h/docs:1"], 64, "use 'afcache load oci://HOST/NAME:TAG'"),
        (["--cache", "store", "ls"], 64, "write 'afcache ls --cache store'"),
        (["push", "r.example/docs:1", "p.zip"], 64, "write 'afcache push p.zip oci://r.example/docs:1'"),
        (["pack", "http://d.example/", "--delay", "-1s"], 64, "'-1s' is not a value for '--delay'"),
        (["pack", "http://d.example/", "--tries", "3"], 64, "did you mean '--retries'?"),
        (["open", "http://d.example/p.zip"], 64, "is a file, perhaps a package; download it"),
        (
            ["export", "p.zip", "--as", "zim", "-o", "x.html"], 64,
            "is the name of an HTML file, and '--as' says a ZIM file"
        ),
        (["export", "p.zip", "--as", "folder", "-o", "-"], 64, "a folder can't go to standard output"),
        (["pack", "http://d.example/", "--render", "--browser", "none", "-o", "o.zip"], 11, "cannot use 'none'"),
        (["open", "localhost:9"], 64, "did you mean 'http://localhost:9'?"),
        (["diff", "p.zip", "p.zip", "--cache", "store"], 64, "to compare files, remove '--cache'"),
        (["batch", "paths.txt", "--root", "o"], 64, "a list of URLs for one package is for 'afcache pack --list'"),
        (["record", "-o", "o.zip", "--", "curl http://d.example/"], 11, "without quotes around all"),
        (["try", "p.zip", "--against", "http://127.0.0.2:9/"], 11, "nothing was compared: 'http://127.0.0.2:9/'"),
        (["serve", "p.zip", "8080"], 11, "for a port, write '--port 8080'"),
        (["crawl", "http://D.example/"], 64, "write 'afcache pack http://D.example/ -o site.zip'"),
        (["channel", "add", "p.zip"], 64, "write 'afcache channel add NAME.channel p.zip'"),
        (["channel", "rollout", "all.channel", "50"], 64, "write 'afcache channel rollout all.channel PACKAGE 50'"),
        (["channel", "new", "n", "--key", "k.pub"], 64, "name what to write with '-o NAME.channel'"),
        (["cache", "limit", "10MB"], 64, "as in '--bytes 10G'"), (["man"], 64, "use 'afcache manual'"),
        (["batch", "star.yaml", "-o", "out"], 64, "'--root' names the folder of the results"),
        (["load", "star.yaml"], 10, "it is a list of sites: 'afcache batch star.yaml --root FOLDER'"),
        (["unpack", "p.zip", "-o", "u", "http://d.example/"], 64, "write '--include http://d.example/'"),
        (
            ["record", "-o", "r.zip", "curl", "--silent", "http://d.example/"], 64,
            "write 'afcache record -o r.zip -- curl --silent http://d.example/'"
        ),
        (["pack", "http://d.example/", "--exclude", #".*\.png$"#], 64, #"is written 're:.*\.png$'"#),
        (["pack", "http://d.example/", "--include", "a.{png,css}"], 64, "braces have no meaning"),
        (["pack", "./in/index.html", "-o", "o.zip"], 64, "to pack its folder, use '--folder ./in/'"),
        (["get", "http://d.example//index.html", "--cache", "store"], 3, "did you mean 'http://d.example/"),
        (["get", "http://d.example//index.html", "--package", "p.zip"], 3, "did you mean 'http://d.example/"),
        (
            ["pack", "--list", "hosts.txt", "-o", "o.zip"], 64,
            "hosts.txt:2: 'localhost:9/b.html' is not an absolute URL"
        ),
    ])
    func `what to type is said somewhere in the answer`(arguments: [String], status: Int, part: String) throws {
        let scratch = try Self.made()
        let result = try Self.afcache(arguments, in: scratch)
        #expect(result.status == Int32(status) && result.errors.contains(part), "\(result.errors)")
        #expect(try Self.afcache(["get", "http://d.example/", "--cache", "store"], in: scratch).text == "<p>guide</p>")
    }

    @Test func `a folder for temporary files that isn't there is named`() throws {
        let scratch = try Self.made()
        let script = "\"$P\" lint - < p.zip; \"$P\" record -o x.zip -- true"
        let result = try Program.run(
            "bash",
            ["-c", script],
            in: scratch.path,
            environment: ["P": Program.afcache, "TMPDIR": "/nosuchdir"]
        )
        let remedy = "; TMPDIR is '/nosuchdir', and there is no such folder: create it, or unset TMPDIR\n"
        #expect(result.errors.components(separatedBy: remedy).count == 3, "\(result.errors)")
    }

    @Test func `a selection that finds nothing says so`() throws {
        let scratch = try Self.made()
        let list = try Self.afcache(["ls", "p.zip", "--include", "/x"], in: scratch)
        #expect(list.status == 0)
        #expect(list.errors == "note: nothing matches the selection, of 2 resources\n")
        let stars = "'*' stands for any characters, and 'afcache ls' lists the URLs"
        for (arguments, sentence) in [
            (
                ["unpack", "p.zip", "-o", "out", "--type", "x/y"],
                "nothing in 'p.zip' matches the selection; 'afcache ls' lists it"
            ),
            (
                ["unpack", "p.zip", "-o", "out", "--include", "/x"],
                "'--include /x' matches no URL in 'p.zip'; \(stars)"
            ),
            (
                ["diff", "p.zip", "p.zip", "--include", "/x"],
                "'--include /x' matches no URL in either package; \(stars)"
            ),
            (["ls", "p.zip", "--include", "x"], "'x' can match no URL, since a path begins with '/'; write '*x*'"),
        ] {
            let result = try Self.afcache(arguments, in: scratch)
            #expect(result.status == 64)
            #expect(result.errors == "error: \(sentence)\n")
        }
        #expect(!FileManager.default.fileExists(atPath: scratch.path("out")))
    }

    @Test func `a process that may open too few files says how many it needs`() throws {
        let scratch = try Self.made()
        let script = "ulimit -n 20; exec \"$P\" ls p.zip"
        let result = try Program.run("bash", ["-c", script], in: scratch.path, environment: ["P": Program.afcache])
        #expect(result.status == 11)
        #expect(
            result.errors
                == "error: this process may open only 20 files, and a command needs at least 48; allow more, for example "
                + "with 'ulimit -n 1024'\n"
        )
    }

    @Test func `whose signature a package has, and what a cache lacks, is said`() throws {
        let scratch = try Self.made()
        for key in ["team", "other"] { #expect(try Self.afcache(["keygen", "-o", key], in: scratch).status == 0) }
        #expect(try Self.afcache(["repack", "p.zip", "-o", "signed.zip", "--sign", "team"], in: scratch).status == 0)
        for (key, isTrusted) in [("team.pub", true), ("other.pub", false)] {
            let info = try Self.afcache(["info", "signed.zip", "--trust", key], in: scratch)
            #expect(info.text.contains(" (not trusted)\n") != isTrusted, "\(info.text)")
        }
        let body = try Program.run(
            "bash",
            ["-c", "echo x >> \"$(find store/packages -name index.html)\""],
            in: scratch.path
        )
        #expect(body.status == 0, "\(body.errors)")
        let repair = try Self.afcache(["cache", "repair", "--cache", "store"], in: scratch)
        #expect(repair.status == 1)
        #expect(repair.errors.contains("'afcache cache repair FILE --cache store'"), "\(repair.errors)")
        let other = try Self.afcache(["cache", "repair", "none.zip", "--cache", "store"], in: scratch)
        #expect(other.errors.hasPrefix("warning: 'p' is still damaged: none of the packages given"), "\(other.errors)")
        #expect(try Self.afcache(["cache", "repair", "p.zip", "--cache", "store"], in: scratch).status == 0)
        try scratch.write([0x78], to: "store/catalogue.json")
        try scratch.write([0x78], to: "store/catalogue.copy")
        let list = try Self.afcache(["ls", "--cache", "store"], in: scratch)
        #expect(list.errors.hasSuffix("; 'afcache cache repair --cache store' repairs it\n"), "\(list.errors)")
    }

    @Test(arguments: [
        (["--server-name", "*.school.lan"], "only this machine can connect to 127.0.0.1:"),
        (["--ca", "authority"], "the authority in 'authority' may not sign for 'd.example'"),
    ])
    func `a server that others can't use as intended says so`(options: [String], warning: String) async throws {
        let scratch = try Scratch()
        try scratch.write(Array("<p>guide</p>".utf8), to: "in/index.html")
        let pack = ["pack", "--folder", "in", "--base-url", "https://d.example", "-o", "p.zip"]
        #expect(try Self.afcache(pack, in: scratch).status == 0)
        let create = ["ca", "create", "--ca", "authority", "--host", "x.example"]
        #expect(try Self.afcache(create, in: scratch).status == 0)
        let files = options.map { $0 == "authority" ? scratch.path($0) : $0 }
        let server = try RunningProgram(Program.afcache, ["serve", scratch.path("p.zip"), "--port", "0"] + files)
        defer { _ = server.stop(SIGKILL) }
        #expect(try await server.firstLine()?.hasPrefix("serving at ") == true)
        let said = warning.replacing("'authority'", with: "'\(scratch.path("authority"))'")
        #expect(server.errors.hasPrefix("warning: \(said)"), "\(server.errors)")
    }

    /// A server that resets each connection: SO_LINGER of no time, once something has been received.
    private static let resetting = """
        import socket, struct
        server = socket.create_server(("127.0.0.1", 0))
        print(server.getsockname()[1], flush=True)
        while True:
            peer = server.accept()[0]
            peer.recv(1)
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            peer.close()
        """

    @Test func `a port that may speak TLS is suspected, and each retry is announced`() async throws {
        let scratch = try Scratch()
        let server = try RunningProgram("python3", ["-c", Self.resetting])
        defer { _ = server.stop(SIGKILL) }
        let site = "http://127.0.0.1:\(try #require(try await server.firstLine()))"
        let packed = try Self.afcache(["pack", site + "/", "-o", "x.zip", "--retries", "0"], in: scratch)
        #expect(packed.status == 6)
        #expect(
            packed.errors.contains("note: if \(site) speaks TLS at this port, use 'https://'\n"),
            "\(packed.errors)"
        )
        let load = ["10", Program.afcache, "load", site + "/x.zip", "--allow-http", "--cache", "store"]
        let loaded = try Program.run("timeout", load, in: scratch.path)
        let reset = "the server reset the connection; if it speaks TLS at this port, use 'https://'"
        for seconds in [1, 2] {
            let note = "note: \(site)/x.zip: \(reset); trying again in \(seconds) s\n"
            #expect(loaded.errors.contains(note), "\(loaded.errors)")
        }
    }

    /// A site whose pages are a form for a password at `/form`, and a redirect to one at `/home`; `/start` leads
    /// elsewhere; `/busy` wants fewer requests.
    private static let closed = """
        import http.server
        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_): pass
            def do_GET(self):
                body = b"<!doctype html><form><input name=u><INPUT class=x type='password' name=p></form>"
                if self.path in ("/page", "/sso/done"): body = b"<p>open</p>" + b"<input <input type=text" * 3
                status = {"/form": 200, "/login": 200, "/page": 200, "/sso/done": 200, "/home": 302, "/start": 302,
                    "/busy": 429, "/basic": 401}.get(self.path, 404)
                self.send_response(status)
                self.send_header("Content-Type", "text/html")
                if status == 302: self.send_header("Location", "/login" if self.path == "/home" else "/sso/done")
                if status == 401: self.send_header("WWW-Authenticate", 'Basic realm="r"')
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        print(server.server_address[1], flush=True)
        server.serve_forever()
        """

    @Test func `a login form is suspected, and with a login no package of it is written`() async throws {
        let scratch = try Scratch()
        let server = try RunningProgram("python3", ["-c", Self.closed])
        defer { _ = server.stop(SIGKILL) }
        let site = "http://127.0.0.1:\(try #require(try await server.firstLine()))"
        try scratch.write(Array("# Netscape HTTP Cookie File\n".utf8), to: "cookies")
        for (path, form) in [("/form", "/form"), ("/home", "/login")] {
            let packed = try Self.afcache(["pack", site + path, "-o", "x.zip"], in: scratch)
            #expect(packed.status == 0)
            let note =
                "note: the start URL leads to \(site)\(form), which may be a login form; log in with a browser, and "
            #expect(packed.errors.contains(note), "\(packed.errors)")
            let before = try scratch.read("x.zip")
            let refused = try Self.afcache(["pack", site + path, "-o", "x.zip", "--cookies", "cookies"], in: scratch)
            #expect(refused.status == 6)
            let error =
                "error: the site sent nothing but a login form (\(site)\(form)): the login that was given is wrong or "
            #expect(refused.errors.contains(error), "\(refused.errors)")
            #expect(try scratch.read("x.zip") == before)
        }
        // A field that is no login promises none.
        let named = try Self.afcache(["pack", site + "/form", "-o", "y.zip", "--header", "X-Team: a"], in: scratch)
        #expect(named.status == 0, "\(named.errors)")
        for path in ["/page", "/start"] {
            let open = try Self.afcache(["pack", site + path, "-o", "y.zip", "--cookies", "cookies"], in: scratch)
            #expect(open.status == 0, "\(open.errors)")
        }
        let wrong = try Program.run(
            Program.afcache,
            ["pack", site + "/basic", "-o", "z.zip"],
            in: scratch.path,
            environment: ["AFCACHE_BASIC": "a:b"]
        )
        #expect(wrong.errors.contains("note: \(site)/basic refuses the login that was given"), "\(wrong.errors)")
        let busy = try Self.afcache(["pack", site + "/busy", "-o", "z.zip", "--retries", "0"], in: scratch)
        #expect(busy.errors.contains("note: \(site) wants fewer requests: '--delay 2s' waits"), "\(busy.errors)")
    }

    @Test func `what an older package has isn't lost in silence`() async throws {
        let scratch = try Self.made()
        let server = try RunningProgram("python3", ["-c", Self.closed])
        defer { _ = server.stop(SIGKILL) }
        let page = "http://127.0.0.1:\(try #require(try await server.firstLine()))/page"
        func refused(_ file: String, _ arguments: [String] = [], _ sentence: String) throws {
            let before = try scratch.read(file)
            let result = try Self.afcache(["pack", page, "-o", file] + arguments, in: scratch)
            #expect(result.status == 64)
            #expect(result.errors == "error: cannot pack '\(file)': \(sentence)\n")
            #expect(try scratch.read(file) == before)
        }
        try refused(
            "p.zip",
            ["--update"],
            "it is a package of another site: of 'http://d.example/', not of '\(page)'; name another file"
        )
        #expect(try Self.afcache(["keygen", "-o", "key"], in: scratch).status == 0)
        #expect(try Self.afcache(["pack", page, "-o", "signed.zip", "--sign", "key"], in: scratch).status == 0)
        let signed = "the package there is signed, and the new one wouldn't be; sign it, too, or choose another file; "
        try refused("signed.zip", [], signed + "use '--overwrite' to replace it")
        try refused("signed.zip", ["--update"], signed + "use '--overwrite' to replace it")
        #expect(try Self.afcache(["pack", page, "-o", "signed.zip", "--sign", "key"], in: scratch).status == 0)
        #expect(try Self.afcache(["pack", page, "-o", "signed.zip", "--overwrite"], in: scratch).status == 0)
        try scratch.write(Array("secret\n".utf8), to: "password")
        let encrypting = ["pack", page, "-o", "locked.zip", "--encrypt", "--password-file", "password"]
        #expect(try Self.afcache(encrypting, in: scratch).status == 0)
        #expect(try Self.afcache(encrypting, in: scratch).status == 0)
        try refused(
            "locked.zip",
            [],
            "the package there is encrypted, and the new one wouldn't be; encrypt it, too, or choose another file; use "
                + "'--overwrite' to replace it"
        )
    }

    @Test func `a proxy that isn't there is named, and not tried again`() throws {
        let proxy = ["https_proxy": "http://127.0.0.1:1", "http_proxy": "http://127.0.0.1:1"]
        let scratch = try Scratch()
        let load = ["load", "https://d.example/p.zip", "--cache", "store"]
        let loaded = try Program.run(Program.afcache, load, in: scratch.path, environment: proxy)
        #expect(loaded.status == 17)
        let refused = "the proxy 127.0.0.1:1 refused the connection; is it running, and meant?"
        #expect(loaded.errors == "error: cannot download 'https://d.example/p.zip': \(refused)\n")
        let pack = ["pack", "http://d.example/", "-o", "x.zip", "--retries", "0"]
        let packed = try Program.run(Program.afcache, pack, in: scratch.path, environment: proxy)
        #expect(packed.errors.contains("note: '--proxy', or else the variables http_proxy, "), "\(packed.errors)")
        let failed = "failed: http://d.example/: the proxy 127.0.0.1:1 refused the connection\n"
        #expect(packed.errors.contains(failed), "\(packed.errors)")
    }

    /// A proxy that answers each request with the status that its argument names.
    private static let answering = """
        import http.server, sys
        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_): pass
            def do_GET(self):
                self.send_response(int(sys.argv[1]))
                self.send_header("Proxy-Authenticate", "Basic realm=x")
                self.send_header("Content-Length", "0")
                self.end_headers()
            do_CONNECT = do_GET
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        print(server.server_address[1], flush=True)
        server.serve_forever()
        """

    @Test(arguments: [
        (407, "http", "the proxy PROXY wants a login"), (407, "https", "the proxy PROXY wants a login"),
        (502, "http", "status 502 Bad Gateway through the proxy PROXY"),
        (502, "https", "the proxy PROXY refused to connect to the server (status 502)"),
        (
            403, "https",
            "the proxy PROXY refused to connect to the server (status 403); ask its operator, or name the host in no_proxy"
        ),
    ])
    func `what a proxy refuses names it`(status: Int, scheme: String, sentence: String) async throws {
        let scratch = try Scratch()
        let server = try RunningProgram("python3", ["-c", Self.answering, String(status)])
        defer { _ = server.stop(SIGKILL) }
        let proxy = "127.0.0.1:\(try #require(try await server.firstLine()))"
        let said = sentence.replacing("PROXY", with: proxy)
        let pack = ["pack", "\(scheme)://d.example/", "--ignore-robots", "--retries", "0", "--proxy", proxy]
        let packed = try Self.afcache(pack + ["-o", "x.zip"], in: scratch)
        #expect(packed.status == 6)
        #expect(packed.errors.contains("failed: \(scheme)://d.example/: \(said)"), "\(packed.errors)")
        guard status != 502 else { return }
        let loaded = try Program.run(
            Program.afcache,
            ["load", "\(scheme)://d.example/p.zip", "--allow-http", "--cache", "store"],
            in: scratch.path,
            environment: ["\(scheme)_proxy": "http://\(proxy)"]
        )
        #expect(loaded.status == 17)
        let remedy = status == 407 ? "; put it into the proxy's URL: http://USER:PASSWORD@\(proxy)" : ""
        #expect(loaded.errors == "error: cannot download '\(scheme)://d.example/p.zip': \(said)\(remedy)\n")
    }

    @Test func `each package that fails has an object of its own`() throws {
        let scratch = try Self.made()
        let result = try Self.afcache(["load", "cut.zip", "p.zip", "--json", "--cache", "other"], in: scratch)
        #expect(result.status == 5)
        let lines = result.text.split(separator: "\n")
        #expect(
            lines.count == 2 && lines[0].hasPrefix(#"{"from":"cut.zip","error":"cannot load 'cut.zip': "#),
            "\(lines)"
        )
    }

    @Test(arguments: [
        ("trust: [no.pub]\n", 11, "s.yaml:2: cannot open 'no.pub': No such file or directory; it is looked for in '"),
        ("trust: [p.zip]\n", 64, "s.yaml:2: 'p.zip' can't be used: "),
        ("cacert: key\n", 64, "s.yaml:2: 'key' has no certificate in PEM form; keys that sign packages are named "),
        ("netrc: netrc\n", 64, "s.yaml:2: 'netrc': line 2: write 'machine HOST login USER password PASSWORD'"),
        ("cache: p.zip\n", 11, "s.yaml:2: cannot use 'p.zip': this is not a folder; name a folder\n"),
        ("cacert: no.pem\n", 11, "s.yaml:2: cannot open 'no.pem': No such file or directory; it is looked for in '"),
        ("netrc: logins\n", 11, "s.yaml:2: cannot open 'logins': No such file or directory; it is looked for in '"),
        (
            "trust: [key.pub]\nchannel:\n  from: docs.channel\n  name: docz\n", 15,
            "s.yaml:5: cannot use 'docs.channel': this is the channel 'docs', not 'docz'; correct the name or the URL\n"
        ),
        (
            "trust: [key.pub]\nchannel:\n  from: docs.channel\n  threshold: 2\n", 64,
            "s.yaml:5: 'threshold' is 2, and 'trust' has 1 key; add keys, or lower 'threshold'\n"
        ),
        (
            "trust: [key.pub]\nchannel: SITE/none\n", 17,
            "s.yaml:3: cannot download 'SITE/none': the server has no such file (status 404); check the URL\n"
        ),
        (
            "packages:\n  - from: SITE/none.zip\n", 5,
            "s.yaml:3: cannot download 'SITE/none.zip': the server has no such file (status 404); check the URL\n"
        ),
        (
            "packages:\n  - { name: a, from: SITE/basic }\n", 5,
            "s.yaml:3: cannot download 'SITE/basic': the server wants a login (status 401); put one into a netrc file, and "
                + "name that file with 'netrc'\n"
        ),
    ])
    func `what a sync file names is reported with its line`(
        text: String,
        status: Int,
        sentence: String
    ) async throws {
        let scratch = try Self.made()
        let server = try RunningProgram("python3", ["-c", Self.closed])
        defer { _ = server.stop(SIGKILL) }
        let site = "http://127.0.0.1:\(try #require(try await server.firstLine()))"
        for arguments in [
            ["keygen", "-o", "key"], ["channel", "new", "docs", "--key", "key.pub", "-o", "docs.channel"],
            ["channel", "sign", "docs.channel", "--sign", "key"],
        ] { #expect(try Self.afcache(arguments, in: scratch).status == 0) }
        try scratch.write(Array("version: 1\n\(text.replacing("SITE", with: site))".utf8), to: "s.yaml")
        let cache = text.hasPrefix("cache") ? [] : ["--cache", "store"]
        let result = try Self.afcache(["sync", "s.yaml"] + cache, in: scratch)
        #expect(result.status == Int32(status))
        let said = "error: " + sentence.replacing("SITE", with: site)
        #expect(result.errors.hasPrefix(said), "\(result.errors)")
    }

    @Test func `of two syncs at once, the second sees what the first one loaded`() async throws {
        let scratch = try Self.made()
        try scratch.write(Array("version: 1\npackages: [{ from: p.zip }]\n".utf8), to: "s.yaml")
        let sync = "\"$P\" sync s.yaml --cache new"
        let script = "exec 9>new.lock; \(sync) & \(sync) & wait"
        let result = try Program.run("bash", ["-c", script], in: scratch.path, environment: ["P": Program.afcache])
        let lines = result.text.split(separator: "\n").sorted()
        #expect(lines == ["installed 'p'", "unchanged 'p'"], "\(result.errors)")
    }

    @Test(arguments: ["cache", "package"])
    func `a server whose cache is gone, or whose package was cut, isn't healthy`(served: String) async throws {
        let scratch = try Self.made()
        let what = served == "cache" ? ["--cache", scratch.path("store")] : [scratch.path("p.zip")]
        let server = try RunningProgram(Program.afcache, ["serve", "--port", "0"] + what)
        defer { _ = server.stop(SIGKILL) }
        let line = try #require(try await server.firstLine())
        let port = try #require(line.split(separator: ":").last?.prefix { $0.isNumber })
        let probe = ["serve", "--probe", "--port", String(port)]
        #expect(try Self.afcache(probe, in: scratch).text == "ok\n")
        if served == "cache" {
            try FileManager.default.removeItem(atPath: scratch.path("store"))
        } else {
            #expect(try Program.run("truncate", ["-s", "100", "p.zip"], in: scratch.path).status == 0)
        }
        // The catalogue is examined once a second.
        try await Task.sleep(for: .seconds(2))
        let result = try Self.afcache(probe, in: scratch)
        #expect(result.status == 1)
        let url = "http://127.0.0.1:\(port)/.afcache/healthz"
        #expect(result.errors == "unhealthy: \(url): it can't read what it serves; see its log\n")
    }

    @Test(arguments: [
        ("a/certificate.pem", "b/key.pem", "'b/key.pem' is the private key of another certificate, or one of the "),
        ("a/key.pem", "a/certificate.pem", "the file has the private key; '--tls-cert' and '--tls-key' are swapped\n"),
        ("p.zip", "a/key.pem", "the file has no certificate in PEM form; 'openssl x509 -in p.zip -out NEW.pem' "),
        ("a/certificate.pem", "p.zip", "'p.zip' has no private key in PEM form; 'openssl pkey -in p.zip -out NEW."),
    ])
    func `a certificate and a key that are no pair are told apart`(
        chain: String,
        key: String,
        problem: String
    ) throws {
        let scratch = try Self.made()
        for folder in ["a", "b"] {
            #expect(try Self.afcache(["ca", "create", "--ca", folder], in: scratch).status == 0)
        }
        let result = try Self.afcache(
            ["serve", "p.zip", "--port", "0", "--tls-cert", chain, "--tls-key", key],
            in: scratch
        )
        #expect(result.status == 11)
        let start = "error: '--tls-cert': cannot use the certificate '\(chain)': "
        #expect(result.errors.hasPrefix(start + problem), "\(result.errors)")
    }

    @Test func `without a home, the user has no folder for data`() throws {
        let scratch = try Scratch()
        let nowhere = ["HOME": "", "XDG_DATA_HOME": ""]
        let result = try Program.run(Program.afcache, ["open", "guide"], in: scratch.path, environment: nowhere)
        #expect(result.status == 64)
        let sentence = "HOME isn't set, so there is no folder for the user's data; set it, or XDG_DATA_HOME"
        #expect(result.errors == "error: \(sentence)\n")
    }

    @Test func `a file that a command reads isn't what it writes, and a key is never replaced`() throws {
        let scratch = try Self.made()
        #expect(try Self.afcache(["keygen", "-o", "team"], in: scratch).status == 0)
        let key = try scratch.read("team")
        let list = try scratch.read("paths.txt")
        for (command, status, message) in [
            ("pack --folder in --sign team -o team --overwrite", Int32(64), "'team' is the file of '--sign'"),
            ("pack --list paths.txt -o paths.txt --overwrite", 64, "'paths.txt' is the file of '--list'"),
            ("merge p.zip none.zip --sign team -o team --overwrite", 64, "'team' is the file of '--sign'"),
            ("pack --folder in -o team --overwrite", 11, "has a private key, which is never replaced"),
            ("repack p.zip -o team --overwrite", 11, "has a private key, which is never replaced"),
            ("lint p.zip --format json -o team", 11, "has a private key, which is never replaced"),
            ("channel new all --key team.pub -o team --overwrite", 11, "has a private key, which is never replaced"),
        ] {
            let result = try Self.afcache(command.split(separator: " ").map(String.init), in: scratch)
            #expect(result.status == status && result.errors.contains(message), "\(command): \(result.errors)")
        }
        #expect(try scratch.read("team") == key)
        #expect(try scratch.read("paths.txt") == list)
    }

    @Test func `what an archive has doesn't replace the package of another site`() throws {
        let scratch = try Self.made()
        let page = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 3\r\n\r\n<p>"
        try scratch.write(
            Array(
                ("WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://other.example/\r\n"
                    + "WARC-Date: 2024-01-01T00:00:00Z\r\nWARC-Record-ID: <urn:uuid:1>\r\n"
                    + "Content-Type: application/http; msgtype=response\r\nContent-Length: \(page.utf8.count)\r\n\r\n"
                    + "\(page)\r\n\r\n").utf8
            ),
            to: "other.warc"
        )
        let before = try scratch.read("p.zip")
        let refused = try Self.afcache(["import", "other.warc", "-o", "p.zip"], in: scratch)
        #expect(refused.status == 64 && refused.errors.contains("a package of another site"), "\(refused.errors)")
        #expect(try scratch.read("p.zip") == before)
        #expect(try Self.afcache(["import", "other.warc", "-o", "o.zip"], in: scratch).status == 0)
        #expect(try Self.afcache(["import", "other.warc", "-o", "o.zip"], in: scratch).status == 0)
    }

    @Test func `a channel that somebody changed isn't signed by the way, and a base has its scheme`() throws {
        let scratch = try Self.made()
        for command in [
            "keygen -o team", "channel new all --key team.pub -o c.channel", "channel add c.channel p.zip --sign team",
        ] {
            #expect(try Self.afcache(command.split(separator: " ").map(String.init), in: scratch).status == 0)
        }
        let base = try Self.afcache(
            ["channel", "add", "c.channel", "p.zip", "--sign", "team", "--base", "packages.example/x"],
            in: scratch
        )
        #expect(
            base.status == 64 && base.errors.contains("did you mean 'https://packages.example/x'?"),
            "\(base.errors)"
        )
        let signed = String(decoding: try scratch.read("c.channel"), as: UTF8.self)
        try scratch.write(Array(signed.replacing("p.zip", with: "q.zip").utf8), to: "c.channel")
        let changed = try scratch.read("c.channel")
        let added = try Self.afcache(["channel", "add", "c.channel", "p.zip", "--sign", "team"], in: scratch)
        #expect(added.status != 0 && added.errors.contains("changed after it was signed"), "\(added.errors)")
        #expect(try scratch.read("c.channel") == changed)
        let accepted = try Self.afcache(["channel", "sign", "c.channel", "--sign", "team"], in: scratch)
        #expect(accepted.status == 0 && accepted.errors.contains("was changed after its last"), "\(accepted.errors)")
        #expect(try Self.afcache(["channel", "add", "c.channel", "p.zip", "--sign", "team"], in: scratch).status == 0)
    }

    @Test func `a package is no text for a terminal`() throws {
        let scratch = try Self.made()
        for (command, kind, file) in [
            ("repack p.zip", "a package", "site.zip"), ("merge p.zip p.zip", "a package", "site.zip"),
            ("patch p.zip p.zip", "a patch", "patch.zip"), ("mount-index p.zip", "an index", "site.index"),
            ("pack --folder in", "a package", "site.zip"),
        ] {
            let result = try Program.run(
                "python3",
                ["-c", "import pty,sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)", Program.afcache]
                    + command.split(separator: " ").map(String.init) + ["-o", "-"],
                in: scratch.path
            )
            #expect(result.status == 64)
            let redirect = "redirect it, as in '-o - > \(file)', or name a file"
            let sentence = "error: \(kind) isn't text for a terminal; \(redirect)"
            #expect(result.text.contains(sentence), "\(result.text)")
        }
    }

    @Test func `a sync file may have a byte order mark`() throws {
        let scratch = try Self.made()
        try scratch.write([0xEF, 0xBB, 0xBF] + Array("version: 1\npackages: []\n".utf8), to: "s.yml")
        let result = try Self.afcache(["sync", "s.yml", "--cache", "store"], in: scratch)
        #expect(result.status == 0)
        #expect(result.errors == "note: neither the sync file nor its channel lists a package for this device\n")
    }
}
