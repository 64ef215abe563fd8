import AFCAuthority
import AFCCache
import AFCCrawlRules
import AFCDelivery
import AFCLinter
import AFCPackageFile
import AFCPackageFormat
import AFCPlatform
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
            Console.complain("error: \(message)")
            systemExit(status.rawValue)
        }
        // Help, version, wrong arguments, and exit codes that a command chose are the argument parser's.
        let code = AFCache.exitCode(for: error)
        if code == .success {
            Console.print(AFCache.fullMessage(for: error))
            Console.flush()
        } else if code == ExitStatus.usage.code {
            Console.complain(
                "error: " + UsageFailure.sentence(error, arguments: Array(CommandLine.arguments.dropFirst()))
            )
        } else if !(error is ExitCode) {
            Console.complain("error: \(PrintableText.escaped(AFCache.message(for: error)))")
            systemExit(ExitStatus.inputOutput.rawValue)
        }
        systemExit(code.rawValue)
    }

    /// Returns the sentence and the exit code of an error, or nil for an error of ArgumentParser.
    static func describe(_ error: any Error) -> (String, ExitStatus)? {
        switch error {
        case let error as PackageError: (sentence("use", error), status(error.code))
        case let error as CacheError: (sentence(error.code.verb, error), status(error.code))
        case let error as PackagingError: ("cannot pack \(error.subjectAndMessage)", status(error.code))
        case let error as DeliveryError: (sentence("download", error), status(error.code))
        case let error as FixRefusal: ("cannot fix \(error)", .inputOutput)
        case let error as AuthorityError: (sentence("use", error), status(error.code))
        case let error as ServerError:
            (error.code.sentence(about: error.subject, error.sentence), .inputOutput)
        case is CancellationError: ("interrupted; nothing was changed", .interrupted)
        case let error as Stopped:
            ("interrupted; nothing was changed", error.signal == SIGTERM ? .terminated : .interrupted)
        default: nil
        }
    }

    private static func sentence<Kind>(_ verb: String, _ error: CodedError<Kind>) -> String {
        "cannot \(verb) \(PrintableText.quoted(error.subject)): \(error.sentence)"
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
        case .noCache, .newerCache, .damaged: .badStore
        case .inputOutput: .inputOutput
        case .busy: .busy
        case .noPackage, .noPrevious: .missing
        case .badName, .badPath: .usage
        case .full: .full
        case .package(let code): status(code)
        case .cancelled: .interrupted
        }
    }

    private static func status(_ code: DeliveryError.Code) -> ExitStatus {
        switch code {
        case .badURL: .usage
        case .refusedRedirect, .status, .connection, .protocolViolation, .tooLarge: .undelivered
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
    fileprivate var verb: String { if case .package = self { "load" } else { "use" } }
}

extension PackagingError {
    fileprivate var subjectAndMessage: String { "\(PrintableText.quoted(Remedy.option(of: subject))): \(sentence)" }
}

/// Ends the program; a type that has an `exit` of its own can still call this one.
func systemExit(_ status: Int32) -> Never { exit(status) }

/// The program's exit codes, which docs/exit-codes.md lists.
enum ExitStatus: Int32 {
    case findings = 1
    case stale = 2
    case missing = 3
    case refused = 4
    case incomplete = 5
    case nothingToPack = 6
    case invalidPackage = 10
    case inputOutput = 11
    case badStore = 12
    case busy = 13
    case full = 14
    case untrusted = 15
    case locked = 16
    case undelivered = 17
    case usage = 64
    case interrupted = 130
    case terminated = 143

    var code: ExitCode { ExitCode(rawValue) }
}
