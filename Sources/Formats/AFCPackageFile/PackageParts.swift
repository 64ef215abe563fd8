internal import AFCPackageFormat
internal import AFCZip
internal import Dispatch
internal import Synchronization

/// The members that describe a package's contents, read and combined on several processors if that helps.
struct PackageParts {
    /// The index of the package.
    let index: PackageIndex
    /// The bytes of the members that were read for it, by name; nil for a missing member.
    let bodies: [String: [UInt8]?]

    /// The results of two threads.
    private struct Halves {
        var manifest: [UInt8]?
        var info: [UInt8]?
        var match: [UInt8]?
        var fallback: [UInt8]?
        var index: PackageIndex?
        var records: [UInt8]?
        var failures: (first: ZipError?, second: ZipError?)

        mutating func add(_ other: Halves) {
            manifest = manifest ?? other.manifest
            info = info ?? other.info
            match = match ?? other.match
            fallback = fallback ?? other.fallback
            index = index ?? other.index
            records = records ?? other.records
            failures = (failures.first ?? other.failures.first, failures.second ?? other.failures.second)
        }
    }

    /// The size up to which reading takes less time than starting a second thread.
    private static let smallSize: Int64 = 128 << 10

    init(_ archive: ZipReader, members: [PackageIndex.Member], bodyLimit: Int64) throws(ZipError) {
        let names = [PackageLayout.manifest, PackageLayout.records]
        let size = names.reduce(Int64(0)) { $0 + (archive.member(named: $1)?.uncompressedSize ?? 0) }
        let isLarge = size > Self.smallSize
        let loop: PackageIndex.Loop = { count, body in
            if isLarge {
                DispatchQueue.concurrentPerform(iterations: count, execute: body)
            } else {
                for number in 0..<count { body(number) }
            }
        }
        let reading = Mutex(Halves())
        loop(2) { number in
            let half = number == 0 ? Self.firstHalf(archive, members) : Self.secondHalf(archive)
            reading.withLock { $0.add(half) }
        }
        // Moved out, so that it is modified in place.
        var halves = reading.withLock { (state: inout Halves) -> Halves in
            let all = state
            state = Halves()
            return all
        }
        if let failure = halves.failures.first ?? halves.failures.second { throw failure }
        halves.index?.complete(members: members, records: halves.records, bodyLimit: bodyLimit, loop)
        guard let index = halves.index else { preconditionFailure("the loop hasn't called its body with 0") }
        self.index = index
        bodies = [
            PackageLayout.manifest: halves.manifest, PackageLayout.info: halves.info,
            PackageLayout.match: halves.match, PackageLayout.fallback: halves.fallback,
            PackageLayout.records: halves.records,
        ]
    }

    private static func firstHalf(_ archive: ZipReader, _ members: [PackageIndex.Member]) -> Halves {
        var half = Halves()
        do throws(ZipError) {
            half.manifest = try read(PackageLayout.manifest, in: archive)
            half.info = try read(PackageLayout.info, in: archive)
            if let member = archive.member(named: PackageLayout.match) {
                half.match = try archive.read(member, maxBytes: PackageLayout.matchByteLimit)
            }
            if let member = archive.member(named: PackageLayout.fallback) {
                half.fallback = try archive.read(member, maxBytes: PackageLayout.fallbackByteLimit)
            }
            half.index = PackageIndex(
                members: members,
                manifest: half.manifest,
                info: half.info,
                match: half.match,
                fallback: half.fallback
            )
        } catch {
            half.failures.first = error
        }
        return half
    }

    private static func secondHalf(_ archive: ZipReader) -> Halves {
        var half = Halves()
        do throws(ZipError) {
            half.records = try read(PackageLayout.records, in: archive)
        } catch {
            half.failures.second = error
        }
        return half
    }

    private static func read(_ name: String, in archive: ZipReader) throws(ZipError) -> [UInt8]? {
        guard let member = archive.member(named: name) else { return nil }
        return try archive.read(member, maxBytes: PackageLayout.metadataByteLimit)
    }
}
