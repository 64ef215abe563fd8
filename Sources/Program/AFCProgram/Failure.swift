import AFCAuthority
import AFCBrowser
import AFCCache
import AFCChannel
import AFCCrawlRules
import AFCDelivery
import AFCDelta
import AFCFiles
import AFCHTTP
import AFCImport
import AFCLinter
import AFCPackageFile
import AFCPackageFormat
import AFCPlatform
import AFCSearch
import AFCServer
import AFCText
import ArgumentParser

/// Turns errors into a sentence on standard error and an exit code.
enum Failure {
    /// The command line, without the program's name.
    static let arguments = Array(CommandLine.arguments.dropFirst())

    /// Ends the program.
    static func exit(with error: any Error) -> Never {
        Console.flush()
        Console.endProgress()
        let (message, code) = outcome(of: error, arguments: arguments)
        if code == 0 {
            // Help and version are the argument parser's.
            Console.print(AFCacheCommand.fullMessage(for: error))
            Console.flush()
        } else if let message {
            if message.contains(Path.standardOutput), message.hasSuffix(String(cString: strerror(EPIPE))) {
                Console.endByClosedPipe()
            }
            Console.complain("error: " + message)
        }
        systemExit(code)
    }

    /// Returns the sentence and the exit code of an error; no sentence for exit codes that a command chose.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - arguments: The command line, without the program's name.
    /// - Returns: The sentence and the code, which is 0 for help and version.
    static func outcome(of error: any Error, arguments: [String]) -> (message: String?, code: Int32) {
        if let error = error as? BatchSite.WrongKey { return outcome(of: error.cause, arguments: arguments) }
        if let error = error as? PlacedFailure {
            let (message, code) = outcome(of: error.cause, arguments: arguments)
            return (error.place + (message ?? ""), code)
        }
        if let (message, status) = describe(error) {
            let (subject, own) = subjectAndMessage(of: error)
            let file = MistakenFile(subject: subject, message: own, arguments: arguments)
            let end = advice(for: error, arguments) ?? file.advice ?? clock(own)
            let isOfVariable = error is CacheError && CacheFolder.typed == nil && subject == CacheFolder.ofVariable
            let start = isOfVariable ? "\(CacheFolder.variable): " : file.option.map { "'\($0)': " } ?? ""
            let isNamed = message.contains(PrintableText.quoted(subject))
            let sentence = isNamed ? start + (start.isEmpty ? message : withoutVerb(message, subject)) : message
            if status == .locked, let command = arguments.first, lockless.contains(command), !subject.isEmpty {
                let shown = PrintableText.escaped(subject)
                return (
                    "cannot use '\(shown)': the package is encrypted, and 'afcache \(command)' takes no password; decrypt it first: "
                        + "'7z x \(shown) -oDIR', then 'cd DIR' and '7z a -tzip ../plain.zip .'", status.rawValue
                )
            }
            return (sentence + (end.map { "; \($0)" } ?? ""), status.rawValue)
        }
        let code = AFCacheCommand.exitCode(for: error)
        if code == .success { return (nil, 0) }
        if code == ExitStatus.usage.code, !(error is ExitCode) {
            return (UsageFailure.sentence(error, arguments: arguments), code.rawValue)
        }
        if error is ExitCode { return (nil, code.rawValue) }
        if let error = error as? FileError {
            let advice = MistakenFile(subject: error.path, message: error.message, arguments: arguments).advice
            return (
                PrintableText.escaped(error.message) + (advice.map { "; \($0)" } ?? ""), ExitStatus.inputOutput.rawValue
            )
        }
        return (PrintableText.escaped(AFCacheCommand.message(for: error)), ExitStatus.inputOutput.rawValue)
    }

    /// Returns what an error is about, and its sentence; two empty texts for an error without a subject.
    private static func subjectAndMessage(of error: any Error) -> (String, String) {
        switch error {
        case let error as any SubjectError: (error.subject, error.message)
        case let error as TransferFailure: (error.error.subject, error.error.message)
        case let error as ImageFailure: (error.error.subject, error.error.message)
        default: ("", "")
        }
    }

    /// Returns the file, folder, host, address, URL or option that an error is about; empty if it has none.
    static func subject(of error: any Error) -> String { subjectAndMessage(of: error).0 }

