import ArgumentParser

/// The program's exit codes; docs/exit-codes.md says them to users.
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
