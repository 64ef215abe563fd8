internal import HTTPTypes
internal import NIOCore
internal import NIOHTTP1

extension HTTP1Connection {
    func read(_ head: HTTPRequestHead) {
        guard fate == .open, !isMalformed else { return }
        isAtBoundary = false
        var head = head
        if let method = unknownMethod {
            unknownMethod = nil
            head.method = .RAW(value: method)
        }
        if head.hasUnknownCoding {
            isMalformed = true
            refusal = "501 Not Implemented"
            if current == nil, waiting.isEmpty { refuseMalformed() }
            return
        }
        var pending = Pending(head: head, bytes: bytesOfHead)
        if head.hasBody {
            pending.body = makeBody(of: head)
            incoming = pending.body
            isBodyWanted = false
            awaitsContinue = !head.version.isBefore11 && head.expectsContinue
        }
        if current == nil, waiting.isEmpty, isWritable { begin(pending) } else { waiting.append(pending) }
    }

    func read(_ bytes: ByteBuffer) {
        received &+= bytes.readableBytes
        guard let incoming else { return }
        // A client that doesn't wait for 100 (Continue) any longer doesn't get it.
        awaitsContinue = false
        if !incoming.yield(bytes) { isBodyWanted = false }
    }

    func readEnd() {
        if let incoming {
            incoming.finish()
            self.incoming = nil
        } else if fate == .open, (waiting.last ?? current)?.body == nil {
            isAtBoundary = true
        }
    }

    private func makeBody(of head: HTTPRequestHead) -> IncomingBody {
        let handler = NIOLoopBound(self, eventLoop: state.loop)
        let loop = state.loop
        let length = head.headers["content-length"].first.flatMap { Int64($0) }
        return IncomingBody(
            length: head.headers.contains(name: "transfer-encoding") ? nil : length,
            onDemand: { loop.execute { handler.value.wantBody() } },
            onEnd: {}
        )
    }

    private func wantBody() {
        guard fate == .open, incoming != nil else { return }
        isBodyWanted = true
        // RFC 9110 §10.1.1: not after a final answer, and only for the request whose turn it is.
        if awaitsContinue, waiting.isEmpty, exchange?.isAnswered == false {
            awaitsContinue = false
            var buffer = ByteBuffer()
            buffer.writeStaticString("HTTP/1.1 100 Continue\r\n\r\n")
            write(buffer)
            flushIfNeeded()
        }
        readOn()
    }

    /// A request's turn has come.
    private func begin(_ pending: Pending) {
        current = pending
        if let hot = hotAnswer(to: pending) {
            let isLogged = service.onAnswer != nil
            sendAgain(hot, record: isLogged ? AccessRecord(pending.head, hot: hot) : nil)
            current = nil
            return scheduleNext()
        }
        let request = ServerRequest(pending.head, body: pending.body?.body ?? RequestBody(), connection: connection)
        let exchange = Exchange(request, service: service, loop: state.loop, sink: self) { [weak self] exchange in
            self?.exchangeEnded(exchange)
        }
        self.exchange = exchange
        exchange.start()
    }

    private func exchangeEnded(_ exchange: Exchange) {
        guard self.exchange === exchange else { return }
        service.report(exchange, state: state)
        self.exchange = nil
        current = nil
        answered += 1
        guard fate == .open else { return }
        guard exchange.isComplete else { return cut() }
        if openEnd == .sending { openEnd = .sent }
        if closesAfterCurrent { finish() } else { scheduleNext() }
    }

    /// Not from within the end of the exchange before, or a thousand requests at once would nest as deep.
    func scheduleNext() {
        guard !waiting.isEmpty || isMalformed || isInputClosed || isQuiescing else { return readOn() }
        let handler = NIOLoopBound(self, eventLoop: state.loop)
        state.loop.execute { handler.value.next() }
    }

    private func next() {
        guard fate == .open, current == nil, isWritable || waiting.isEmpty else { return }
        if let pending = waiting.popFirst() {
            begin(pending)
            flushIfNeeded()
        } else if isMalformed {
            refuseMalformed()
        } else if isInputClosed || isQuiescing {
            finish()
        } else {
            readOn()
        }
    }

    /// What came is no HTTP, so that nothing of the connection can be understood from here on.
    func refuseMalformed() {
        guard fate == .open else { return }
        var buffer = ByteBuffer()
        buffer.writeStaticString("HTTP/1.1 ")
        buffer.writeStaticString(refusal)
        buffer.writeStaticString("\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        write(buffer)
        finish()
        service.reportMalformed(connection, state: state)
    }
}

extension ServerRequest {
    /// A request of HTTP/1.
    init(_ head: HTTPRequestHead, body: RequestBody, connection: ConnectionContext) {
        var fields = HTTPFields()
        for (name, value) in head.headers {
            guard let name = HTTPField.Name(name), name.canonicalName != "host" else { continue }
            fields.append(HTTPField(name: name, value: value))
        }
        self.init(
            // NIO writes this one without its hyphen.
            method: head.methodName,
            target: head.uri,
            hosts: head.headers["host"],
            fields: fields,
            version: !head.version.isBefore11 ? .http11 : .http10,
            server: connection.server,
            body: body
        )
        isSecure = connection.isSecure
        serverName = connection.serverName
        tunnelled = connection.tunnelled
        remoteAddress = connection.remoteAddress
    }
}

extension HTTPRequestHead {
    /// The method as it was sent.
    var methodName: String { method == .MSEARCH ? "M-SEARCH" : method.rawValue }

    /// Whether a body follows (RFC 9112 §6.3).
    var hasBody: Bool {
        method != .CONNECT
            && (headers.contains(name: "transfer-encoding") || headers["content-length"].contains { $0 != "0" })
    }

    /// Whether the body has a coding besides `chunked`, which would be lost on the way, or one in a version that has none (RFC 9112
    /// §6.1).
    var hasUnknownCoding: Bool {
        let codings = headers["transfer-encoding"]
        guard let coding = codings.first else { return false }
        return codings.count > 1 || coding.lowercased() != "chunked" || version.isBefore11
    }

    /// Whether the client waits before it sends the body.
    var expectsContinue: Bool { headers["expect"].contains { $0.lowercased() == "100-continue" } }

    /// Whether the parser stops after this request, because another protocol may follow.
    var mayUpgrade: Bool {
        method == .CONNECT
            || headers.contains(name: "upgrade")
                && headers[canonicalForm: "connection"].contains { $0.lowercased() == "upgrade" }
    }
}

extension HTTPVersion {
    /// Whether persistence has to be said, and Host needn't be.
    var isBefore11: Bool { (major, minor) < (1, 1) }
}
