internal import AFCFiles
internal import AFCHTTP
internal import AFCOrigin
internal import AFCPackageFile
internal import AFCPackageFormat
internal import AFCURL
internal import AFCZip
internal import Synchronization

/// The driver of a download that requests only the parts of a package that the device lacks.
///
/// From the package's end come its directory and the members that describe it. They say which bodies the package has;
/// the ones that the caller holds are left out. The parts are written to their places in a sparse file of the package's
/// size. The local headers of members that are left out are predicted from the directory. Nothing that the server says
/// is trusted here: loading checks the file as it checks a whole package, and whoever loads it falls back to the whole
/// package if anything is wrong.
struct RangedTransfer: Sendable {
    /// How a download of parts ended.
    enum Outcome: Sendable {
        /// The file is complete except for the bodies of these members.
        case complete(lacking: MemberSet)
        /// The package has changed since the first part, and this response has begun to bring all of it.
        case changed(OriginExchange, ResponsePiece, ResponseHead)
        /// The whole package must be requested.
        case useless
    }

    /// The number of requests that run at the same time, once one of them has brought a part.
    static let connections = 4
    private static let redirectLimit = 10

    let transfer: Transfer
    /// Returns the members whose bodies the caller holds.
    let heldMembers: PackageDownload.HeldMembers

    private var part: PartialFile { transfer.part }
    private var url: WebURL { transfer.url }

    /// Downloads the parts that are missing.
    ///
    /// - Parameters:
    ///   - target: The URL that answered the first request; it may be the target of a redirect.
    ///   - total: The size of the package, in bytes.
    /// - Returns: How it ended; what was received is in the file.
    /// - Throws: ``DeliveryError`` if the connection fails repeatedly, or the file can't be written.
    func run(_ target: WebURL, total: Int64) async throws(DeliveryError) -> Outcome {
        var fetching = Fetching(target: target, budget: transfer.newBudget())
        let end = max(0, total - TransferRequest.endSize)..<total
        if let failure = try await fetch([end], total, &fetching) { return failure }
        guard let directory = try await offPool({ $0.directory() }) else { return .useless }
        let package: Description
        switch try await describe(directory, total, &fetching) {
        case .success(let found): package = found
        case .failure(let failure): return failure.outcome
        }
        let lacking = (0..<package.outline.count).filter { !package.held.contains($0) }
        guard let plan = RangePlan(missing: missing(lacking.map(package.outline.record)), total: total)
        else { return .useless }
        try await offPool { part throws(DeliveryError) in
            try part.requireRoom(for: plan.bytes)
            try part.expectParts(of: plan.bytes)
        }
        if let failure = try await fetch(plan.parts, total, &fetching) { return failure }
        try await offPool { part throws(DeliveryError) in try part.sync() }
        return .complete(lacking: package.held)
    }

    // MARK: Description

    /// The members of the package, and those whose bodies the caller holds.
    private struct Description: Sendable {
        let outline: ArchiveOutline
        let held: MemberSet
    }

    /// The reason why no description was found.
    private struct Ending: Error {
        let outcome: Outcome
    }

    /// Requests the directory and the members that describe the package.
    ///
    /// Bodies that changed have the latest dates, so their entries are at the end of the directory
    /// (docs/developers/decisions/0029-partial-directory.md). The entries before them are not requested if manifest and
    /// records state exactly the members that these entries must have, and the caller holds the bodies of all of them.
    private func describe(
        _ directory: Range<Int64>,
        _ total: Int64,
        _ fetching: inout Fetching
    ) async throws(DeliveryError) -> Result<Description, Ending> {
        // An earlier attempt may have received more than the end.
        var start = missing([directory]).last?.upperBound ?? directory.lowerBound
        while start > directory.lowerBound {
            guard let (last, failure) = try await outline(from: start, total, &fetching) else { break }
            if let failure { return .failure(Ending(outcome: failure)) }
            guard try await offPool({ part throws(DeliveryError) in try part.standIn(for: last) }),
                let found = try await description()
            else { break }
            guard let needed = (0..<last.precedingCount).first(where: { !found.held.contains($0) })
            else { return .success(found) }
            // From the first entry whose body is needed, if that saves much.
            let next = found.outline.entryOffset(needed)
            start = next - directory.lowerBound < directory.count / 4 ? directory.lowerBound : min(next, start - 1)
            if let failure = try await fetch([start..<directory.upperBound], total, &fetching) {
                return .failure(Ending(outcome: failure))
            }
        }
        // Most of such a package would be its directory, so ranges would save little.
        guard directory.count <= total / 2 || total <= TransferRequest.endSize
        else { return .failure(Ending(outcome: .useless)) }
        if let failure = try await fetch([directory], total, &fetching) { return .failure(Ending(outcome: failure)) }
        guard let (_, failure) = try await outline(from: nil, total, &fetching)
        else { return .failure(Ending(outcome: .useless)) }
        if let failure { return .failure(Ending(outcome: failure)) }
        guard let found = try await description() else { return .failure(Ending(outcome: .useless)) }
        return .success(found)
    }

