public import AFCFiles
import AFCPlatform

/// Bodies of a cache's packages, found by the first 8 bytes of their SHA-256.
///
/// Any generation of any package may hold a body. The index that says so isn't trusted, and 8 bytes don't identify a
/// body: its reader hashes it.
public struct BodyLookUp: Sendable {
    /// Where a body is.
    private struct Place {
        var source: UInt32
        /// The number of a resource that has it.
        var number: UInt32
    }

    /// A generation that holds bodies.
    private struct Source {
        let layout: GenerationLayout
        let files: OpenFolder
        let index: GenerationIndex
    }

    private var sources: [Source] = []
    private var places: [UInt64: Place] = [:]

    /// Looks for bodies.
    ///
    /// - Parameters:
    ///   - wanted: The keys of the bodies.
    ///   - generations: The generations to search; the first one that holds a body is used.
    init(of wanted: Set<UInt64>, in generations: [GenerationLayout]) {
        for generation in generations where places.count < wanted.count {
            // A generation that can't be read holds nothing; checking the cache reports it.
            guard let files = try? generation.openFiles(), let index = try? GenerationIndex(generation) else {
                continue
            }
            let source = UInt32(sources.count)
            sources.append(Source(layout: generation, files: files, index: index))
            try? index.forEach { resource throws(CacheError) in
                guard let member = resource.member, let key = Self.key(resource.digest), wanted.contains(key),
                    places[key] == nil, Self.size(of: member, in: files) == resource.size
                else { return true }
                places[key] = Place(source: source, number: resource.number)
                return true
            }
        }
    }

    /// Returns the first 8 bytes of a SHA-256 as a number, the first byte highest; nil unless there are 32 bytes.
    static func key(_ digest: [UInt8]) -> UInt64? {
        digest.count == 32 ? digest.prefix(8).reduce(0) { $0 << 8 | UInt64($1) } : nil
    }

    /// Returns true if the cache held a body when it was searched.
    func contains(_ key: UInt64) -> Bool { places[key] != nil }

    /// Opens a body.
    ///
    /// - Parameter number: The first 8 bytes of its SHA-256 as a number, the first byte highest.
    /// - Returns: The file; nil if the cache doesn't hold the body.
    public func file(_ number: UInt64) -> OpenFile? { open(number)?.file }

    /// Opens a body, and says where it is.
    ///
    /// - Parameter key: The body's key.
    /// - Returns: The file, its folder and its name there, and the generation; nil if the cache doesn't hold the body.
    func open(_ key: UInt64) -> (file: OpenFile, folder: OpenFolder, name: String, generation: GenerationLayout)? {
        guard let place = places[key] else { return nil }
        let source = sources[Int(place.source)]
        guard let resource = try? source.index.resource(Int(place.number)), let member = resource.member,
            let (folder, name) = try? source.files.parent(of: member), let descriptor = try? folder.file(name)
        else { return nil }
        let file = OpenFile(descriptor: descriptor, path: folder.path + "/" + name)
        return (file, folder, name, source.layout)
    }

    private static func size(of member: String, in files: OpenFolder) -> Int64? {
        guard let opened = try? files.file(member) else { return nil }
        defer { close(opened) }
        var status = stat()
        return fstat(opened, &status) == 0 ? Int64(status.st_size) : nil
    }
}
