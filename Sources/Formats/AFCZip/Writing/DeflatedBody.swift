public import AFCFiles

/// A body that was compressed, or stored, before the archive is written.
public struct DeflatedBody: Sendable {
    let file: OpenFile
    /// Where its data lies, in order.
    public let extents: [FileExtent]
    /// Its checksum and sizes.
    public let totals: Deflater.Totals
    /// How it is compressed.
    public let method: ZipMember.Method
}

extension SpoolFile {
    /// A body whose data lies in this file.
    ///
    /// - Parameters:
    ///   - extents: Where its data lies, in order; neighbours become one.
    ///   - totals: Its checksum and sizes.
    ///   - method: How it is compressed.
    /// - Returns: The body.
    public func body(extents: [FileExtent], totals: Deflater.Totals, method: ZipMember.Method) -> DeflatedBody {
        var joined: [FileExtent] = []
        joined.reserveCapacity(1)
        for extent in extents {
            if let last = joined.last, last.offset + Int64(last.count) == extent.offset {
                joined[joined.count - 1].count += extent.count
            } else {
                joined.append(extent)
            }
        }
        return DeflatedBody(file: file, extents: joined, totals: totals, method: method)
    }
}
