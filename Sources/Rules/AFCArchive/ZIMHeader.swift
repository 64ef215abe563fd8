/// The beginning of a ZIM file (https://wiki.openzim.org/wiki/ZIM_file_format), with its lists within the file.
package struct ZIMHeader: Equatable, Sendable {
    /// The size in bytes.
    package static let size = 80
    /// The number with which each file begins.
    package static let mark: [UInt8] = [0x5A, 0x49, 0x4D, 0x04]

    /// The reason why a file can't be read.
    package enum Malformation: Error, Equatable {
        /// It isn't a ZIM file, or shorter than its beginning.
        case noHeader
        /// Another version than 5 or 6.
        case version(Int)
        /// A list isn't within the file: the end of the file is missing, or the beginning is damaged.
        case cut
    }

    /// True if all content is in one namespace (version 6.1 and later).
    package let hasOneNamespace: Bool
    /// The number of entries.
    package let entryCount: Int
    /// The number of clusters.
    package let clusterCount: Int
    /// The offset of the list of the entries' offsets, 8 bytes each, sorted by path.
    package let entryList: Int64
    /// The offset of the list of the clusters' offsets, 8 bytes each.
    package let clusterList: Int64
    /// The offset of the list of media types.
    package let typeList: Int64
    /// The number of the entry that a reader shows first; nil if there is none.
    package let mainPage: Int?
    /// The offset of the MD5 of everything before it; the end of the contents.
    package let checksum: Int64

    /// Reads the beginning.
    ///
    /// - Parameters:
    ///   - bytes: The first 80 bytes.
    ///   - fileSize: The size of the file in bytes.
    /// - Throws: ``Malformation``.
    package init(_ bytes: [UInt8], fileSize: Int64) throws(Malformation) {
        guard bytes.count >= Self.size, bytes.starts(with: Self.mark) else { throw .noHeader }
        let major = Int(bytes.little(4, 2))
        guard major == 5 || major == 6 else { throw .version(major) }
        hasOneNamespace = major == 6 && bytes.little(6, 2) >= 1
        entryCount = Int(bytes.little(24, 4))
        clusterCount = Int(bytes.little(28, 4))
        func position(_ offset: Int) -> Int64? {
            let value = bytes.little(offset, 8)
            return value >= UInt64(Self.size) && value <= UInt64(fileSize) ? Int64(value) : nil
        }
        guard let checksum = position(72), let entryList = position(32), let clusterList = position(48),
            let typeList = position(56), checksum <= fileSize - 16, typeList < checksum,
            Int64(entryCount) <= (checksum - entryList) / 8, Int64(clusterCount) <= (checksum - clusterList) / 8
        else { throw .cut }
        (self.checksum, self.entryList, self.clusterList, self.typeList) = (checksum, entryList, clusterList, typeList)
        let main = bytes.little(64, 4)
        mainPage = main < UInt64(entryCount) ? Int(main) : nil
    }
}

/// An entry of a ZIM file.
package struct ZIMEntry: Equatable, Sendable {
    /// The most bytes of an entry that are read.
    package static let limit = 16 << 10

    /// The contents of an entry.
    package enum Content: Equatable, Sendable {
        /// A blob in a cluster, with the number of its media type.
        case blob(cluster: Int, number: Int, type: Int)
        /// The number of another entry.
        case redirect(Int)
        /// Nothing: a mark of older versions.
        case nothing
    }

    /// The namespace, a letter or sign.
    package let namespace: UInt8
    /// The path, in UTF-8.
    package let path: [UInt8]
    /// The contents.
    package let content: Content

    /// Reads an entry; nil if it doesn't end within the bytes.
    ///
    /// - Parameter bytes: The bytes from the beginning of the entry on.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count > 12 else { return nil }
        let type = Int(bytes.little(0, 2))
        let start: Int
        switch type {
        case 0xFFFF:
            content = .redirect(Int(bytes.little(8, 4)))
            start = 12
        case 0xFFFD, 0xFFFE:
            content = .nothing
            start = 8
        default:
            guard bytes.count > 16 else { return nil }
            content = .blob(cluster: Int(bytes.little(8, 4)), number: Int(bytes.little(12, 4)), type: type)
            start = 16
        }
        namespace = bytes[3]
        guard let end = bytes[start...].firstIndex(of: 0) else { return nil }
        path = Array(bytes[start..<end])
    }
}

extension [UInt8] {
    /// Returns a number of up to 8 bytes, the lowest first.
    fileprivate func little(_ offset: Int, _ size: Int) -> UInt64 {
        self[offset..<(offset + size)].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
