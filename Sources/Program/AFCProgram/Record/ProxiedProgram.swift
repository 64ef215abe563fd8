import AFCAuthority
import AFCCrawlRules
import AFCFiles
import AFCProcess
import AFCServer
import AFCText
import ArgumentParser

/// A program that runs with the settings of a proxy, which answers https with certificates of an authority.
struct ProxiedProgram {
    /// The program's name or path, and its arguments.
    let words: [String]
    /// True if the program reaches nothing but the proxy.
    let isIsolated: Bool
    /// The authority.
    let authority: CertificateAuthority
    private let certificates: ServeCertificates

    init(_ call: ProgramArgument, authority: CertificateAuthority) {
        words = call.program
        isIsolated = call.isolate
        self.authority = authority
        certificates = ServeCertificates(authority: authority)
    }

    /// The settings of the proxy's server: nothing is kept in memory.
    static var configuration: Server.Configuration {
        var configuration = Server.Configuration(now: { Clock.now })
        configuration.memoryBytes = 0
        return configuration
    }

    /// Returns the proxy whose requests a responder answers.
    func proxy(_ responder: some LookingUp) -> ProxyResponder {
        ProxyResponder(.offline, connecting: .answer(certificates), other: responder, now: { Clock.now })
    }

    /// Runs the program to its end.
    ///
    /// - Parameters:
    ///   - responder: The responder that answers its requests.
    ///   - isOffline: True if nothing may bypass the proxy.
    /// - Returns: The exit code; 128 and the number of the signal that ended it.
    /// - Throws: ``PackagingError`` if it can't be started, ``ServerError`` if there can be no proxy.
    func run(behind responder: some LookingUp, isOffline: Bool = false) async throws -> Int32 {
        let network = isIsolated ? try Self.network() : nil
        var configuration = Self.configuration
        if let network { configuration.sockets = [network.socket] }
        return try await ChildProgram.serve(proxy(responder), configuration) { address in
            let folder = try TemporaryFolder(for: "afcache-record", in: OutputTarget.temporaryFolder)
            defer { folder.remove() }
            var settings = ProxySettings(
                address: address.description,
                folder: folder.path,
                keyFingerprint: certificates.certificates.keyFingerprint
            )
            settings.isOffline = isOffline
            try settings.writeFiles(pem: authority.certificate.pem, der: authority.certificate.der)
            do {
                return try await ChildProgram.run(
                    settings.commandLine(words),
                    environment: settings.environment(of: ProcessEnvironment.variables),
                    in: network
                )
            } catch let error as FileError {
                throw PackagingError(.inputOutput, subject: error.path, message: error.message)
            }
        }
    }

    private static func network() throws -> IsolatedNetwork {
        do throws(FileError) {
            return try IsolatedNetwork()
        } catch {
            throw PackagingError(
                .inputOutput,
                subject: "--isolate",
                message: "\(error); run it as root, or where users may make user namespaces, or remove '--isolate'"
            )
        }
    }
}

/// The argument for the program that a command runs.
struct ProgramArgument: ParsableArguments {
    @Argument(
        parsing: .postTerminator,
        help: ArgumentHelp("The program to run, after '--', and its arguments.", valueName: "program")
    )
    var program: [String] = []

    @Flag(
        help: """
            Run the program in a network of its own, in which it reaches nothing but the proxy. Needs Linux, and the right \
            to make user namespaces.
            """
    )
    var isolate = false
}
