import AFCPlatform
internal import AFCText
public import Logging
internal import NIOCore
internal import NIOPosix
public import ServiceLifecycle
internal import UnixSignals

/// An HTTP server around something that answers, such as a store; see docs/serve.md.
///
/// As a service it drains when its group shuts down gracefully; ``run(responder:configuration:logger:onReady:)`` is for
/// programs that have no group.
public struct OfflineServer: Service {
    private let responder: any Responding
    private let configuration: Configuration
    private let logger: Logger
    private let onReady: @Sendable (Address) async -> Void

    /// Creates a server around anything that answers, which doesn't listen yet.
    ///
    /// - Parameters:
    ///   - responder: Who answers.
    ///   - configuration: How it runs.
    ///   - logger: Told of what goes wrong; it should write to stderr.
    ///   - onReady: Called once, when the server listens, with the real address.
    public init(
        responder: any Responding,
        configuration: Configuration,
        logger: Logger,
        onReady: @escaping @Sendable (Address) async -> Void
    ) {
        self.responder = responder
        self.configuration = configuration
        self.logger = logger
        self.onReady = onReady
    }

    /// Listens and answers until the service's group shuts down gracefully, or the task is cancelled.
    ///
    /// - Throws: ``ServerError`` where it can't listen.
    public func run() async throws {
        let asked = Address(host: configuration.host, port: configuration.port)
        let listener: Listener
        do {
            listener = try await Listener(responder, configuration: configuration, logger: logger)
        } catch let error as IOError {
            throw ServerError(error, address: asked)
        } catch let error as SocketAddressError {
            throw ServerError(.cannotListen, subject: asked.description, message: "it is no address: \(error)")
        }
        let local = listener.localAddress
        let port = local?.port.flatMap { UInt16(exactly: $0) } ?? asked.port
        await onReady(Address(host: local?.ipAddress ?? asked.host, port: port))
        await withTaskCancellationHandler {
            await withGracefulShutdownHandler {
                await listener.waitUntilEnded()
            } onGracefulShutdown: {
                listener.stop(atOnce: false)
            }
        } onCancel: {
            listener.stop(atOnce: true)
        }
    }

    /// Runs a server until SIGTERM or SIGINT.
    ///
    /// The first signal lets answers on their way end, for ``Configuration/drainSeconds`` at most; a second one doesn't.
    /// Returns after either. Prints nothing.
    ///
    /// - Parameters:
    ///   - responder: Who answers.
    ///   - configuration: How the server runs.
    ///   - logger: Told of what goes wrong; nil for one that writes warnings to stderr.
    ///   - onReady: Called once, when the server listens, with the real address; signals are heeded from then on.
    /// - Throws: ``ServerError`` where it can't listen.
    public static func run(
        responder: any Responding,
        configuration: Configuration,
        logger: Logger? = nil,
        onReady: @escaping @Sendable (Address) async -> Void
    ) async throws {
        let signals = await UnixSignalsSequence(trapping: [.sigterm, .sigint])
        var quiet = Logger(label: "afcache.serve")
        quiet.logLevel = .warning
        let logger = logger ?? quiet
        let server = OfflineServer(responder: responder, configuration: configuration, logger: logger, onReady: onReady)
        var groupConfiguration = ServiceGroupConfiguration(
            services: [.init(service: server, successTerminationBehavior: .gracefullyShutdownGroup)],
            logger: logger
        )
        groupConfiguration.maximumGracefulShutdownDuration = .seconds(configuration.drainSeconds)
        let group = ServiceGroup(configuration: groupConfiguration)
        try await withThrowingTaskGroup(of: Ending.self) { tasks in
            tasks.addTask {
                try await group.run()
                return .finished
            }
            tasks.addTask {
                var count = 0
                for await _ in signals {
                    count += 1
                    if count > 1 { return .quit }
                    await group.triggerGracefulShutdown()
                }
                return .silent
            }
            while let ending = try await tasks.next() {
                switch ending {
                case .finished, .quit:
                    tasks.cancelAll()
                    return
                case .silent: break
                }
            }
        }
    }

    private enum Ending {
        case finished
        case quit
        case silent
    }
}

extension ServerError {
    /// What the system said when binding.
    init(_ error: IOError, address: OfflineServer.Address) {
        let subject = address.description
        switch error.errnoCode {
        case EADDRINUSE:
            self.init(.addressInUse, subject: subject, message: "another program listens there", remedy: .choosePort)
        case EACCES:
            let message = "the system reserves ports below 1024"
            self.init(.cannotListen, subject: subject, message: message, remedy: .choosePort)
        case EADDRNOTAVAIL:
            let message = "this machine doesn't have this address"
            self.init(.cannotListen, subject: subject, message: message, remedy: .chooseHost)
        default: self.init(.cannotListen, subject: subject, message: String(cString: strerror(error.errnoCode)))
        }
    }
}