    /// Reads the directory from an offset on, and requests the members in it that describe the package.
    ///
    /// - Returns: The outline, and how the download ended if the members couldn't be had; nil if the directory can't be
    ///   relied on.
    private func outline(
        from start: Int64?,
        _ total: Int64,
        _ fetching: inout Fetching
    ) async throws(DeliveryError) -> (ArchiveOutline, Outcome?)? {
        guard let outline = try await offPool({ $0.outline(from: start) }) else { return nil }
        let description = (0..<outline.count).filter { PackageLayout.isDescription(outline.name($0)) }
        // Small gaps between them are the local headers of what lies between.
        guard let plan = RangePlan(missing: missing(description.map(outline.record)), total: total)
        else { return (outline, .useless) }
        return (outline, try await fetch(plan.parts, total, &fetching))
    }

    /// Reads the package, of which the directory and the members that describe it are there; nil if it can't be loaded
    /// without the whole of it.
    private func description() async throws(DeliveryError) -> Description? {
        try await OffPool.run { () throws(DeliveryError) in
            guard let outline = part.outline(from: nil) else { return nil }
            try part.predictHeaders(of: outline)
            return part.held(heldMembers).map { Description(outline: outline, held: $0) }
        }
    }

    private func missing(_ ranges: [Range<Int64>]) -> [Range<Int64>] { part.missing(in: ranges) }

    private func offPool<Value: Sendable>(
        _ body: @escaping @Sendable (PartialFile) throws(DeliveryError) -> Value
    ) async throws(DeliveryError) -> Value {
        try await OffPool.run { () throws(DeliveryError) in try body(part) }
    }

    // MARK: Requests

    /// What lasts from request to request.
    private struct Fetching {
        /// The URL to which requests are sent: the target of the first redirects, until a request fails.
        var target: WebURL
        var budget: RetryBudget
        /// True once a part came.
        var hasParts = false
    }

    /// How one of several requests ended, if not with its part.
    private enum Failure: Sendable {
        case outcome(Outcome)
        case retry(after: Int64?, reason: String)
        case stalled(reason: String)
        case error(DeliveryError)
    }

    /// The parts that several tasks request.
    private final class Queue: Sendable {
        private struct State {
            var parts: ArraySlice<Range<Int64>>
            var target: WebURL
            var failure: Failure?
        }

        private let state: Mutex<State>

        init(_ parts: [Range<Int64>], _ target: WebURL) { state = Mutex(State(parts: parts[...], target: target)) }

        /// Returns the next part, and the URL to request it from; nil after a failure.
        func next() -> (Range<Int64>, WebURL)? {
            state.withLock { state in
                guard state.failure == nil, let part = state.parts.popFirst() else { return nil }
                return (part, state.target)
            }
        }

        /// Notes how a request ended, and the URL that answered it.
        func note(_ failure: Failure?, _ target: WebURL) {
            let isFirst = state.withLock { state in
                defer { state.failure = state.failure ?? failure }
                state.target = target
                return state.failure == nil
            }
            if !isFirst, case .outcome(.changed(let exchange, _, _)) = failure { exchange.close() }
        }

        /// The first failure, and the URL that answered last.
        var end: (Failure?, WebURL) { state.withLock { ($0.failure, $0.target) } }
    }

    /// Requests what is missing of some parts, again after a failure.
    ///
    /// - Returns: Nil if all of it is there.
    private func fetch(_ parts: [Range<Int64>], _ total: Int64, _ fetching: inout Fetching)
        async throws(DeliveryError) -> Outcome?
    {
        while true {
            let missing = missing(parts)
            guard !missing.isEmpty else { return nil }
            // The first response shows whether the server sends parts of this version, so it is awaited alone.
            let isFirst = !fetching.hasParts
            let (failure, target) = await round(isFirst ? Array(missing.prefix(1)) : missing, total, fetching.target)
            fetching.target = target
            switch failure {
            case nil: fetching.hasParts = true
            case .outcome(let outcome): return outcome
            case .error(let error): throw error
            case .retry(let seconds, let reason):
                try await pause(&fetching, seconds, .connection, reason, isAllowed: true)
            case .stalled(let reason):
                try await pause(&fetching, nil, .timeout, reason, isAllowed: transfer.options.retriesTimeouts)
            }
        }
    }

    /// Waits before requests are sent again.
    private func pause(
        _ fetching: inout Fetching,
        _ seconds: Int64?,
        _ code: DeliveryErrorCode,
        _ reason: String,
        isAllowed: Bool
    ) async throws(DeliveryError) {
        guard isAllowed, fetching.budget.allowsRetry(size: part.size, isTimeout: code == .timeout) else {
            throw DeliveryError(code, url, fetching.budget.counted(reason))
        }
        try await offPool { part throws(DeliveryError) in try part.sync() }
        try await transfer.wait(fetching.budget.wait(seconds), after: reason)
        // The target of a redirect may be temporary.
        fetching.target = url
    }

