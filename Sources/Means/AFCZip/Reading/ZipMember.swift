/// A file or folder in an archive, on which the directory and the local header agree.
public struct ZipMember: Equatable, Sendable {
    /// A compression method.
    public enum Method: UInt16, Sendable {
        /// No compression.
        case stored = 0
        /// Deflate (RFC 1951).
        case deflated = 8
    }

    /// The name; a folder's name ends in a slash.
    public var name: String
    /// The compression method of the data.
    public var method: Method
    /// The checksum of the body.
    public var crc32: UInt32
    /// The size of the data in the archive, in bytes.
    public var compressedSize: Int64
    /// The size of the body, in bytes.
    public var uncompressedSize: Int64
    /// The offset of the data in the archive.
    public var dataOffset: Int64
    /// True if the member is a folder.
    public var isDirectory: Bool
    /// The date and time as MS-DOS writes them, with the date in the upper half.
    public var dosDateTime: UInt32
    /// The encryption of the member, or nil if it isn't encrypted.
    public var encryption: Encryption?
    /// True if a data descriptor after the data repeats checksum and sizes for streaming readers.
    var isDescribed = false

    /// The date and time as seconds since 1970, read as UTC; nil if they are invalid.
    public var modified: Int64? {
        let (date, time) = (Int64(dosDateTime >> 16), Int64(dosDateTime & 0xFFFF))
        let (year, month, day) = (1980 + (date >> 9), date >> 5 & 15, date & 31)
        guard (1...12).contains(month), day >= 1 else { return nil }
        let shifted = month <= 2 ? year - 1 : year
        let era = shifted / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let days = era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
        return days * 86400 + (time >> 11) * 3600 + (time >> 5 & 63) * 60 + (time & 31) * 2
    }
}