    /// The commands that read packages, and take no password.
    private static let lockless: Set<String> = ["repack", "merge", "patch", "push", "image", "replay"]

    /// Returns what this machine's clock says, where an error suspects it; nil elsewhere.
    private static func clock(_ message: String) -> String? {
        guard message.contains("machine's clock is wrong") else { return nil }
        let renewal =
            message.contains("certificate expired") ? "; if that is right, the server needs a new certificate" : ""
        return "it says \(Clock.now.iso8601)\(renewal)"
    }

    /// Returns a sentence without the verb, for an error about the value of an option.
    private static func withoutVerb(_ sentence: String, _ subject: String) -> String {
        let shown = PrintableText.quoted(subject)
        for verb in ["pack", "use", "load"] where sentence.hasPrefix("cannot \(verb) \(shown)") {
            return String(sentence.dropFirst("cannot \(verb) ".count))
        }
        return sentence
    }

    /// Returns the end of a sentence about a file of another kind than the command takes; nil for everything else.
    private static func advice(for error: any Error, _ arguments: [String]) -> String? {
        if let error = error as? PackagingError, error.remedy == .overwrite, !arguments.contains(error.subject) {
            return "'-o' names another file"
        }
        if let error = error as? PackagingError, error.code == .sharedFolder, error.message == "there is no such folder"
        {
            return "'afcache crawl plan' makes one"
        }
        if let error = error as? PackagingError, error.code == .nothing, Path.isFolder(error.subject) {
            let names = FolderListing.names(in: error.subject) ?? []
            if names.contains(where: { $0.hasPrefix(".") }) {
                return "'--hidden' includes those whose names begin with a dot"
            }
            return names.isEmpty ? "it is empty: name the folder that has the site's files" : "names must be UTF-8"
        }
        if let error = error as? DeliveryError, error.remedy == nil, case .status(let status) = error.code {
            switch status {
            case 404, 410: return "check the URL"
            case 500...: return "the fault is the server's: try later"
            default: break
            }
        }
        if let error = error as? DeliveryError, error.remedy == nil, error.message.contains("redirected more than") {
            return "'curl -sIL \(PrintableText.escaped(error.subject))' shows where it leads; ask for the right URL"
        }
        if let error = error as? ChannelError, error.message.contains("that this device trusts") {
            return "if that is its publisher's key, put its .pub file under 'trust' in the sync file"
        }
        if let error = error as? ImportError, error.message.hasPrefix("the file is neither") {
            return MistakenFile.kind(of: error.subject)
                ?? "'afcache pack --folder DIR' makes a package of a site's files"
        }
        let subject =
            (error as? PackageError)?.subject ?? (error as? CacheError)?.subject ?? (error as? PatchError)?.subject
        guard let subject else { return nil }
        if (error as? PackageError)?.message.hasPrefix("no readable manifest") == true {
            return "a zip that was cut lacks it: get it again, or unpack it and use 'afcache pack --folder'"
        }
        var archive = (error as? PackageError)?.code
        var remedy = (error as? PackageError)?.remedy
        if let error = error as? CacheError, case .package(let code) = error.code {
            (archive, remedy) = (code, error.remedy)
        }
        if let error = error as? PatchError, case .package(let code) = error.code {
            (archive, remedy) = (code, error.remedy)
        }
        switch archive {
        case .invalidArchive, .invalidPackage:
            guard !subject.contains("://"), ArchiveImport.recognizes(subject) else { break }
            return "'afcache import \(PrintableText.escaped(subject)) -o NEW.zip' makes a package of it"
        default: break
        }
        if case .invalidArchive(let rule) = archive {
            if subject.contains("://"), rule == "zip.not-a-zip" {
                return "the file on the server is cut, or is something else such as a page: "
                    + "'curl -LO \(PrintableText.escaped(subject))' gets it, and 'file' says what it is"
            }
            guard rule == "zip.not-a-zip" else {
                let shown = PrintableText.escaped(subject)
                return remedy == nil && !subject.contains("://") && arguments.first != "repack"
                    ? "the file is damaged or was changed: get it again, or 'afcache repack \(shown) -o NEW.zip' saves what is intact"
                    : nil
            }
            return Path.isZip(subject)
                ? "it begins as a zip, so its end is missing: get it again"
                : MistakenFile.kind(of: subject) ?? "it isn't even the beginning of one: name a package"
        }
        if (error as? CacheError)?.message.hasSuffix("make it again") == true {
            if Path.isZip(subject) {
                let shown = PrintableText.escaped(subject)
                return "it is a package: 'afcache mount-index \(shown) -o NAME.index' makes its index"
            }
            return "'afcache mount-index PACKAGE -o \(PrintableText.escaped(subject)) --overwrite' does"
        }
        guard let place = arguments.lastIndex(of: subject), place > 0 else { return nil }
        let shown = PrintableText.escaped(subject)
        let command = arguments.first ?? ""
        guard arguments[place - 1] == "--cache" else {
            if Path.isCache(subject) {
                switch command {
                case "ls", "get", "serve", "load", "cache": return "it is a cache, which '--cache' names"
                case "info": return "it is a cache: use 'afcache cache info --cache \(shown)'"
                default: return "it is a cache, and 'afcache \(command)' takes packages: name the file of one"
                }
            }
            guard Path.isFolder(subject),
                (error as? any SubjectError)?.message.contains("is a folder, not a file") == true
            else {
                return nil
            }
            switch command {
            case "serve", "ls", "get", "info", "export", "try", "unpack", "image", "push", "repack", "merge", "diff",
                "patch", "replay", "mcp", "mount-index":
                return "'afcache pack --folder \(shown) -o NAME.zip' makes a package of it"
                    + (command == "serve" ? ", 'afcache open \(shown)' shows it" : "")
            case "sync": return "name a sync file in it"
            default: return nil
            }
        }
        guard Path.isZip(subject) else { return nil }
        switch command {
        case "get": return "it is a package, which '--package' names"
        case "ls", "serve", "mcp", "export", "try", "info": return "it is a package: name it without '--cache'"
        default: return "it is a package, which 'afcache load' takes into a cache"
        }
    }

