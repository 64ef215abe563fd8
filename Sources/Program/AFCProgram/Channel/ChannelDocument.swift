import AFCCache
import AFCChannel
import AFCDelivery
import AFCFiles
import AFCPackageFormat
import AFCPlatform
import AFCText
import ArgumentParser

/// A channel's file that a command changes, on this machine, on a server or in a bucket.
struct ChannelDocument: ParsableArguments {
    @Argument(
        help: "The channel's file: a path, an https URL, or s3://BUCKET/KEY.",
        completion: .file(extensions: ["channel"])
    )
    var file: String

    @OptionGroup(title: "Server") var servers: DownloadOptions

    /// True if the file is on a server or in a bucket.
    var isRemote: Bool { file.contains("://") }

    /// The file if it is elsewhere; nil for a path.
    private func remote() throws -> RemoteFile? {
        guard isRemote else { return nil }
        var options = PackageDownload.Options.ofProgram(for: file)
        options.servers = try servers.servers(for: [file])
        return try RemoteFile(file, limit: ChannelFile.byteLimit, options: options) { name in
            getenv(name).map { String(cString: $0) }
        }
    }

    /// Returns the file.
    ///
    /// - Throws: ``ChannelError`` if it is not a channel, `DeliveryError` if it can't be downloaded.
    func read() async throws -> ChannelFile {
        guard let remote = try remote() else { return try readHere() }
        return try ChannelFile(try await remote.read(), subject: file)
    }

    /// Returns the file of a path.
    ///
    /// - Throws: As ``read()``.
    func readHere() throws -> ChannelFile {
        if Path.isZip(file) {
            let message =
                "this is a package or another zip, not a channel; the channel's file comes first, then the package"
            throw ChannelError(.malformed, subject: file, message: message)
        }
        if file.hasSuffix(".yaml") || file.hasSuffix(".yml") {
            let message = "this looks like a sync file, not a channel; 'afcache sync' reads it"
            throw ChannelError(.malformed, subject: file, message: message)
        }
        return try ChannelFile(try SmallFile.read(file, limit: ChannelFile.byteLimit), subject: file)
    }

    /// Changes the channel, and signs it if the options say so; otherwise says that it isn't signed.
    ///
    /// - Parameters:
    ///   - waiting: The time to wait for another process that changes it.
    ///   - options: Whether and how to sign.
    ///   - body: Changes what the file has at that moment.
    /// - Returns: The body's result.
    /// - Throws: ``ChannelError`` if devices couldn't read the new file, `CacheError` or ``TransferFailure`` if the file
    ///   can't be used, and the body's error; the file is then unchanged.
    func change<Value>(
        _ waiting: WaitOptions,
        _ options: ChannelChangeOptions,
        _ body: (inout Channel) throws -> Value
    ) async throws -> Value {
        let signing = try options.signing(file)
        let (value, signed) = try await replace(waiting) {
            old -> (ChannelFile, (Value, (Channel, Channel, [PublicKey])?)) in
            var channel = old.channel
            // A new signature would vouch for what somebody else has written meanwhile.
            if signing != nil, !old.isAsSigned {
                let message =
                    "the channel was changed after it was signed; look at it with 'afcache channel show', and accept the "
                    + "change with 'afcache channel sign'"
                throw ChannelError(.wrongSignature, subject: file, message: message)
            }
            let value = try body(&channel)
            guard let signing else { return (ChannelFile(channel), (value, nil)) }
            let (new, signers) = try signing.signed(ChannelFile(try signing.renewed(channel)), after: old.channel)
            return (new, (value, (old.channel, new.channel, signers)))
        }
        if let (old, new, signers) = signed {
            ChannelSigning.tell(file, new, after: old, by: signers)
        } else {
            Console.note("sign it before you publish it: afcache channel sign \(PrintableText.quoted(file)) --sign KEY")
        }
        return value
    }

