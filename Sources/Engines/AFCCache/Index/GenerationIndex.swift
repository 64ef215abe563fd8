internal import AFCFiles
import AFCPlatform
internal import AFCText
internal import Synchronization

/// The index of a generation, open for look-ups; any number of threads may use it at the same time.
///
/// Once it has been used often, it is copied into memory, as far as ``IndexMemory`` has room. It isn't mapped, because
/// a mapped file that someone truncates ends the process. An index never changes, so the copy stays right.
final class GenerationIndex: Sendable {
    /// The number of resources.
    let count: Int
    private let path: String
    private let descriptor: Int32
    private let size: UInt64
    private let footer: IndexFooter
    private let memory: IndexMemory
    private let copy = AtomicLazyReference<IndexCopy>()
    private let uses = Atomic<Int>(0)
    /// True if the index is in the file of a mounted package, which is made again if it is removed.
    private let isMounted: Bool

    /// The number of look-ups after which the index is copied into memory.
    static let usesBeforeCopy = 32

    /// Opens the index of a generation.
    init(_ generation: GenerationLayout, memory: IndexMemory = IndexMemory()) throws(CacheError) {
        path = generation.index
        self.memory = memory
        isMounted = false
        let name = GenerationLayout.indexName
        guard let descriptor = try generation.open().file(name) else {
            // A missing index and a truncated one are the same damage.
            throw Self.damaged(path)
        }
        var status = stat()
        let size = fstat(descriptor, &status) == 0 ? UInt64(clamping: status.st_size) : 0
        guard let footer = Self.footer(descriptor, size: size) else {
            close(descriptor)
            throw Self.damaged(path)
        }
        self.descriptor = descriptor
        self.size = size
        self.footer = footer
        count = Int(footer.count)
    }

    /// Opens the index at the beginning of a mounted package's file.
    ///
    /// - Parameters:
    ///   - descriptor: A descriptor of the file, which the value closes.
    ///   - size: The size of the index, in bytes.
    ///   - path: The path of the file, for errors.
    ///   - memory: The limit on copies in memory.
    /// - Throws: ``CacheError`` if the index is damaged.
    init(mounted descriptor: Int32, size: UInt64, path: String, memory: IndexMemory) throws(CacheError) {
        guard let footer = Self.footer(descriptor, size: size) else {
            close(descriptor)
            throw MountFile.damaged(path)
        }
        self.path = path
        self.memory = memory
        isMounted = true
        self.descriptor = descriptor
        self.size = size
        self.footer = footer
        count = Int(footer.count)
    }

    private static func footer(_ descriptor: Int32, size: UInt64) -> IndexFooter? {
        guard size >= UInt64(IndexFooter.size), size <= UInt64(Int64.max) else { return nil }
        return withUnsafeTemporaryAllocation(byteCount: IndexFooter.size, alignment: 8) { buffer in
            let offset = Int64(size) - Int64(buffer.count)
            guard Descriptor.read(descriptor, into: buffer, at: offset) == buffer.count,
                let footer = IndexFooter(UnsafeRawBufferPointer(buffer), fileSize: size),
                footer.count <= UInt64(Int32.max)
            else { return nil }
            return footer
        }
    }

    deinit { close(descriptor) }

    /// True if the index is in memory, so that look-ups don't wait for a disk.
    var isInMemory: Bool { copy.load() != nil }

    /// Counts a use, and copies the index into memory if it is used often.
    private func countUse() {
        guard copy.load() == nil, uses.wrappingAdd(1, ordering: .relaxed).newValue == Self.usesBeforeCopy,
            let room = memory.reserve(size)
        else { return }
        // An index that can't be read as a whole is read part by part, so that errors are found where they are.
        if let read = IndexCopy(descriptor, room) { _ = copy.storeIfNil(read) }
    }

    /// Finds a resource.
    ///
    /// - Returns: The resource, or nil if there is none.
    /// - Throws: ``CacheError`` if the file can't be read or is damaged.
    func find(_ key: ResourceKey) throws(CacheError) -> IndexedResource? {
        countUse()
        var text = key.text
        let result = text.withUTF8 { url in
            Result { () throws(CacheError) in
                try candidates(key.hash) { offset throws(CacheError) in
                    try record(at: offset, onlyFor: url)
                }
            }
        }
        return try result.get()
    }