    /// Returns the sentence and the exit code of an error, or nil for an error of ArgumentParser.
    static func describe(_ error: any Error) -> (String, ExitStatus)? {
        switch error {
        case let error as PlacedFailure: describe(error.cause).map { (error.place + $0.0, $0.1) }
        case let error as PackageError: (sentence("use", error), status(error.code))
        case let error as CacheError: (sentence(error.code.verb, error), status(error.code))
        case let error as ChannelError: (sentence("use", error), status(error.code))
        case let error as PackagingError: (sentence(error), status(error.code))
        case let error as ImportError: (sentence("import", error), status(error.code))
        case let error as DeliveryError: (sentence("download", error), status(error.code))
        case let error as TransferFailure: (sentence(error.verb, error.error), status(error.error.code))
        case let error as ImageFailure: (sentence("use", error.error), status(error.error.code))
        case let error as FixRefusal: ("cannot fix \(error)", .inputOutput)
        case let error as AuthorityError: (sentence("use", error), status(error.code))
        case let error as BrowserError: (sentence("use", error), .inputOutput)
        case let error as PatchError: (sentence(error.code == .unsuitable ? "use" : "load", error), status(error.code))
        case let error as SearchError: (sentence("index", error), status(error.code))
        case let error as ServerError:
            (error.code.sentence(about: error.subject, error.sentence), .inputOutput)
        case is CancellationError: ("interrupted; nothing was changed", .interrupted)
        case let error as Stopped:
            ("interrupted; nothing was changed", ExitStatus(rawValue: 128 + error.signal) ?? .interrupted)
        default: nil
        }
    }

