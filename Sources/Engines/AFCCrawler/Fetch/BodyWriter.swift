package import AFCCrawlRules
internal import AFCHTTP
internal import AFCText
package import AFCURL
package import AFCZip
internal import Crypto
internal import HTTPTypes

/// Puts the body of a response into the spool as it arrives, and counts and hashes it.
package struct BodyWriter {
    /// A complete body.
    package struct Body {
        /// The location of the body.
        package var content: DeflatedBody
        /// The size in bytes, without coding.
        package var size: Int64
        /// The SHA-256 in hexadecimal digits.
        package var sha256: String
    }

    /// The largest body that waits in memory for its end.
    static let memoryLimit = 1 << 20

    /// The number of bytes so far.
    package private(set) var size: Int64 = 0
    private let spool: BodySpool
    private var isCompressible = false
    private var hash = SHA256()
    private var memory: [UInt8] = []
    private var stream: SpooledBody?

    /// Creates a writer of one body.
    package init(spool: BodySpool) { self.spool = spool }

    /// Begins a body; its media type decides whether deflating it is worth the time.
    package mutating func begin(_ head: FetchHead, url: WebURL) {
        let type = head.fields.value(of: .contentType).flatMap { MediaType($0) }
        isCompressible = MediaType.isCompressible(type, path: url.path)
    }

    /// Adds the next bytes.
    ///
    /// - Throws: ``FetchFailure`` if the spool can't be written.
    package mutating func append(_ bytes: UnsafeRawBufferPointer) throws(FetchFailure) {
        size += Int64(bytes.count)
        hash.update(bufferPointer: bytes)
        if stream == nil {
            memory.append(contentsOf: bytes)
            guard memory.count > Self.memoryLimit else { return }
            stream = try spool.begin(memory, isCompressible: isCompressible)
            memory = []
        } else {
            try stream?.append(bytes)
        }
    }

    /// Ends the body.
    ///
    /// - Throws: ``FetchFailure`` if the spool can't be written.
    package mutating func finish() throws(FetchFailure) -> Body {
        let content: DeflatedBody
        if let stream {
            content = try stream.finish()
        } else {
            content = try spool.store(memory, isCompressible: isCompressible)
        }
        return Body(content: content, size: size, sha256: Hexadecimal.text(hash.finalize()))
    }
}