    /// Calls a body with the resources from a number on, in the order of their URLs.
    ///
    /// - Parameters:
    ///   - start: The first number.
    ///   - body: Receives each resource, and returns whether it wants more.
    /// - Throws: ``CacheError`` if the file can't be read or is damaged, and any error of the closure.
    func forEach(from start: Int = 0, _ body: (IndexedResource) throws(CacheError) -> Bool) throws(CacheError) {
        var number = start
        try forEachRecord(from: start) { record throws(CacheError) in
            guard let resource = IndexRecord.read(record), resource.number == number else { throw damaged }
            number += 1
            return try body(resource)
        }
    }

    /// Calls a body with the URLs in their order.
    ///
    /// - Parameter body: Receives each URL, and returns whether it wants more.
    /// - Throws: ``CacheError`` if the file can't be read or is damaged.
    func forEachURL(_ body: (String) -> Bool) throws(CacheError) {
        try forEachRecord(from: 0) { record throws(CacheError) in
            guard let url = IndexRecord.url(record) else { throw damaged }
            return body(url)
        }
    }

    private func forEachRecord(
        from start: Int,
        _ body: (UnsafeRawBufferPointer) throws(CacheError) -> Bool
    ) throws(CacheError) {
        var number = start
        var offset = number < count ? try self.offset(of: number) : 0
        // Records are adjacent, so a large window contains many of them.
        let window = UnsafeMutableRawBufferPointer.allocate(byteCount: IndexRecord.sizeLimit, alignment: 16)
        defer { window.deallocate() }
        var filled = UnsafeRawBufferPointer(start: nil, count: 0)
        while number < count {
            let next: UnsafeRawBufferPointer
            if let length = IndexRecord.length(filled), length <= filled.count {
                next = UnsafeRawBufferPointer(rebasing: filled[..<length])
            } else {
                let wanted = Int(min(UInt64(window.count), footer.order - min(offset, footer.order)))
                let got = try read(UnsafeMutableRawBufferPointer(rebasing: window[..<wanted]), at: offset)
                filled = UnsafeRawBufferPointer(rebasing: window[..<got])
                guard let length = IndexRecord.length(filled), length <= filled.count else { throw damaged }
                next = UnsafeRawBufferPointer(rebasing: filled[..<length])
            }
            guard try body(next) else { return }
            filled = UnsafeRawBufferPointer(rebasing: filled[next.count...])
            offset += UInt64(next.count)
            number += 1
        }
    }

