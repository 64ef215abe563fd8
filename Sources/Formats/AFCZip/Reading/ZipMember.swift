/// A file or folder in an archive, as its directory and its local header say alike.
public struct ZipMember: Equatable, Sendable {
    /// How the data is compressed.
    public enum Method: UInt16, Sendable {
        /// Not at all.
        case stored = 0
        /// By deflate (RFC 1951).
        case deflated = 8
    }

    /// The name; a folder's ends in a slash.
    public var name: String
    /// How the data is compressed.
    public var method: Method
    /// The checksum of the body.
    public var crc32: UInt32
    /// The bytes of the data in the archive.
    public var compressedSize: Int64
    /// The bytes of the body.
    public var uncompressedSize: Int64
    /// Where the data begins in the archive.
    public var dataOffset: Int64
    /// Whether the member is a folder.
    public var isDirectory: Bool
    /// Date and time as MS-DOS wrote them: the date in the upper half.
    public var dosDateTime: UInt32
    /// How the member is encrypted, or nil where it isn't.
    public var encryption: Encryption?
    /// Whether checksum and sizes stand behind the data once more, for readers that only go forward.
    var isDescribed = false

    /// Date and time as seconds since 1970, taken as UTC; nil where they are none.
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
