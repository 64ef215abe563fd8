internal import AFCBlocking
internal import AFCCache
import AFCFiles
import AFCPlatform
internal import AFCText
internal import Synchronization

/// The transport over standard input and output: one message a line (specification, Transports, stdio).
package struct StandardStreams: Sendable {
    /// The limits of one client.
    enum Limits {
        /// The bytes of a message.
        static let line = 4 << 20
        /// The requests that are worked on at the same time.
        static let requests = 8
        /// The messages that wait for that, and their bytes; the next one is read once there is room.
        static let waiting = 256
        static let waitingBytes = 8 << 20
    }

    private let server: ContextServer
    private let input: Int32
    private let output: Int32

    /// Creates the transport.
    ///
    /// - Parameters:
    ///   - server: Answers the requests.
    ///   - input: The descriptor of the client's messages.
    ///   - output: The descriptor of the answers.
    package init(_ server: ContextServer, input: Int32 = STDIN_FILENO, output: Int32 = STDOUT_FILENO) {
        var server = server
        server.notifies = true
        (self.server, self.input, self.output) = (server, input, output)
    }

    /// The requests that are being worked on.
    private final class Work: Sendable {
        private let flags = Mutex<[MessageID: CancellationFlag]>([:])
        private let ready = Atomic(false)

        /// True if the client has confirmed that it is ready.
        var isReady: Bool {
            get { ready.load(ordering: .relaxed) }
            set { ready.store(newValue, ordering: .relaxed) }
        }

        /// Begins with a request; nil if its identifier is in use.
        func begin(_ id: MessageID) -> CancellationFlag? {
            flags.withLock { flags in
                guard flags[id] == nil else { return nil }
                let flag = CancellationFlag()
                flags[id] = flag
                return flag
            }
        }

        func end(_ id: MessageID) { flags.withLock { _ = $0.removeValue(forKey: id) } }

        func cancel(_ id: MessageID) { flags.withLock { $0[id] }?.cancel() }

        func cancelAll() { flags.withLock { Array($0.values) }.forEach { $0.cancel() } }
    }

    /// Answers until the input ends, nobody reads the output any more, or the task is cancelled.
    ///
    /// At the end of the input, the requests that were read are still answered.
    package func run() async {
        // A client that went away is noticed by the failed write.
        signal(SIGPIPE, SIG_IGN)
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return }
        let (stop, waker) = (ends[0], ends[1])
        let writer = LineWriter(output, stop: stop) { _ = write(waker, "x", 1) }
        let work = Work()
        await withTaskCancellationHandler {
            await serve(LineReader(input, stop: stop, limit: Limits.line), writer, work)
        } onCancel: {
            work.cancelAll()
            _ = write(waker, "x", 1)
        }
        close(stop)
        close(waker)
    }

    /// Reads messages in their order, and works on several requests at the same time.
    private func serve(_ reader: LineReader, _ writer: LineWriter, _ work: Work) async {
        let room = WaitingRoom(Limits.requests)
        await withTaskGroup(of: Int.self) { tasks in
            tasks.addTask {
                await notify(writer, work)
                return 0
            }
            var (reader, session, taken, bytes) = (reader, Session(), 0, 0)
            while !Task.isCancelled, !writer.isBroken {
                let old = reader
                let (line, next) = await OffPool.run { () -> (LineReader.Line, LineReader) in
                    var reader = old
                    let line = reader.next()
                    return (line, reader)
                }
                reader = next
                guard line != .end else { break }
                let jobs = Self.jobs(line, &session, work)
                work.isReady = session.phase == .ready
                guard !jobs.isEmpty else { continue }
                let size = line.size
                (taken, bytes) = (taken + 1, bytes + size)
                // Cancellations are read, too, so a message is taken before there is room to work on it.
                tasks.addTask {
                    await room.enter()
                    await carryOut(jobs, writer, work)
                    room.leave()
                    return size
                }
                while taken >= Limits.waiting || bytes > Limits.waitingBytes, let size = await tasks.next() {
                    (taken, bytes) = (taken - 1, bytes - size)
                }
            }
            // Only the watch for changes heeds this: requests that were read are answered.
            tasks.cancelAll()
        }
    }

    /// What is to be answered of what was sent at once.
    private struct Jobs: Sendable {
        /// An answer.
        enum Job: Sendable {
            case error(MessageError)
            case request(Message.Request, ProtocolVersion, CancellationFlag)
        }

        var jobs: [Job] = []
        var isBatch = false
        var isEmpty: Bool { jobs.isEmpty }

        mutating func add(_ message: Result<Message, MessageError>, _ session: inout Session, _ work: Work) {
            let step: Session.Step =
                switch message {
                case .success(let message): session.take(message)
                case .failure(let error): .refuse(error)
                }
            switch step {
            case .nothing: break
            // At once: the request may wait for room.
            case .cancel(let id): work.cancel(id)
            case .refuse(let error): jobs.append(.error(error))
            case .work(let request, let version):
                if let flag = work.begin(request.id) {
                    jobs.append(.request(request, version, flag))
                } else {
                    let words = "a request with this id is being answered"
                    jobs.append(.error(MessageError(.invalidRequest, words, id: request.id)))
                }
            }
        }
    }

    private static func jobs(_ line: LineReader.Line, _ session: inout Session, _ work: Work) -> Jobs {
        var jobs = Jobs()
        func refuse(_ words: String) { jobs.jobs.append(.error(MessageError(.invalidRequest, words))) }
        switch line {
        case .end: break
        case .tooLong: refuse("the message has more than \(Limits.line) bytes")
        // A line end of another system, and a line that only keeps the connection alive.
        case .bytes(let bytes) where bytes.allSatisfy { $0 <= 0x20 }: break
        case .bytes(let bytes):
            switch Message.parcel(bytes) {
            case .one(let message): jobs.add(message, &session, work)
            case .batch where !session.version.allowsBatches || session.phase == .new:
                refuse("this revision of the protocol has no batches")
            case .batch(let messages):
                jobs.isBatch = true
                for message in messages { jobs.add(message, &session, work) }
            }
        }
        return jobs
    }

    private func carryOut(_ jobs: Jobs, _ writer: LineWriter, _ work: Work) async {
        let server = server
        await OffPool.run {
            var answers: [JSONValue] = []
            for job in jobs.jobs {
                switch job {
                case .error(let error): answers.append(error.json)
                case .request(let request, _, let flag) where flag.isCancelled: work.end(request.id)
                case .request(let request, let version, let flag):
                    let result = server.answer(request, by: version) { flag.isCancelled }
                    work.end(request.id)
                    // Nobody waits for the answer to a cancelled request.
                    if !flag.isCancelled { answers.append(Message.answer(request.id, result)) }
                }
            }
            guard !answers.isEmpty else { return }
            if jobs.isBatch { writer.write(.array(answers)) } else { answers.forEach(writer.write) }
        }
    }

    /// Notifies the client after each change of the packages.
    private func notify(_ writer: LineWriter, _ work: Work) async {
        let store = server.sites.store
        let mark = { @Sendable () throws(CacheError) in try store.changeMark() }
        var last = try? await OffPool.run(mark)
        while !Task.isCancelled {
            guard (try? await Task.sleep(for: .seconds(2))) != nil else { return }
            guard let mark = try? await OffPool.run(mark), mark != last else { continue }
            last = mark
            if work.isReady { writer.write(Message.notification("notifications/resources/list_changed")) }
        }
    }
}

/// Writes messages, each in one line; safe to use from any thread.
private final class LineWriter: Sendable {
    private let descriptor: Int32
    private let stop: Int32
    private let onBreak: @Sendable () -> Void
    private let broken = Mutex(false)

    init(_ descriptor: Int32, stop: Int32, onBreak: @escaping @Sendable () -> Void) {
        (self.descriptor, self.stop, self.onBreak) = (descriptor, stop, onBreak)
    }

    /// True if nobody reads any more.
    var isBroken: Bool { broken.withLock { $0 } }

    func write(_ message: JSONValue) {
        var bytes: [UInt8] = []
        message.write(to: &bytes)
        bytes.append(UInt8(ascii: "\n"))
        let isNew = broken.withLock { broken in
            guard !broken else { return false }
            broken = !bytes.withUnsafeBytes { Descriptor.append($0, to: descriptor, until: stop) }
            return broken
        }
        if isNew { onBreak() }
    }
}