    /// Returns the number of the first resource whose URL sorts after a text.
    func firstNumber(after text: String) throws(CacheError) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            let offset = try offset(of: middle)
            guard let resource = try record(at: offset, onlyFor: nil) else { throw damaged }
            let isAfter = text.utf8.lexicographicallyPrecedes(resource.url.utf8)
            if isAfter { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// Returns the resources whose URLs begin with a text, in the order of their URLs.
    ///
    /// This takes two small reads for each halving of the index, and two for each resource.
    ///
    /// - Parameters:
    ///   - prefix: The text.
    ///   - limit: The maximum number of resources.
    /// - Returns: The resources.
    /// - Throws: ``CacheError`` if the file can't be read or is damaged.
    func resources(beginningWith prefix: String, limit: Int) throws(CacheError) -> [IndexedResource] {
        var found: [IndexedResource] = []
        var number = try count(before: prefix)
        while number < count, found.count < limit {
            guard let resource = try record(at: try offset(of: number), onlyFor: nil) else { throw damaged }
            guard resource.url.utf8.starts(with: prefix.utf8) else { break }
            found.append(resource)
            number += 1
        }
        return found
    }

    /// Returns the resource with a number; nil if there is none.
    ///
    /// - Throws: ``CacheError`` if the file can't be read or is damaged.
    func resource(_ number: Int) throws(CacheError) -> IndexedResource? {
        guard number >= 0, number < count else { return nil }
        return try record(at: try offset(of: number), onlyFor: nil)
    }

    /// Returns the number of resources whose URLs sort before a text.
    func count(before text: String) throws(CacheError) -> Int {
        var text = text
        let result = text.withUTF8 { text in
            Result { () throws(CacheError) -> Int in
                var (low, high) = (0, count)
                while low < high {
                    let middle = (low + high) / 2
                    if try isURL(of: middle, before: text) { low = middle + 1 } else { high = middle }
                }
                return low
            }
        }
        return try result.get()
    }

    /// Returns true if the URL of a resource sorts before a text.
    private func isURL(of number: Int, before text: UnsafeBufferPointer<UInt8>) throws(CacheError) -> Bool {
        let offset = try offset(of: number)
        guard offset < footer.order else { throw damaged }
        let wanted = min(UInt64(IndexRecord.headSize + text.count), footer.order - offset)
        let isBefore = try numbers(at: offset, count: Int(wanted)) { IndexRecord.isURL(in: $0, before: text) }
        guard let isBefore else { throw damaged }
        return isBefore
    }

    private func offset(of number: Int) throws(CacheError) -> UInt64 {
        try numbers(at: footer.order + UInt64(number) * 8, count: 8) { $0.u64(0) }
    }

    private func candidates(
        _ hash: UInt64,
        _ body: (UInt64) throws(CacheError) -> IndexedResource?
    ) throws(CacheError) -> IndexedResource? {
        let bucket = hash >> (64 - footer.bits)
        let (start, end) = try numbers(at: footer.buckets + bucket * 4, count: 8) { ($0.u32(0), $0.u32(4)) }
        guard start <= end, end <= footer.count else { throw damaged }
        var (low, high) = (UInt64(start), UInt64(end))
        // A bucket has about four entries. A long one, which takes effort to construct, is halved until it is short.
        while high - low > 32 {
            let middle = (low + high) / 2
            let found = try numbers(at: footer.entries + middle * 16, count: 8) { $0.u64(0) }
            if found < hash { low = middle } else { high = middle }
        }
        high = min(UInt64(end), high + 32)
        guard low < high else { return nil }
        let offsets = try numbers(at: footer.entries + low * 16, count: Int(high - low) * 16) { bytes in
            stride(from: 0, to: bytes.count, by: 16).compactMap { bytes.u64($0) == hash ? bytes.u64($0 + 8) : nil }
        }
        for offset in offsets {
            if let found = try body(offset) { return found }
        }
        return nil
    }

    private enum Probe {
        case damaged
        case otherURL
        case longer(Int)
        case found(IndexedResource)

        init(_ bytes: UnsafeRawBufferPointer, onlyFor url: UnsafeBufferPointer<UInt8>?) {
            guard let length = IndexRecord.length(bytes) else {
                self = .damaged
                return
            }
            guard length <= bytes.count else {
                self = .longer(length)
                return
            }
            if let url, !IndexRecord.hasURL(url, bytes) {
                self = .otherURL
                return
            }
            let resource = IndexRecord.read(UnsafeRawBufferPointer(rebasing: bytes[..<length]))
            self = resource.map { .found($0) } ?? .damaged
        }
    }

    /// Reads a record, or returns nil if it is that of another URL.
    private func record(at offset: UInt64, onlyFor url: UnsafeBufferPointer<UInt8>?) throws(CacheError)
        -> IndexedResource?
    {
        guard offset < footer.order else { throw damaged }
        let room = footer.order - offset
        // Most records fit on the stack.
        var probe = try numbers(at: offset, count: Int(min(2048, room))) { Probe($0, onlyFor: url) }
        if case .longer(let length) = probe, UInt64(length) <= room {
            probe = try numbers(at: offset, count: length) { Probe($0, onlyFor: url) }
        }
        switch probe {
        case .found(let resource):
            // The number is also an index into other files.
            guard resource.number < count else { throw damaged }
            return resource
        case .otherURL: return nil
        case .damaged, .longer: throw damaged
        }
    }

    /// Reads a number of bytes, on the stack if they are few, and passes them to a body.
    private func numbers<Value>(at offset: UInt64, count: Int, _ body: (UnsafeRawBufferPointer) -> Value)
        throws(CacheError) -> Value
    {
        if let copy = copy.load() {
            guard let part = copy.part(at: offset, count: count) else { throw damaged }
            defer { withExtendedLifetime(copy) {} }
            return body(part)
        }
        let result = withUnsafeTemporaryAllocation(byteCount: count, alignment: 8) { buffer in
            Result { () throws(CacheError) in
                guard try read(buffer, at: offset) == count else { throw damaged }
                return body(UnsafeRawBufferPointer(buffer))
            }
        }
        return try result.get()
    }

    private func read(_ buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(CacheError) -> Int {
        guard let count = Descriptor.read(descriptor, into: buffer, at: Int64(clamping: offset)) else {
            throw .system("cannot read the index", path: path)
        }
        return count
    }

    private var damaged: CacheError { isMounted ? MountFile.damaged(path) : Self.damaged(path) }

    static func damaged(_ path: String) -> CacheError {
        CacheError(
            .damaged,
            subject: path,
            message: "the index is damaged; load its package again, or repair the cache",
            remedy: .repairCache(nil)
        )
    }
}
