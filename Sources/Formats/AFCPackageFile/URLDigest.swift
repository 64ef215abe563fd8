internal import AFCPackageFormat
internal import AFCText
internal import AFCURL
internal import Crypto

/// The SHA-256 of URLs, each with a line feed behind it: which resources a package has.
struct URLDigest {
    private var hash = SHA256()

    mutating func add(_ url: WebURL) {
        var text = url.description
        text.append("\n")
        text.withUTF8 { hash.update(bufferPointer: UnsafeRawBufferPointer($0)) }
    }

    /// The digest as hexadecimal digits.
    var text: String { Hexadecimal.text(hash.finalize()) }
}
