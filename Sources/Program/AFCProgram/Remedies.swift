import AFCCrawlRules
import AFCCrawler
import AFCText

extension CodedError {
    /// The message, followed by the option or command that helps.
    var sentence: String { remedy.map { "\(message); \($0.words)" } ?? message }
}

extension Remedy {
    /// The option for the cache that this command line names; empty if it names none.
    static var typedCache: String { option("--cache", CacheFolder.typed) }

    /// The end of a sentence.
    ///
    /// Libraries know no option and no command; only this file names them.
    var words: String {
        switch self {
        case .repairCache(let folder):
            "'afcache cache repair\(Self.option("--cache", folder ?? CacheFolder.typed))' repairs it"
        case .loadPackage(let folder): "create one with 'afcache load PACKAGE\(Self.option("--cache", folder))'"
        case .upgradeCache(let folder): "'afcache cache repair\(Self.option("--cache", folder))' rebuilds it"
        case .removePackage(let name):
            "if it is meant, use 'afcache cache remove \(PrintableText.escaped(name))\(Self.typedCache)'"
        case .raiseLimit: "change the limits with 'afcache cache limit\(Self.typedCache)'"
        case .raiseFileLimit: "export a folder, or allow more with '--max-bytes'"
        case .clearReceived: "remove them with 'afcache cache clear --received\(Self.typedCache)'"
        case .waitLonger: "'--wait' sets how long"
        case .namePackage: "choose one with '--name', or with 'name' in a sync file"
        case .givePassword: "use '--password-file' or set AFCACHE_PASSWORD"
        case .pinPackage:
            "use https, '--sha256', '--digest' or '--require-signature', or accept the risk with '--allow-http'"
        case .allowPlainHTTP: "use https, or accept the risk with '--allow-http'"
        case .logIn: "log in with 'docker login', 'oras login' or 'skopeo login'"
        case .giveLogin: "name a netrc file that has one with '--netrc'"
        case .giveCrawlLogin:
            "put 'user:password' in the variable \(AccessSources.basicVariable), or use '--credentials', '--netrc' or "
                + "'--cookies'"
        case .giveCookies: "'--cookies' names one"
        case .allowOlder: "'--allow-older' loads it anyway"
        case .trustServer: "add the authority's certificate with '--cacert'"
        case .overwrite: "use '--overwrite' to replace it"
        case .restart: "use '--restart' to discard it and start over"
        case .createAuthority:
            "create an authority with 'afcache ca create --ca DIR', or name the folder of another one"
        case .replaceAuthority: "replace it with 'afcache ca create --overwrite'"
        case .chooseAuthorityFolder: "name another one with '--ca'"
        case .trustSigner: "name a file that has that key with '--trust'"
        case .nameMembers: "use '--dialect five', or exclude the URL with '--exclude'"
        case .writeBaseline: "remove it, and write another one with '--write-baseline'"
        case .choosePort: "choose another port with '--port', or '--port 0' for a free one"
        case .chooseSitePorts: "choose another range with '--site-ports'"
        case .chooseAddress: "choose another address with '--listen'"
        case .raiseOpenFiles: "allow more, for example with 'ulimit -n 1024'"
        case .repack: "'afcache repack' writes a package without this"
        case .acceptEdits: "rebuild it, or accept what was edited on purpose with 'afcache repack --edited'"
        case .packFolder: "to make one of its files, unpack them and use 'afcache pack --folder'"
        case .checkPassword: "check AFCACHE_PASSWORD, or the file of '--password-file'"
        case .findScripts: "'afcache pack --render' or 'afcache record' finds what scripts load"
        case .chooseBrowser: "name Chromium or Google Chrome with '--browser', or leave it out"
        case .nameProgram: "name one for Linux with '--program'"
        case .nameBase: "name an image that has what the program needs with '--base-image'"
        case .stateBaseURL: "if it is a mirror, name the URL of its folder with '--base-url'"
        }
    }

    /// Returns the option that a subject stands for, or nil for files and URLs.
    static func option(of subject: String) -> String? {
        ["proxy": "--proxy", "request field": "--header"][subject]
    }

    private static func option(_ name: String, _ value: String?) -> String {
        value.map { " \(name) \(PrintableText.escaped($0))" } ?? ""
    }
}

extension SkipRule {
    /// The option that lets the crawler follow such URLs, or nil if there is none.
    var advice: String? {
        switch self {
        case .repeatedPath, .pathDepth, .tooManyParameters: "'--traps off' follows them"
        case .tooManyAlike: "'--traps' changes the limit"
        case .sessionIDs: "'--query tracking' removes session IDs"
        default: nil
        }
    }
}