    /// Replaces the file by what a body makes of it, so that no change of another process is lost.
    ///
    /// The body may be called several times.
    func replace<Value>(
        _ waiting: WaitOptions,
        _ body: (ChannelFile) throws -> (ChannelFile, Value)
    ) async throws -> Value {
        if let remote = try remote() {
            return try await writing {
                try await remote.change(within: waiting.wait.map { .seconds($0) }) { bytes in
                    let (new, value) = try body(try ChannelFile(bytes, subject: file))
                    return (try checked(new), value)
                }
            }
        }
        let lock = try lock(waiting)
        defer { lock.release() }
        let (new, value) = try body(try readHere())
        try write(new)
        return value
    }

    /// Creates a file that is elsewhere.
    ///
    /// - Parameters:
    ///   - new: The file.
    ///   - isReplacing: True to replace one that is there already.
    /// - Throws: `ValidationError` if there is one that may not be replaced, and the errors of ``replace(_:_:)``.
    func create(_ new: ChannelFile, replacing isReplacing: Bool) async throws {
        guard let remote = try remote() else { return try write(new) }
        let bytes = try checked(new)
        try await writing {
            if try await remote.create(bytes) { return }
            guard isReplacing else {
                throw ValidationError(
                    "\(PrintableText.quoted(file)) already exists; name another file with '-o', or replace it with '--overwrite'"
                )
            }
            try await remote.change(within: nil) { _ in (bytes, ()) }
        }
    }

    /// Calls a body that writes a file elsewhere, whose failures aren't those of a download.
    private func writing<Value>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch let error as DeliveryError {
            throw TransferFailure(verb: "change", error: error)
        }
    }

    /// Locks the file; processes that change it at the same time would otherwise lose each other's changes.
    private func lock(_ waiting: WaitOptions) throws(CacheError) -> FileLock {
        while true {
            let lock = try openLock()
            switch lock.take(within: waiting.wait, pause: 50) {
            // Whoever had the lock may have replaced the file.
            case .held: if lock.hasName { return lock }
            case .busy:
                let message = "another process is changing the channel"
                throw CacheError(.busy, subject: file, message: message, remedy: .waitLonger)
            case .failed:
                let reason = String(cString: strerror(errno))
                throw CacheError(.inputOutput, subject: file, message: "the file can't be locked: \(reason)")
            }
        }
    }

    private func openLock() throws(CacheError) -> FileLock {
        do throws(FileError) {
            return try FileLock(of: file)
        } catch {
            throw CacheError(.inputOutput, subject: file, message: error.message)
        }
    }

    /// Replaces the file as a whole.
    ///
    /// - Throws: ``ChannelError`` if devices couldn't read it.
    func write(_ new: ChannelFile) throws { try WholeFile.write(try checked(new), to: file) }

    /// Returns the bytes of a file that devices can read.
    private func checked(_ new: ChannelFile) throws(ChannelError) -> [UInt8] {
        let bytes = new.bytes
        do throws(ChannelError) {
            _ = try ChannelFile(bytes, subject: file)
        } catch {
            throw ChannelError(.unsuitable, subject: file, message: "devices would refuse the change: \(error.message)")
        }
        return bytes
    }

    /// Returns the place of a package in a channel.
    func place(of name: String, in channel: Channel) throws -> Int {
        guard let place = channel.packages.firstIndex(where: { $0.name == name }) else {
            let names = channel.packages.prefix(8).map { PrintableText.quoted($0.name) }.joined(separator: ", ")
            throw ValidationError(
                "the channel doesn't list \(PrintableText.quoted(name)); it lists \(names.isEmpty ? "nothing" : names)"
            )
        }
        return place
    }
}

extension Rollout {
    /// A percentage in an argument.
    ///
    /// - Throws: A usage error that says how to write one.
    static func argument(_ text: String) throws -> Rollout {
        guard let rollout = Rollout(percent: text) else {
            throw ValidationError(
                "\(PrintableText.quoted(text)) is not a percentage; write a number from 0 to 100 with up to two decimals"
            )
        }
        return rollout
    }
}
