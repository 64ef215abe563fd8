import AFCPlatform
internal import AFCText
public import Logging
internal import NIOCore
internal import NIOPosix
public import ServiceLifecycle
internal import UnixSignals

/// An HTTP server around a responder, such as one that answers from a cache; see docs/reference/serve.md.
///
/// As a service it drains when its group shuts down gracefully. Programs without a group call
/// ``run(responder:configuration:logger:onReady:)``.
public struct Server: Service {
    private let responder: any Responding
    private let configuration: Configuration
    private let logger: Logger
    private let onReady: @Sendable (Address) async -> Void

    /// Creates a server, which doesn't listen yet.
    ///
    /// - Parameters:
    ///   - responder: The responder that answers requests.
    ///   - configuration: The settings.
    ///   - logger: The logger for errors, which should write to stderr.
    ///   - onReady: A closure called when the server listens, once for each socket, with the actual address.
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

    /// Listens and answers until the service's group shuts down gracefully or the task is cancelled.
    ///
    /// - Throws: ``ServerError`` if it can't listen.
    public func run() async throws {
        let asked = Address(host: configuration.bareHost, port: configuration.port)
        let listener: Listener
        do {
            listener = try await Listener(responder, configuration: configuration, logger: logger)
        } catch let error as IOError {
            throw ServerError(error, address: asked)
        } catch is SocketAddressError.UnknownHost {
            let message = "its host can't be found"
            throw ServerError(.cannotListen, subject: asked.description, message: message, remedy: .chooseAddress)
        } catch let error as SocketAddressError {
            throw ServerError(.cannotListen, subject: asked.description, message: "not a valid address: \(error)")
        }
        for local in listener.localAddresses {
            let port = local?.port.flatMap { UInt16(exactly: $0) } ?? asked.port
            await onReady(Address(host: local?.ipAddress ?? asked.host, port: port))
        }
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

    /// Runs a server until SIGTERM, SIGINT or SIGHUP; the last one is left alone if it is ignored, as with nohup(1).
    ///
    /// On the first signal, the server finishes responses in progress, for at most ``Configuration/drainSeconds``; a
    /// further signal, a second later or more, stops it at once. Returns in both cases. Prints nothing.
    ///
    /// - Parameters:
    ///   - responder: The responder that answers requests.
    ///   - configuration: The settings.
    ///   - logger: The logger for errors; nil for one that writes warnings to stderr.
    ///   - onReady: A closure called when the server listens, once for each socket, with the actual address; signals are
    ///     handled from then on.
    /// - Throws: ``ServerError`` if it can't listen.
    public static func run(
        responder: any Responding,
        configuration: Configuration,
        logger: Logger? = nil,
        onReady: @escaping @Sendable (Address) async -> Void
    ) async throws {
        let hangup: [UnixSignal] = StopSignal.isHangupIgnored ? [] : [.sighup]
        let signals = await UnixSignalsSequence(trapping: [.sigterm, .sigint] + hangup)
        var quiet = Logger(label: "afcache.serve")
        quiet.logLevel = .warning
        let logger = logger ?? quiet
        let server = Server(responder: responder, configuration: configuration, logger: logger, onReady: onReady)
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
                var first: ContinuousClock.Instant?
                for await _ in signals {
                    if let first {
                        if .now - first >= .seconds(StopSignal.sameSeconds) { return .quit }
                        continue
                    }
                    first = .now
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

    /// Runs a server until the task is cancelled; it then stops at once.
    ///
    /// Logs warnings to stderr, and handles no signals.
    ///
    /// - Parameters:
    ///   - responder: The responder that answers requests.
    ///   - configuration: The settings.
    ///   - onReady: A closure called when the server listens, once for each socket, with the actual address.
    /// - Throws: ``ServerError`` if it can't listen.
    package static func runUntilCancelled(
        responder: any Responding,
        configuration: Configuration,
        onReady: @escaping @Sendable (Address) async -> Void
    ) async throws {
        var quiet = Logger(label: "afcache.serve")
        quiet.logLevel = .warning
        try await Server(
            responder: responder,
            configuration: configuration,
            logger: quiet,
            onReady: onReady
        ).run()
    }

    private enum Ending {
        case finished
        case quit
        case silent
    }
}

extension ServerError {
    /// Creates the error for a failed bind.
    init(_ error: IOError, address: Server.Address, remedy: Remedy = .choosePort) {
        let subject = address.description
        switch error.errnoCode {
        case EADDRINUSE:
            self.init(.addressInUse, subject: subject, message: "another program is using it", remedy: remedy)
        case EACCES:
            let message = "the system reserves ports below 1024"
            self.init(.cannotListen, subject: subject, message: message, remedy: remedy)
        case EADDRNOTAVAIL:
            let message = "this machine has no such address"
            self.init(.cannotListen, subject: subject, message: message, remedy: .chooseAddress)
        default: self.init(.cannotListen, subject: subject, message: String(cString: strerror(error.errnoCode)))
        }
    }
}
