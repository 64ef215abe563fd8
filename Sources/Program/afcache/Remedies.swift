import AFCCrawlRules
import AFCText

extension CodedError {
    /// What is wrong, and the option or command of this program that is a way out.
    var sentence: String { remedy.map { "\(message); \($0.words)" } ?? message }
}

extension Remedy {
    /// The end of a sentence; libraries know no option and no command, so this is the one place that names them.
    var words: String {
        switch self {
        case .repairCache(let folder): "'afcache cache repair\(Self.option("--cache", folder))' repairs it"
        case .loadPackage(let folder): "make one with 'afcache load PACKAGE\(Self.option("--cache", folder))'"
        case .upgradeCache(let folder): "'afcache cache gc\(Self.option("--cache", folder))' brings it up to date"
        case .raiseLimit: "'afcache cache limit' sets the limits"
        case .clearReceived: "'afcache cache clear --received' removes them"
        case .waitLonger: "'--wait' says how long"
        case .namePackage: "choose one with '--name'"
        case .givePassword: "use '--password-file', or AFCACHE_PASSWORD"
        case .pinPackage: "say '--sha256' or '--require-signature', or accept it with '--insecure'"
        case .overwrite: "'--overwrite' replaces it"
        case .restart: "start over with '--restart'"
        case .createAuthority: "'afcache ca create' makes an authority, and '--folder' says where it is"
        case .replaceAuthority: "'afcache ca create --force' makes a new one"
        case .chooseAuthorityFolder: "'--folder' names one"
        case .force: "'--force' replaces it"
        case .trustSigner: "'--trust' names the keys to trust"
        case .nameMembers: "use '--dialect five', or leave the URL out with '--exclude'"
        case .writeBaseline: "'--write-baseline' rewrites it"
        case .choosePort: "choose another one with '--port', or any with '--port 0'"
        case .chooseHost: "choose one with '--host'"
        }
    }

    /// Names the option that a subject stands for; other subjects are files and URLs.
    static func option(of subject: String) -> String {
        ["proxy": "--proxy", "request field": "--header"][subject] ?? subject
    }

    private static func option(_ name: String, _ value: String?) -> String {
        value.map { " \(name) \(PrintableText.escaped($0))" } ?? ""
    }
}

extension SkipRule {
    /// The option that lets the crawler follow such URLs; nil where none does.
    var advice: String? {
        switch self {
        case .repeatedPath, .pathDepth, .tooManyParameters: "'--no-traps' follows them"
        case .tooManyAlike: "'--trap-limit' changes the number"
        case .sessionIDs: "'--query tracking' removes session IDs"
        default: nil
        }
    }
}
