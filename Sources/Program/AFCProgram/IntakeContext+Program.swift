import AFCCache
import AFCDelivery
import AFCFiles
import AFCPlatform
import AFCProvisioning
import AFCText
import AFCURL

extension IntakeContext {
    /// Creates the context of a command: its servers, its password, and the words for the terminal.
    init(_ servers: ServerTrust, password: TrustOptions, patience: WriterPatience) {
        self.init(userAgent: "afcache/\(AFCacheCommand.version)") { Clock.now }
        self.servers = servers
        variable = { name in getenv(name).map { String(cString: $0) } }
        logins = { reference in try await RegistryLogins.ofUser(for: reference) }
        unlocking = { package, work in try await password.unlocking(package, work) }
        afterLoading = { name, store in try await SearchIndexOutput.makeIfWanted(name, in: store, patience) }
        onEvent = { $0.show() }
    }
}

extension PackageDownload.Options {
    /// Creates the settings of a command's requests.
    ///
    /// - Parameter subject: What is requested.
    /// - Returns: The settings.
    static func ofProgram(for subject: String) -> PackageDownload.Options {
        var options = PackageDownload.Options(userAgent: "afcache/\(AFCacheCommand.version)", now: Clock.now)
        options.onRetry = { reason, pause in IntakeEvent.retry(subject, reason, pause) }
        return options
    }
}

extension IntakeEvent {
    /// Says that a request failed and is sent again, since a command would seem to hang otherwise.
    fileprivate static func retry(_ subject: String, _ reason: String, _ pause: Duration) {
        Console.note(
            "note: \(PrintableText.escaped(subject)): \(PrintableText.escaped(reason)); trying again in "
                + "\(max(1, pause.components.seconds)) s"
        )
    }

    /// Shows the event on standard error.
    fileprivate func show() {
        switch self {
        case .reading(let path): Console.detail("reading \(PrintableText.quoted(path))")
        case .asking(let reference): Console.detail("asking for \(reference)")
        case .downloading(let url, let isUpdate):
            Console.detail("\(isUpdate ? "revalidating" : "downloading") \(url.shown)")
            Console.progress("\(url.shown): waiting for the server")
        case .waiting(let from):
            Console.note("waiting for another process that downloads \(PrintableText.quoted(from))")
        case .retrying(let from, let reason, let pause): Self.retry(from, reason, pause)
        case .received(let url, let count, let total):
            let all = total.map { " of \(Quantity.bytes($0))" } ?? ""
            Console.progress("\(url.shown): \(Quantity.bytes(count))\(all)")
        case .ended: Console.endProgress()
        case .lacking(let bodies): Console.detail("\(bodies) bodies are loaded already")
        case .wholePackageNeeded(let reason):
            Console.detail("downloading the whole package, since without what is loaded it is unusable: \(reason)")
        case .patching(let from): Console.detail("applying the patch \(PrintableText.quoted(from))")
        case .damaged(let package, let path, let reason):
            Console.complain(
                "warning: the package \(PrintableText.quoted(package)) is damaged, so it is loaded again: "
                    + "\(PrintableText.quoted(path)): \(reason)"
            )
        case .nextPlace(let error):
            Console.complain("warning: \(Failure.describe(error)?.0 ?? "\(error)"); trying the next place")
        }
    }
}
