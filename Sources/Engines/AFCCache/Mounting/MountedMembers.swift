internal import AFCCaching
internal import AFCFiles
internal import AFCHTTP
internal import AFCText
internal import AFCZip
internal import Crypto
internal import HTTPTypes
internal import Synchronization

/// The bodies of a mounted package, read from the package's file.
///
/// Before the first byte of a member is used, the member is read and compared with its checksum, its size and, if the
/// package has one, its SHA-256. Only a large member without compression is compared when the cache's user asks for
/// that: its bytes can only be those at its place.
final class MountedMembers: Sendable {
    /// The result of asking for the size of a body with gzip.
    enum GzipSize {
        /// The size is unknown without waiting for a disk, or can't be read.
        case unknown
        /// The body is only sent without a coding.
        case unavailable
        /// The size in bytes.
        case bytes(Int64)
    }

    /// The largest body that is inflated as a whole, and the largest stored member that is compared before it is sent,
    /// in bytes.
    static let wholeLimit: Int64 = 1 << 20
    /// The most bytes of inflated bodies in memory.
    private static let keptLimit = 16 << 20
    private static let remedy = "make the package again, and restart the program that mounted it"

    /// The path of the package.
    let path: String
    private let file: OpenFile
    private let record: MountFile
    private let identity: FileIdentity
    private let state: Mutex<State>

    private struct State {
        /// A bit for each resource whose member was compared.
        var sound: [UInt64]
        /// Inflated bodies, by the number of the resource, and the numbers in the order in which they came.
        var kept: [UInt32: [UInt8]] = [:]
        var order: [UInt32] = []
        var bytes = 0

        func isSound(_ number: UInt32) -> Bool { sound[Int(number / 64)] >> UInt64(number % 64) & 1 == 1 }

        mutating func keep(_ body: [UInt8], _ number: UInt32) {
            guard kept[number] == nil else { return }
            kept[number] = body
            order.append(number)
            bytes += body.count
            var oldest = 0
            while bytes > MountedMembers.keptLimit, oldest < order.count {
                bytes -= kept.removeValue(forKey: order[oldest])?.count ?? 0
                oldest += 1
            }
            order.removeFirst(oldest)
        }
    }

    /// Creates the members of a package.
    ///
    /// - Parameters:
    ///   - file: The package.
    ///   - identity: The identity that it had when it was opened.
    ///   - record: What is known about it.
    ///   - count: The number of its resources.
    init(_ file: OpenFile, _ identity: FileIdentity, _ record: MountFile, count: Int) {
        (self.file, self.identity, self.record, path) = (file, identity, record, file.path)
        state = Mutex(State(sound: [UInt64](repeating: 0, count: count / 64 + 1)))
    }

    /// The name of a body in errors.
    func name(of member: String) -> String { "\(path), member \(PrintableText.quoted(member))" }

    /// True if the package's file has the contents that it had when it was mounted.
    var isUnchanged: Bool {
        guard let now = try? FileIdentity(file) else { return false }
        return now.hasContents(of: identity)
    }

    /// Throws if the package was changed, so that none of its bodies is served.
    func requireUnchanged() throws(CacheError) {
        guard !isUnchanged else { return }
        throw CacheError(
            .damaged,
            subject: path,
            message: "the package was changed while it was mounted; restart the program that mounted it"
        )
    }

    /// Returns true if the file at a path is the mounted one, unchanged.
    func isFile(at path: String) -> Bool {
        guard let other = try? OpenFile(reading: path), let now = try? FileIdentity(other) else { return false }
        return now.hasContents(of: identity)
    }

    /// Returns the size of a resource's body with gzip.
    ///
    /// Such a body consists of the package's deflate data and 18 bytes more, so nothing is compressed for it. It is
    /// unavailable if that wouldn't be smaller, if the response has a content coding already, or if its origin forbids
    /// changes (RFC 9110 §7.7).
    func gzipSize(of resource: IndexedResource, atOnce: Bool) -> GzipSize {
        guard resource.member != nil, resource.size > 0, ![204, 205, 206, 304].contains(resource.status),
            resource.fields[.contentEncoding] == nil, !resource.fields.forbidsTransformation
        else { return .unavailable }
        guard let place = place(of: resource, atOnce: atOnce) else { return .unknown }
        let size = place.count + GzipFrame.overhead
        return place.method == .deflated && size < resource.size ? .bytes(size) : .unavailable
    }

    /// Opens a body; blocks.
    ///
    /// - Parameters:
    ///   - resource: The resource, which has a body.
    ///   - coding: The coding in which the body is sent.
    ///   - name: The name of the body in errors.
    ///   - isCompared: True if the body is compared each time, and not only the first time.
    /// - Returns: The body.
    /// - Throws: ``CacheError`` if the package has changed, or the member is damaged.
    func body(
        of resource: IndexedResource,
        coding: StoredResponse.Coding?,
        path name: String,
        isCompared: Bool
    ) throws(CacheError) -> StoredBody {
        try requireUnchanged()
        guard let place = place(of: resource, atOnce: false) else { throw MountFile.damaged(record.path) }
        let number = resource.number
        let isWhole = isInflatedWhole(resource, place, coding)
        let (isSound, kept) = state.withLock { state in
            (state.isSound(number), isWhole && !isCompared ? state.kept[number] : nil)
        }
        if let kept { return StoredBody(bytes: kept, path: name) }
        let isLarge = place.method == .stored && resource.size > Self.wholeLimit
        var bytes: [UInt8] = []
        if isCompared || isWhole || !(isSound || isLarge) {
            bytes = try compare(resource, place, name, isKept: isWhole, isHashed: isCompared || !isSound)
            let body = bytes
            state.withLock { state in
                state.sound[Int(number / 64)] |= 1 << UInt64(number % 64)
                if isWhole { state.keep(body, number) }
            }
        }
        if isWhole { return StoredBody(bytes: bytes, path: name) }
        return part(resource, place, coding, name, isCompared: isCompared)
    }

