internal import HTTPTypes
internal import Logging
internal import NIOCore

extension Exchange {
    func beginStream(_ answer: ServerAnswer, _ stream: any AsyncSequence<ByteBuffer, any Error> & Sendable) {
        phase = .sending
        self.answer = answer
        remaining = answer.fields[.contentLength].flatMap { Int64($0) }
        isComplete = request.isHead || !answer.status.mayHaveBody
        sink?.begin(answer, first: nil, length: remaining, isWhole: false)
        guard sink != nil, !isComplete else { return finish() }
        guard phase == .sending else { return }
        let loop = loop
        let bound = NIOLoopBound(self, eventLoop: loop)
        task = Task {
            do {
                for try await chunk in stream where chunk.readableBytes > 0 {
                    try await loop.flatSubmit { bound.value.push(chunk) }.get()
                }
                try Task.checkCancellation()
                loop.execute { bound.value.streamEnded() }
            } catch {
                loop.execute { bound.value.streamFailed(error) }
            }
        }
    }

    private func push(_ chunk: ByteBuffer) -> EventLoopFuture<Void> {
        guard phase == .sending, let sink else { return loop.makeFailedFuture(ChannelError.ioOnClosedChannel) }
        if let left = remaining {
            guard left >= Int64(chunk.readableBytes) else { return loop.makeFailedFuture(WrongLength()) }
            remaining = left - Int64(chunk.readableBytes)
        }
        sentBytes += Int64(chunk.readableBytes)
        // A client that counts may go as soon as it has all, before the end is sent.
        if remaining == 0 { isComplete = true }
        sink.send(chunk)
        guard phase == .sending, !sink.isWritable else { return loop.makeSucceededVoidFuture() }
        let promise = loop.makePromise(of: Void.self)
        roomWanted = promise
        return promise.futureResult
    }

    private func streamEnded() {
        guard phase == .sending else { return }
        guard (remaining ?? 0) == 0 else { return streamFailed(WrongLength()) }
        let trailers = answer?.trailers?()
        isComplete = true
        sink?.end(trailers: trailers)
        finish()
    }

    private func streamFailed(_ error: any Error) {
        guard phase == .sending else { return }
        isComplete = false
        service.logger.debug("stream failed", metadata: ["target": "\(request.target)", "error": "\(error)"])
        cut()
    }
}

/// A stream gave more or fewer bytes than its Content-Length says.
struct WrongLength: Error {}
