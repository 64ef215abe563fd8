public import AFCCache
public import AFCChannel
internal import AFCDelivery
internal import AFCFiles
internal import AFCPackageFormat
internal import AFCPlatform
internal import AFCText

/// The way of a channel to a device: downloaded, checked against what the device remembers, and remembered.
public struct ChannelIntake: Sendable {
    private let store: DiskCache
    private let from: String
    private let trust: ChannelTrust
    private let context: IntakeContext

    /// Creates the way of a channel into a cache.
    ///
    /// - Parameters:
    ///   - store: The cache, which remembers the channel.
    ///   - from: The channel's URL or path.
    ///   - trust: The name and the keys that the channel must have.
    ///   - context: What the program gives.
    public init(store: DiskCache, from: String, trust: ChannelTrust, context: IntakeContext) {
        self.store = store
        self.from = from
        self.trust = trust
        self.context = context
    }

    /// The channel's URL or path in messages.
    private var shown: String { PackageSource.shown(from) }
    private var folder: ChannelFolder { ChannelFolder(of: store) }
    private var name: String { trust.name + ".json" }
    private var path: String { folder.path + "/" + name }

    /// Returns what the device remembers, without asking the server; nil if it never accepted the channel.
    ///
    /// This blocks.
    ///
    /// - Throws: ``ChannelError`` if its name can't be one, `CacheError` if the file can't be read or is damaged.
    public func remembered() throws -> ChannelMemory? {
        try requireName()
        do throws(FileError) {
            guard let text = try folder.contents(of: name, upTo: 4 * ChannelFile.byteLimit) else { return nil }
            guard let memory = ChannelMemory(text: text) else {
                throw FileError(path, "the file is damaged; remove it to trust the channel as if it were new")
            }
            return memory
        } catch {
            throw CacheError(.inputOutput, subject: path, message: error.message)
        }
    }

    /// Reads the channel.
    ///
    /// - Returns: What is remembered now.
    /// - Throws: ``ChannelError`` if it is refused, and any error of the download.
    public func run() async throws -> ChannelMemory {
        let known = try await OffPool.run { () throws in try remembered() }
        guard PackageSource.isRemote(from) else {
            return try await OffPool.run { () throws in try accept(try Self.bytes(of: from), source: nil) }
        }
        let url = try IntakeContext.url(from)
        var request = context.download(from: from)
        // The signatures prove who made it.
        request.servers.allowsPlainHTTP = true
        request.maxBytes = Int64(ChannelFile.byteLimit)
        let state = known?.source.flatMap { RemoteState(text: $0) }
        request.known = state.flatMap { $0.location == RemoteLocation(url) ? $0 : nil }
        context.onEvent(.downloading(url, isUpdate: request.known != nil))
        defer { context.onEvent(.ended) }
        let outcome = try await context.stalled.avoiding(url) { [request] in
            try await PackageDownload.fetch(url, into: store.downloadFolder, options: request)
        }
        switch outcome {
        case .unchanged:
            guard let known else {
                throw DeliveryError(.protocolViolation, url, "the server sent 304 Not Modified to a first request")
            }
            try known.requireCurrent(subject: shown, now: context.now())
            return known
        case .arrived(let package):
            defer { package.discard() }
            let (path, source) = (package.path, package.state.text)
            return try await OffPool.run { () throws in try accept(try Self.bytes(of: path), source: source) }
        }
    }

    /// Checks a file against what is remembered at that moment, since another process may have accepted a later one.
    private func accept(_ bytes: [UInt8], source: String?) throws -> ChannelMemory {
        let file = try ChannelFile(bytes, subject: shown)
        do {
            return try folder.locked { try remember(file, source) }
        } catch let error as FileError {
            throw CacheError(.inputOutput, subject: store.channelFolder, message: error.message)
        }
    }

    private func remember(_ file: ChannelFile, _ source: String?) throws -> ChannelMemory {
        let known = try remembered()
        var memory: ChannelMemory
        do throws(ChannelError) {
            memory = try ChannelMemory(accepting: file, subject: shown, after: known, trust: trust, now: context.now())
        } catch {
            if error.code == .expired, let noted = known?.noting(expired: file, trust: trust) {
                try Durable.write(noted.text, to: path, mode: 0o644, replacing: true)
            }
            throw error
        }
        memory.source = source
        guard memory != known else { return memory }
        try folder.write(memory.text, to: name, replacing: true)
        return memory
    }

    private func requireName() throws {
        guard Channel.isName(trust.name) else {
            throw ChannelError(
                .unsuitable,
                subject: shown,
                message:
                    "\(PrintableText.quoted(trust.name)) can't be the name of a channel, which has lower-case letters, digits, '.', '_' "
                    + "and '-'; state the name that it has"
            )
        }
    }

    /// Returns the device's ID: the one that was given, or one that is made once and kept in the cache.
    ///
    /// This blocks.
    ///
    /// - Parameters:
    ///   - given: The ID that the user gave, or nil.
    ///   - store: The cache.
    /// - Returns: The ID.
    /// - Throws: `CacheError` if the file with the ID can't be read or written.
    public static func device(_ given: String?, in store: DiskCache) throws -> String {
        if let given { return given }
        let folder = ChannelFolder(of: store)
        do throws(FileError) {
            if let known = try Self.device(in: folder) { return known }
            var random = SystemRandomNumberGenerator()
            let id = Hexadecimal.text((0..<16).map { _ in UInt8.random(in: 0...255, using: &random) })
            do throws(FileError) {
                try folder.write(Array((id + "\n").utf8), to: deviceName, replacing: false)
            } catch  where error.number == EEXIST {
                // Another process was faster.
                if let known = try Self.device(in: folder) { return known }
            }
            return id
        } catch {
            throw CacheError(.inputOutput, subject: folder.path + "/" + deviceName, message: error.message)
        }
    }

    private static func bytes(of path: String) throws(CacheError) -> [UInt8] {
        do throws(FileError) {
            return try OpenFile(reading: path).contents(upTo: ChannelFile.byteLimit)
        } catch {
            throw CacheError(.inputOutput, subject: path, message: error.message)
        }
    }

    private static let deviceName = "device"

    private static func device(in folder: ChannelFolder) throws(FileError) -> String? {
        guard let bytes = try folder.contents(of: deviceName, upTo: 256) else { return nil }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").first.map(String.init)
    }
}