    /// Returns the first bytes of a body, without a coding; nil if it has fewer.
    ///
    /// - Throws: ``CacheError`` if the package has changed, or the member is damaged.
    func firstBytes(of resource: IndexedResource, count: Int, path name: String) throws(CacheError) -> [UInt8]? {
        let body = try body(of: resource, coding: nil, path: name, isCompared: false)
        var bytes = [UInt8](repeating: 0, count: count)
        let read = bytes.withUnsafeMutableBytes { buffer in
            Result { () throws(CacheError) in try body.read(into: buffer, at: 0) }
        }
        return try read.get() == count ? bytes : nil
    }

    /// Opens a body if that takes no wait for a disk; nil if it would wait, the body is read for the first time, or it
    /// must be inflated.
    func bodyAtOnce(of resource: IndexedResource, coding: StoredResponse.Coding?, path name: String) -> StoredBody? {
        guard let place = place(of: resource, atOnce: true), isUnchanged else { return nil }
        let isWhole = isInflatedWhole(resource, place, coding)
        let isLarge = place.method == .stored && resource.size > Self.wholeLimit
        let known = state.withLockIfAvailable { state in
            (isSound: state.isSound(resource.number), kept: isWhole ? state.kept[resource.number] : nil)
        }
        guard let known else { return nil }
        if let kept = known.kept { return StoredBody(bytes: kept, path: name) }
        return !isWhole && (known.isSound || isLarge) ? part(resource, place, coding, name) : nil
    }

    /// Returns the place of a resource's body; nil if that would wait for a disk, or there is no such place.
    private func place(of resource: IndexedResource, atOnce: Bool) -> MemberPlace? {
        guard let place = record.place(of: resource.number, atOnce: atOnce) else { return nil }
        return place.method == .stored && place.count != resource.size ? nil : place
    }

    private func isInflatedWhole(
        _ resource: IndexedResource,
        _ place: MemberPlace,
        _ coding: StoredResponse.Coding?
    ) -> Bool {
        place.method == .deflated && coding != .gzip && resource.size <= Self.wholeLimit
    }

    private func part(
        _ resource: IndexedResource,
        _ place: MemberPlace,
        _ coding: StoredResponse.Coding?,
        _ name: String,
        isCompared: Bool = false
    ) -> StoredBody {
        var part = StoredBody.ArchivePart(file: file, offset: place.offset, count: place.count)
        part.isComparedEachTime = isCompared
        var size = resource.size
        if coding == .gzip {
            part.head = GzipFrame.head
            part.tail = GzipFrame.tail(crc32: place.crc32, size: resource.size)
            size = place.count + GzipFrame.overhead
        } else if place.method == .deflated {
            part.inflation = Inflation(of: file, offset: place.offset, count: place.count)
        }
        return StoredBody(part, size: size, path: name, remedy: Self.remedy)
    }

    /// Reads a member, and compares it with its checksum, its size and its SHA-256.
    ///
    /// - Returns: The body if it is kept, else nothing.
    private func compare(
        _ resource: IndexedResource,
        _ place: MemberPlace,
        _ name: String,
        isKept: Bool,
        isHashed: Bool
    ) throws(CacheError) -> [UInt8] {
        let member = ZipMember(
            knownAs: resource.member ?? "",
            method: place.method,
            crc32: place.crc32,
            dataOffset: place.offset,
            compressedSize: place.count,
            uncompressedSize: resource.size
        )
        var bytes: [UInt8] = []
        if isKept { bytes.reserveCapacity(Int(resource.size)) }
        var hash = isHashed && resource.digest.count == 32 ? SHA256() : nil
        do throws(ZipError) {
            try ZipReader(readingKnownMembersOf: file).forEachChunk(of: member) { chunk throws(ZipError) in
                if isKept { bytes.append(contentsOf: chunk) }
                hash?.update(bufferPointer: chunk)
            }
        } catch {
            throw CacheError(.damaged, subject: path, message: "\(error.message); \(Self.remedy)")
        }
        if let hash, Array(hash.finalize()) != resource.digest {
            let message =
                "member \(PrintableText.quoted(resource.member ?? "")) has a different SHA-256 than its record"
            throw CacheError(.damaged, subject: path, message: "\(message); \(Self.remedy)")
        }
        return bytes
    }
}

extension HTTPFields {
    /// True if the origin forbids intermediaries to change the content (RFC 9111 §5.2.2.6).
    fileprivate var forbidsTransformation: Bool {
        self[values: .cacheControl].contains { line in
            FieldText.list(line).contains { $0.lowercased() == "no-transform" }
        }
    }
}
