import AFCAuthority
import AFCBrowser
import AFCCache
import AFCChannel
import AFCCrawlRules
import AFCDelivery
import AFCDelta
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
    /// Ends the program.
    static func exit(with error: any Error) -> Never {
        Console.flush()
        Console.endProgress()
        if let (message, status) = describe(error) {
            Console.complain("error: \(message)\(advice(for: error))")
            systemExit(status.rawValue)
        }
        // Help, version, wrong arguments, and exit codes that a command chose are the argument parser's.
        let code = AFCacheCommand.exitCode(for: error)
        if code == .success {
            Console.print(AFCacheCommand.fullMessage(for: error))
            Console.flush()
        } else if code == ExitStatus.usage.code {
            Console.complain(
                "error: " + UsageFailure.sentence(error, arguments: Array(CommandLine.arguments.dropFirst()))
            )
        } else if !(error is ExitCode) {
            Console.complain("error: \(PrintableText.escaped(AFCacheCommand.message(for: error)))")
            systemExit(ExitStatus.inputOutput.rawValue)
        }
        systemExit(code.rawValue)
    }

    /// Returns the end of a sentence about a file of another kind than the command takes; empty for everything else.
    private static func advice(for error: any Error) -> String {
        let subject = (error as? PackageError)?.subject ?? (error as? CacheError)?.subject
        let arguments = CommandLine.arguments
        guard let subject else { return "" }
        guard let place = arguments.lastIndex(of: subject), place > 0 else { return "" }
        var archive = (error as? PackageError)?.code
        if case .package(let code) = (error as? CacheError)?.code { archive = code }
        switch archive {
        case .invalidArchive, .invalidPackage:
            if ArchiveImport.recognizes(subject) { return "; 'afcache import' makes a package of it" }
        default: break
        }
        if case .invalidArchive(rule: "zip.not-a-zip") = archive, Path.isZip(subject) {
            return "; it begins as a zip, so its end is missing: get it again"
        }
        if let error = error as? PackageError {
            if error.code == .inputOutput, subject.contains("://") {
                return "; this command reads files: download it first, or load it with 'afcache load'"
            }
        }
        guard arguments[place - 1] == "--cache" else {
            return Path.isCache(subject) ? "; it is a cache, which '--cache' names" : ""
        }
        guard Path.isZip(subject) else { return "" }
        switch arguments[1] {
        case "get": return "; it is a package, which '--package' names"
        case "ls", "serve", "export", "try", "info": return "; it is a package: name it without '--cache'"
        default: return "; it is a package, which 'afcache load' takes into a cache"
        }
    }

    /// Returns the sentence and the exit code of an error, or nil for an error of ArgumentParser.
    static func describe(_ error: any Error) -> (String, ExitStatus)? {
        switch error {
        case let error as PackageError: (sentence("use", error), status(error.code))
        case let error as CacheError: (sentence(error.code.verb, error), status(error.code))
        case let error as ChannelError: (sentence("use", error), status(error.code))
        case let error as PackagingError: (sentence(error), status(error.code))
        case let error as ImportError: (sentence("import", error), status(error.code))
        case let error as DeliveryError: (sentence("download", error), status(error.code))
        case let error as PushFailure: (sentence("push", error.error), status(error.error.code))
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

    private static func sentence<Kind>(_ verb: String, _ error: CodedError<Kind>) -> String {
        let subject = PrintableText.quoted(error.subject)
        // Errors of files say "cannot open" and the path themselves.
        guard !error.sentence.hasPrefix("cannot ") || !error.sentence.contains(subject) else { return error.sentence }
        return "cannot \(verb) \(subject): \(error.sentence)"
    }

    private static func sentence(_ error: PackagingError) -> String {
        if let option = Remedy.option(of: error.subject) { return "'\(option)': \(error.sentence)" }
        if error.subject.hasPrefix("AFCACHE_") { return "\(error.subject): \(error.sentence)" }
        return sentence("pack", error)
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
        case .malformed, .tooLarge, .package: .invalidPackage
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
        case .inputOutput, .changed, .olderPackage: .inputOutput
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
            record, repack: something is left out. import: a file is damaged. load, sync: some packages failed and stayed as \
            they were.
            """
        case .nothingToPack:
            "pack, record, import, repack: nothing could be fetched or found, so no package was written."
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
        case .hungUp: "pack: stopped by SIGHUP, since its terminal was closed; what was fetched is kept."
        case .interrupted: "Interrupted by Ctrl-C or SIGINT; nothing was changed. pack: what was fetched is kept."
        case .terminated: "pack: stopped by SIGTERM; what was fetched is kept."
        }
    }
}
