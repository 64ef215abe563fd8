import AFCPackageFormat
import AFCZip
import CZstd

/// A patch made by the choices that the input's bytes are: right, with here and there something wrong.
///
/// Bytes that change at random hardly ever have the digest that the table must have; this patch always does, unless it is
/// chosen to be wrong.
struct ChosenPatch {
    private static let names = [
        "d.example/a", "d.example/b.html", ".afcache/package.json", "manifest.afcache", "../x", "A",
    ]

    private var choices: ArraySlice<UInt8>
    private let old: [[UInt8]]
    private var metadata: [UInt8] = []
    private var frames: [UInt8] = []
    private var table: [UInt8] = []
    private var members: [PackageDigest.Member] = []
    private var whole: [NewMember] = []

    /// - Parameters:
    ///   - bytes: The choices.
    ///   - old: The bodies that the old package has.
    init(_ bytes: UnsafeRawBufferPointer, old: [[UInt8]]) {
        choices = Array(bytes)[...]
        self.old = old
    }

    private mutating func next() -> Int { Int(choices.popFirst() ?? 0) }
    private mutating func isRare() -> Bool { next() > 0xF0 }

    private mutating func taken(_ count: Int) -> [UInt8] {
        let bytes = Array(choices.prefix(count))
        choices = choices.dropFirst(count)
        return bytes
    }

    /// The members of the patch's archive.
    mutating func archive() -> [NewMember] {
        for _ in 0..<(next() % 8) { addLine() }
        if isRare() { table += taken(next()) }
        let digest = PackageDigest(of: members).hexadecimal
        var sizes = (metadata.count, table.count)
        if isRare() { sizes.0 += next() - 128 }
        if isRare() { sizes.1 = next() << 20 }
        var header = """
            {"format":\(isRare() ? next() : 1),"old":"\(digest)","new":"\(digest)","modified":\(isRare() ? -next() : 1),\
            "generator":"t","metadataBytes":\(sizes.0),"tableBytes":\(sizes.1)}
            """.utf8.map { $0 }
        corrupt(&header)
        var text = Self.frame(of: metadata + table, dictionary: [])
        corrupt(&text)
        var frames = frames
        corrupt(&frames)
        var archive = [
            NewMember(name: ".afcache/delta", content: .bytes(header), isCompressible: true),
            NewMember(name: ".afcache/delta.members", content: .bytes(text), isCompressible: isRare()),
        ]
        if !frames.isEmpty || isRare() {
            archive.append(NewMember(name: ".afcache/delta.bodies", content: .bytes(frames), isCompressible: isRare()))
        }
        return archive + whole
    }

    private mutating func addLine() {
        let choice = next()
        let name =
            isRare() ? String(decoding: taken(next()), as: UTF8.self) : Self.names[next() % 3] + "\(members.count)"
        let odd = isRare() ? Self.names[next() % Self.names.count] : name
        let base = old[next() % old.count]
        var body = base
        // A body that differs a little from the old one.
        if choice % 5 != 1 { body.replaceSubrange(0..<min(body.count, 1 + next() % 8), with: taken(next())) }
        var member = PackageDigest.Member(name: odd, body: body)
        var way: String
        switch choice % 5 {
        case 0:
            metadata += body
            way = "inline"
        case 1: way = "kept"
        case 2:
            var frame = Self.frame(of: body, dictionary: base)
            corrupt(&frame)
            frames += frame
            let id = PackageDigest.Member(name: "", body: isRare() ? body : base).sha256.prefix(16)
            way = "patched \(frame.count) \(id)"
        case 3:
            var frame = Self.frame(of: body, dictionary: [])
            corrupt(&frame)
            frames += frame
            way = "whole \(frame.count)"
        default:
            way = "member"
            whole.append(NewMember(name: isRare() ? name : odd, content: .bytes(body), isCompressible: isRare()))
        }
        if isRare() { member.size += Int64(next()) << (Int64(next()) % 56) }
        if isRare() { way += " \(next())" }
        members.append(member)
        table += Array("\(member.sha256) \(member.size) \(way) \(member.name)\n".utf8)
    }

    private mutating func corrupt(_ bytes: inout [UInt8]) {
        guard isRare(), !bytes.isEmpty else { return }
        let place = (next() << 8 | next()) % bytes.count
        if isRare() { bytes.removeSubrange(place...) } else { bytes[place] = UInt8(next()) }
    }

    private static func frame(of body: [UInt8], dictionary: [UInt8]) -> [UInt8] {
        guard let context = ZSTD_createCCtx() else { fatalError("there is no memory for a context") }
        defer { ZSTD_freeCCtx(context) }
        var frame = [UInt8](repeating: 0, count: ZSTD_compressBound(body.count))
        let size = dictionary.withUnsafeBytes { prefix in
            if !prefix.isEmpty { ZSTD_CCtx_refPrefix(context, prefix.baseAddress, prefix.count) }
            return frame.withUnsafeMutableBytes { target in
                body.withUnsafeBytes {
                    ZSTD_compress2(context, target.baseAddress, target.count, $0.baseAddress, $0.count)
                }
            }
        }
        precondition(ZSTD_isError(size) == 0)
        return Array(frame.prefix(size))
    }
}
