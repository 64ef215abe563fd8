internal import AFCCoding
internal import AFCFiles
internal import AFCText
internal import AFCZip

/// The copy of an archive as it was before it was compressed or encoded once more.
///
/// WARCs and ARCs need none: they are read compressed.
struct PlainCopy {
    private enum Change {
        case decompressing(ContentCoding)
        case decoding(isLittleEndian: Bool)
    }

    /// The most bytes of a copy.
    private static let byteLimit: Int64 = 64 << 30
    /// The largest ratio of decompressed to compressed bytes.
    private static let maxExpansion = 1100
    private static let records: [ImportFormat?] = [.warc, .arc, nil]

    private let change: Change

    /// Recognizes a file that needs a copy; nil for one that doesn't.
    ///
    /// - Parameter beginning: The first bytes, ``ArchiveReader/beginningSize`` if there are as many.
    init?(of beginning: [UInt8]) {
        if let isLittleEndian = Self.isLittleEndian(beginning) {
            change = .decoding(isLittleEndian: isLittleEndian)
        } else if let coding = Self.coding(of: beginning), let text = Self.decompressedBeginning(beginning),
            !Self.records.contains(ArchiveReader.format(of: text))
        {
            change = .decompressing(coding)
        } else {
            return nil
        }
    }

    /// Returns the first bytes that were compressed; nil for a file of another kind, and for a damaged one.
    static func decompressedBeginning(_ bytes: [UInt8]) -> [UInt8]? {
        guard let coding = coding(of: bytes) else { return nil }
        var text: [UInt8] = []
        do {
            var decoder = try ContentDecoder([coding], maxExpansion: 1 << 12)
            try bytes.withUnsafeBytes { bytes in
                _ = try decoder.decode(bytes) { piece in
                    text += piece.prefix(ArchiveReader.beginningSize - text.count)
                    return text.count < ArchiveReader.beginningSize
                }
            }
        } catch {
            return nil
        }
        return text
    }

    /// Returns the first bytes of what was compressed or encoded; nil for a file of another kind, and for a damaged one.
    static func changedBeginning(_ bytes: [UInt8]) -> [UInt8]? {
        guard let isLittleEndian = isLittleEndian(bytes) else { return decompressedBeginning(bytes) }
        var decoder = UTF16Decoder(isLittleEndian: isLittleEndian)
        return bytes.withUnsafeBytes { decoder.decode($0) }
    }

    /// Returns the byte order of UTF-16, by its mark; nil for another encoding.
    private static func isLittleEndian(_ bytes: [UInt8]) -> Bool? {
        if bytes.starts(with: [0xFF, 0xFE]) { return true }
        return bytes.starts(with: [0xFE, 0xFF]) ? false : nil
    }

    private static func coding(of beginning: [UInt8]) -> ContentCoding? {
        if beginning.starts(with: Inflater.gzipSignature) { return .gzip }
        return beginning.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) ? .zstandard : nil
    }

    /// Makes the copy; of a damaged file, what precedes the damage.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - name: The file's name, for errors.
    ///   - folder: The folder for the copy, which has no name.
    /// - Returns: The copy.
    /// - Throws: ``ImportError``.
    func copy(of file: OpenFile, as name: String, in folder: String) throws -> OpenFile {
        let copy: OpenFile
        do throws(FileError) {
            copy = try OpenFile(temporaryIn: folder)
        } catch {
            throw ImportError(error, subject: folder)
        }
        var size: Int64 = 0
        func write(_ bytes: UnsafeRawBufferPointer) throws {
            guard Int64(bytes.count) <= Self.byteLimit - size else {
                throw ImportError(.tooLarge, subject: name, message: "decompressed, the file has more than 64 GiB")
            }
            do throws(FileError) { try copy.write(bytes, at: size) } catch {
                throw ImportError(error, subject: folder)
            }
            size += Int64(bytes.count)
        }
        switch change {
        case .decoding(let isLittleEndian):
            var decoder = UTF16Decoder(isLittleEndian: isLittleEndian)
            try file.forEachPiece(as: name) { bytes in try decoder.decode(bytes).withUnsafeBytes(write) }
        case .decompressing(let coding):
            do {
                var decoder = try ContentDecoder([coding], maxExpansion: Self.maxExpansion)
                try file.forEachPiece(as: name) { bytes in
                    _ = try decoder.decode(bytes) { piece in
                        try write(piece)
                        return true
                    }
                }
            } catch let error as ZipError {
                throw ImportError(error, subject: name)
            } catch ContentDecoder.Failure.expansion {
                throw ImportError(
                    .malformed,
                    subject: name,
                    message: "the file expands to more than \(Self.maxExpansion) times its size when decompressed"
                )
            } catch is ContentDecoder.Failure {
                // What its reader misses, it reports.
            }
        }
        return copy
    }
}

/// Makes UTF-8 of UTF-16 that arrives in pieces, without the byte order mark.
struct UTF16Decoder {
    private let isLittleEndian: Bool
    private var isFirst = true
    /// The bytes of a unit or pair that isn't whole.
    private var rest: [UInt8] = []

    init(isLittleEndian: Bool) { self.isLittleEndian = isLittleEndian }

    /// Returns the text of the next bytes; what is no character becomes U+FFFD.
    mutating func decode(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        rest += bytes
        var units: [UInt16] = []
        units.reserveCapacity(rest.count / 2)
        for index in stride(from: 0, to: rest.count - 1, by: 2) {
            let (first, second) = (UInt16(rest[index]), UInt16(rest[index + 1]))
            units.append(isLittleEndian ? second << 8 | first : first << 8 | second)
        }
        if let last = units.last, UTF16.isLeadSurrogate(last) { units.removeLast() }
        rest.removeSubrange(..<(units.count * 2))
        guard !units.isEmpty else { return [] }
        let start = isFirst && units[0] == 0xFEFF ? 1 : 0
        isFirst = false
        return Array(String(decoding: units[start...], as: UTF16.self).utf8)
    }
}