    /// Requests parts, a few at a time, until all are there or one fails.
    private func round(_ parts: [Range<Int64>], _ total: Int64, _ target: WebURL) async -> (Failure?, WebURL) {
        let queue = Queue(parts, target)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<min(Self.connections, parts.count) {
                group.addTask {
                    while !Task.isCancelled {
                        guard let (part, target) = queue.next() else { return }
                        let (failure, found) = await fetch(part, total, target)
                        queue.note(failure, found)
                    }
                }
            }
        }
        let (failure, found) = queue.end
        return (Task.isCancelled ? .error(.cancelled(url)) : failure, found)
    }

    /// Requests one part, and writes what arrives to its place.
    private func fetch(_ wanted: Range<Int64>, _ total: Int64, _ target: WebURL) async -> (Failure?, WebURL) {
        var target = target
        for _ in 0...Self.redirectLimit {
            do {
                let request = TransferRequest(part: wanted, of: part.validator)
                let (exchange, piece, head) = try await transfer.head(target, request)
                var isKept = false
                // Does nothing if the response is complete.
                defer { if !isKept { exchange.close() } }
                let step = RangedStep(
                    status: head.status,
                    fields: head.fields,
                    url: target,
                    asked: wanted,
                    total: total,
                    validator: part.validator,
                    now: transfer.options.now
                )
                switch step {
                case .part(let range):
                    // More than announced: nothing that this server sends can be relied on.
                    let isRight = try await transfer.receivePart(exchange, piece, range)
                    return (isRight ? nil : .outcome(.useless), target)
                case .follow(let next):
                    try PackageDownload.check(next, redirectedFrom: url, transfer.options)
                    target = next
                case .retry(let seconds, let reason): return (.retry(after: seconds, reason: reason), target)
                case .changed:
                    isKept = true
                    return (.outcome(.changed(exchange, piece, head)), target)
                case .useless: return (.outcome(.useless), target)
                }
            } catch {
                return (await failure(error, target), target)
            }
        }
        return (.outcome(.useless), target)
    }

    private func failure(_ error: any Error, _ target: WebURL) async -> Failure {
        switch await transfer.step(after: error, target) {
        case .success(.retry(let seconds, let reason)): .retry(after: seconds, reason: reason)
        case .success(.stalled(let reason)): .stalled(reason: reason)
        case .success: .outcome(.useless)
        case .failure(let error): .error(error)
        }
    }
}

extension PartialFile {
    /// Returns the place of the package's directory, whose end is there; nil if it can't be a package.
    fileprivate func directory() -> Range<Int64>? {
        guard let file = try? OpenFile(reading: path) else { return nil }
        return try? ArchiveOutline.directory(of: file)
    }

    /// Reads the package's directory, of which the part from an offset on is there; nil if it can't be one, or doesn't
    /// predict the records.
    fileprivate func outline(from start: Int64?) -> ArchiveOutline? {
        guard let file = try? OpenFile(reading: path) else { return nil }
        return try? ArchiveOutline(file, from: start, limits: ReadLimits(), folder: folder)
    }

    /// Writes entries into the directory that stand for those before the last ones.
    ///
    /// - Returns: False if the package doesn't state exactly which members these are.
    /// - Throws: ``DeliveryError`` if the file can't be written.
    fileprivate func standIn(for last: ArchiveOutline) throws(DeliveryError) -> Bool {
        let limits = ReadLimits()
        guard let file = try? OpenFile(reading: path),
            let bodies = try? StatedBodies(in: file, last, limits: limits, folder: folder)
        else { return false }
        // The last entries may also be of user data, and of members that describe the package.
        let preceding = bodies.prefix(last.precedingCount)
        let following = bodies.dropFirst(last.precedingCount)
        guard following.count <= last.count,
            zip(0..., following).allSatisfy({ $1.name.utf8.elementsEqual(last.name($0).utf8) })
        else { return false }
        // The last bytes of one of these entries may have been received.
        try forget(last.precedingEntries)
        return try last.makeStandIns(for: preceding, limits: limits) { bytes, offset throws(DeliveryError) in
            let result = bytes.withUnsafeBytes { bytes in
                Result { () throws(DeliveryError) in try write(bytes, at: offset, isReceived: false) }
            }
            try result.get()
        }
    }

    /// Writes the local headers of all members where they aren't there.
    fileprivate func predictHeaders(of outline: ArchiveOutline) throws(DeliveryError) {
        for member in 0..<outline.count {
            let header = outline.header(member)
            let start = outline.record(member).lowerBound
            for gap in missing(in: [start..<(start + Int64(header.count))]) {
                let result = header.withUnsafeBytes { bytes in
                    let bytes = bytes[Int(gap.lowerBound - start)..<Int(gap.upperBound - start)]
                    return Result { () throws(DeliveryError) in
                        try write(UnsafeRawBufferPointer(rebasing: bytes), at: gap.lowerBound, isReceived: false)
                    }
                }
                try result.get()
            }
        }
    }

    /// Returns the members whose bodies are held; nil if the package can't be loaded without the whole of it.
    fileprivate func held(_ heldMembers: PackageDownload.HeldMembers) -> MemberSet? {
        guard let package = try? PackageReader(path: path, folder: folder) else { return nil }
        return try? heldMembers(package)
    }
}
