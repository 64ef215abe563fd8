internal import HTTPTypes
internal import Logging
internal import NIOCore
internal import NIOPosix

extension Exchange {
    func deliver(_ answer: ServerAnswer) {
        guard phase == .asking else { return }
        if let handover = answer.handover {
            self.answer = answer
            phase = .finished
            isComplete = true
            sink?.handOver(answer, to: handover)
            onEnd(self)
            return
        }
        switch answer.body {
        case .none: begin(answer, first: nil, rest: nil)
        case .stored where request.isHead: begin(answer, first: nil, rest: nil)
        case .bytes(let bytes): begin(answer, first: bytes, rest: nil)
        case .stored(let stream):
            // The length must be known before the head goes, and reading blocks.
            self.answer = answer
            stored = stream
            readMore()
        case .stream(let stream): beginStream(answer, stream)
        }
    }

    func begin(_ answer: ServerAnswer, first: ByteBuffer?, rest: BodyStream?) {
        phase = .sending
        self.answer = answer
        let isWhole = rest?.isFinished ?? true
        let whole = first.map { Int64($0.readableBytes) }
        let stated = answer.fields[.contentLength].flatMap { Int64($0) }
        let hasBody = !request.isHead && answer.status.mayHaveBody
        sentBytes = hasBody ? whole ?? 0 : 0
        // A stream of HTTP/2 closes with its last frame, before this returns.
        isComplete = isWhole || !hasBody
        sink?.begin(answer, first: first, length: isWhole ? whole : stated, isWhole: isWhole)
        guard hasBody, !isWhole else { return finish() }
        guard phase == .sending else { return }
        stored = rest
        resume()
    }

    /// There is room for more.
    func resume() {
        if let promise = roomWanted {
            roomWanted = nil
            promise.succeed()
        }
        if phase == .sending, stored != nil, sink?.isWritable ?? false { readMore() }
    }

    private func readMore() {
        guard let stream = stored, !isReading else { return }
        isReading = true
        let loop = loop
        let bound = NIOLoopBound(self, eventLoop: loop)
        NIOThreadPool.singleton.submit { state in
            let result = Result { () throws -> (ByteBuffer?, BodyStream) in
                guard case .active = state else { throw CancellationError() }
                var rest = stream
                return (try rest.next(), rest)
            }
            loop.execute { bound.value.read(result) }
        }
    }

    private func read(_ result: Result<(ByteBuffer?, BodyStream), any Error>) {
        isReading = false
        guard phase != .finished, let sink else { return }
        switch (result, phase) {
        case (.success(let (chunk, rest)), .asking):
            stored = nil
            if let answer { begin(answer, first: chunk ?? ByteBuffer(), rest: rest) }
        case (.success(let (chunk, rest)), _):
            stored = rest
            if let chunk {
                sentBytes += Int64(chunk.readableBytes)
                sink.send(chunk)
            }
            guard rest.isFinished else { return resume() }
            isComplete = true
            sink.end(trailers: nil)
            finish()
        case (.failure(let error), .asking):
            stored = nil
            fail(error)
        case (.failure(let error), _):
            service.logger.error("cannot send", metadata: ["target": "\(request.target)", "error": "\(error)"])
            cut()
        }
    }

    func finish() {
        isComplete = true
        end()
    }

    /// The connection is gone, or must go.
    func cut() {
        guard phase != .finished else { return }
        let sink = sink
        end()
        sink?.cut()
    }

    /// The client is gone.
    func cancel() {
        guard phase != .finished else { return }
        end()
    }

    func end() {
        guard phase != .finished else { return }
        phase = .finished
        stored = nil
        task?.cancel()
        task = nil
        roomWanted?.fail(ChannelError.ioOnClosedChannel)
        roomWanted = nil
        onEnd(self)
    }
}