    /// Returns the sentence for a package or the channel of a sync file, in which keys stand for the options of `load`.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - isListed: True if a channel lists the package.
    /// - Returns: The sentence.
    static func inSyncFile(_ error: any Error, isListed: Bool) -> String {
        let remedy = (error as? DeliveryError)?.remedy ?? (error as? CacheError)?.remedy
        let message = (isListed ? describe(error)?.0 : outcome(of: error, arguments: arguments).message) ?? "\(error)"
        func replacing(_ words: String) -> String {
            guard let remedy else { return message }
            return message.replacing(remedy.words, with: words)
        }
        switch remedy {
        case .pinPackage:
            return replacing("use https, add 'sha256' or 'digest', or accept the risk with 'allow-http: true'")
        case .namePackage: return replacing("choose another one with 'name'")
        case .raiseLimit: return replacing("raise 'limits' in the sync file")
        case .allowOlder: return replacing("'allow-older: true' loads it anyway")
        case .giveLogin: return replacing("put one into a netrc file, and name that file with 'netrc'")
        case .trustServer: return replacing("name the authority's certificate with 'cacert'")
        default: break
        }
        let other = "; the channel lists this file, so its publisher must upload it, or list the one that is there"
        if isListed, error is CacheError, message.contains("ask its publisher which is right") {
            return message + other
        }
        guard isListed, let error = error as? DeliveryError else { return message }
        switch error.code {
        case .status(404), .status(403), .digest, .tooLarge:
            return message + other
        default: return message
        }
    }

    private static func sentence<Kind>(_ verb: String, _ error: CodedError<Kind>) -> String {
        let subject = PrintableText.quoted(error.subject)
        // Errors of files say "cannot open" and the path themselves.
        guard !error.sentence.hasPrefix("cannot ") || !error.sentence.contains(subject) else { return error.sentence }
        return "cannot \(verb) \(subject): \(error.sentence)"
    }

    private static func sentence(_ error: PackagingError) -> String {
        if let option = Remedy.option(of: error.subject) { return "'\(option)': \(error.sentence)" }
        if error.subject.hasPrefix("AFCACHE_") { return "\(error.subject): \(error.sentence)" }
        return sentence(error.code == .sharedFolder ? "use" : "pack", error)
    }

    private static func status(_ code: PackageError.Code) -> ExitStatus {
        switch code {
        case .inputOutput: .inputOutput
        case .invalidArchive, .invalidPackage: .invalidPackage
        case .untrusted: .untrusted
        case .locked: .locked
        case .unwritable: .usage
        case .cancelled: .interrupted
        }
    }

    private static func status(_ code: CacheError.Code) -> ExitStatus {
        switch code {
        case .noCache, .newerCache, .olderCache, .damaged, .bodyMissing: .badCache
        case .inputOutput: .inputOutput
        case .busy: .busy
        case .noPackage, .noPrevious: .missing
        case .badName, .badPath: .usage
        case .full: .full
        case .olderPackage: .untrusted
        case .package(let code): status(code)
        case .cancelled: .interrupted
        }
    }

    private static func status(_ code: ImportError.Code) -> ExitStatus {
        switch code {
        case .inputOutput: .inputOutput
        case .malformed, .empty, .tooLarge, .package: .invalidPackage
        case .cancelled: .interrupted
        }
    }

    private static func status(_ code: ChannelError.Code) -> ExitStatus {
        switch code {
        case .malformed: .invalidPackage
        case .untrusted, .wrongSignature, .otherName, .rollback, .fastForward: .untrusted
        case .expired: .expired
        case .unsuitable: .usage
        }
    }

    private static func status(_ code: PatchError.Code) -> ExitStatus {
        switch code {
        case .package(let code): status(code)
        case .invalid: .invalidPackage
        case .misfit: .missing
        case .unsuitable: .usage
        case .cancelled: .interrupted
        }
    }

    private static func status(_ code: SearchError.Code) -> ExitStatus {
        switch code {
        case .inputOutput, .unusable, .tooSlow: .inputOutput
        case .cache: .badCache
        case .cancelled: .interrupted
        }
    }

    private static func status(_ code: DeliveryError.Code) -> ExitStatus {
        switch code {
        case .badURL: .usage
        case .refusedRedirect, .status, .connection, .timeout, .protocolViolation, .tooLarge: .undelivered
        case .digest: .invalidPackage
        case .busy: .busy
        case .inputOutput: .inputOutput
        case .cancelled: .interrupted
        }
    }

    private static func status(_ code: AuthorityError.Code) -> ExitStatus {
        switch code {
        case .badHost, .badName, .notPermitted: .usage
        case .missing, .exists, .inputOutput, .exposed, .malformed, .mismatched, .notAuthority, .expired, .unsigned:
            .inputOutput
        }
    }

    private static func status(_ code: PackagingError.Code) -> ExitStatus {
        switch code {
        case .inputOutput, .changed, .olderPackage, .sharedFolder: .inputOutput
        case .badOption, .otherCrawl: .usage
        case .nothing: .nothingToPack
        }
    }
}

extension CacheErrorCode {
    fileprivate var verb: String {
        switch self {
        case .package, .olderPackage: "load"
        default: "use"
        }
    }
}

/// Ends the program; a type that has an `exit` of its own can still call this one.
func systemExit(_ status: Int32) -> Never { exit(status) }

/// The program's exit codes; a test compares them with docs/reference/exit-codes.md.
enum ExitStatus: Int32, CaseIterable {
    case done = 0
    case findings = 1
    case stale = 2
    case missing = 3
    case refused = 4
    case incomplete = 5
    case nothingToPack = 6
    case invalidPackage = 10
    case inputOutput = 11
    case badCache = 12
    case busy = 13
    case full = 14
    case untrusted = 15
    case locked = 16
    case undelivered = 17
    case expired = 18
    case usage = 64
    case again = 75
    case hungUp = 129
    case interrupted = 130
    case terminated = 143

    var code: ExitCode { ExitCode(rawValue) }

    /// The meaning, for the manual page.
    var meaning: String {
        switch self {
        case .done:
            """
            Done. get: the response is fresh, or doesn't say how long it stays fresh. lint: no finding as severe as \
            --fail-on.
            """
        case .findings:
            """
            lint: a finding at least as severe as --fail-on, or too many warnings. cache verify, cache repair: \
            damage was found. diff: something differs. try: something is missing, so the package doesn't work offline. \
            serve --probe: the server isn't healthy.
            """
        case .stale: "get: the body was written, but the response has expired."
        case .missing:
            """
            get: nothing is stored for the URL. cache: there is no such package, or no previous version of it. load: the \
            patch needs bodies that the cache doesn't hold; nothing was changed.
            """
        case .refused: "get: the response was refused because it has expired or isn't known to be fresh."
        case .incomplete:
            """
            pack: the package was written, but something failed that --fail-on names, or --try found something missing. \
            record, repack: something is left out. replay: the package lacks something. import: a file is damaged. load, sync: some packages failed and stayed as \
            they were. batch: some sites failed. crawl: some shards were set aside, or publish came before the end.
            """
        case .nothingToPack:
            "pack, record, import, repack, crawl: nothing could be fetched or found, so no package was written."
        case .invalidPackage: "The package is invalid; nothing was changed."
        case .inputOutput:
            """
            A file, folder, address or the authority can't be used, and nothing was changed; or standard \
            output can't be written.
            """
        case .badCache: "There is no cache, or it is damaged, or a newer version of the program wrote it."
        case .busy: "Another process is writing to the cache, and --wait ended; nothing was changed."
        case .full: "The cache's limits leave no room next to the pinned packages; nothing was changed."
        case .untrusted:
            """
            The package isn't signed as --require-signature demands, its signature is invalid, or it is signed and \
            older than the loaded one; or the channel is refused. Nothing was changed.
            """
        case .locked: "The package is encrypted, and its password is missing or wrong; nothing was changed."
        case .undelivered:
            """
            load, cache repair: the package can't be downloaded completely; a partial download is kept if it can be \
            resumed.
            """
        case .expired: "sync, channel show: the channel has expired; what is loaded is served."
        case .usage: "Invalid arguments, sync file or configuration."
        case .again: "batch, crawl: stopped by SIGTERM; the same command resumes."
        case .hungUp: "pack: stopped by SIGHUP, since its terminal was closed; what was fetched is kept."
        case .interrupted: "Interrupted by Ctrl-C or SIGINT; nothing was changed. pack: what was fetched is kept."
        case .terminated: "pack: stopped by SIGTERM; what was fetched is kept."
        }
    }
}

/// An error about something that a line of a file names.
struct PlacedFailure: Error {
    /// The beginning of the sentence, as `sync.yaml:5: `.
    let place: String
    /// The error.
    let cause: any Error
}

/// An error with a subject and a sentence.
protocol SubjectError: Error {
    /// The file, folder, host, address, URL or option.
    var subject: String { get }
    /// The sentence without a remedy.
    var message: String { get }
}

extension CodedError: SubjectError {}
