internal import AFCArchive
internal import AFCCoding
internal import AFCCrawlRules
internal import AFCCrawler
internal import AFCHTTP
internal import AFCURL
internal import AFCZip
internal import Crypto
internal import HTTPTypes

/// Decodes the bodies of archives, whose fields often state codings that were removed, and puts them into the store.
///
/// A body that isn't coded as its fields say is taken as it is, unless its first bytes show that it is coded and damaged.
struct BodyIntake {
    /// A body in the store.
    struct Result {
        var body: BodyWriter.Body
        /// The content coding that was removed.
        var coding: String?
        /// What is wrong with the body, although it is taken.
        var notes: [(kind: ImportNote.Kind, detail: String)] = []
    }

    /// The reason why a body can't be taken.
    struct Refusal: Error {
        var kind: ImportNote.Kind
        var detail = ""
    }

    /// The largest ratio of decoded to coded size, of bodies with more than some MiB.
    private static let maxExpansion: Int64 = 1100
    private static let freeBytes: Int64 = 64 << 20

    let store: CaptureStore
    let folder: String
    let limit: Int64

    /// Stores a body that mostly isn't coded any more, although its fields say so.
    ///
    /// - Parameters:
    ///   - raw: The bytes.
    ///   - head: The status and fields; gets the coding that was removed.
    ///   - url: The URL.
    /// - Returns: The body.
    /// - Throws: ``Refusal``, or ``ImportError``.
    func decodedOrNot(_ raw: BodyBuffer, _ head: inout FetchHead, _ url: WebURL) throws -> Result {
        // Both are those of the response as it was sent.
        var stored = head
        stored.fields[.transferEncoding] = nil
        stored.fields[.contentLength] = nil
        var result = try body(raw, stored, url, nil)
        result.notes.removeAll { $0.kind == .plain }
        let codings = try? ContentCoding.named(by: head.fields)
        head.coding = result.coding ?? codings.flatMap { ContentCoding.words($0) }
        return result
    }

    /// Stores the body of an HTTP response as it is in an archive.
    ///
    /// - Parameters:
    ///   - raw: The bytes after the head.
    ///   - head: The status and fields.
    ///   - url: The URL.
    ///   - digest: The digest that the archive states.
    /// - Returns: The body.
    /// - Throws: ``Refusal``, or ``ImportError``.
    func body(_ raw: BodyBuffer, _ head: FetchHead, _ url: WebURL, _ digest: StatedDigest?) throws -> Result {
        guard !raw.isTooLarge else { throw Refusal(kind: .tooLarge) }
        var notes: [(ImportNote.Kind, String)] = []
        let transfer = head.fields[values: .transferEncoding].joined(separator: ",").lowercased()
        let message = try transfer.contains("chunked") ? dechunked(raw, &notes) : raw
        guard !message.isTooLarge else { throw Refusal(kind: .tooLarge) }
        let entity = try withoutTransferCodings(message, transfer, head, &notes)
        if entity === raw, let stated = head.fields.value(of: .contentLength).flatMap({ Int64($0) }), stated > raw.size,
            transfer.isEmpty, !(300..<400).contains(head.status)
        {
            notes.append((.short, "\(raw.size) of \(stated) bytes"))
        }
        let codings = try Self.codings(head.fields[values: .contentEncoding].joined(separator: ","))
        var hash = digest.map { DigestCheck($0) }
        var result = try decoded(entity, codings, head, url, &hash, &notes)
        // A digest may be that of the coded body, which is gone if the body isn't coded as stated.
        if let digest, raw.size > 0, !notes.contains(where: { $0.0 == .plain }),
            try !isSound(digest, [raw, message, entity], hash)
        {
            notes.append((.digest, ""))
        }
        result.notes = notes.map { (kind: $0.0, detail: $0.1) }
        return result
    }

    /// Stores a body that isn't coded.
    func plain(_ raw: BodyBuffer, _ head: FetchHead, _ url: WebURL) throws -> Result {
        guard !raw.isTooLarge else { throw Refusal(kind: .tooLarge) }
        var writer = BodyWriter(spool: store.writers)
        writer.begin(head, url: url)
        try raw.forEachPiece { try append($0, to: &writer) }
        return Result(body: try finish(&writer))
    }

    /// Stores a body that is given in base 64; nil if it isn't base 64.
    ///
    /// - Parameters:
    ///   - raw: The text.
    ///   - head: The status and fields.
    ///   - url: The URL.
    ///   - size: The size that is stated for the body; it decides on what is base 64 by chance, or not padded.
    /// - Returns: The body.
    /// - Throws: ``Refusal``, or ``ImportError``.
    func base64(_ raw: BodyBuffer, _ head: FetchHead, _ url: WebURL, size: Int64) throws -> Result? {
        guard !raw.isTooLarge else { throw Refusal(kind: .tooLarge) }
        var writer = BodyWriter(spool: store.writers)
        writer.begin(head, url: url)
        var decoder = Base64Decoder()
        try raw.forEachPiece { piece in
            guard let bytes = decoder.decode(piece) else { return }
            try bytes.withUnsafeBytes { try append($0, to: &writer) }
        }
        guard let rest = decoder.finish() else { return nil }
        try rest.withUnsafeBytes { try append($0, to: &writer) }
        let isByChance = raw.size == size && size < Self.chanceLimit && !decoder.hasPadding
        guard writer.size == size || decoder.isPadded && !isByChance else { return nil }
        return Result(body: try finish(&writer))
    }

    /// Stores a body whose content coding the archive doesn't state, as programs keep it that neither decode bodies nor
    /// write the field.
    ///
    /// The type decides: a text that has control characters is decoded if a coding makes text of it.
    func unstated(_ raw: BodyBuffer, _ head: FetchHead, _ url: WebURL) throws -> Result {
        guard !raw.isTooLarge else { throw Refusal(kind: .tooLarge) }
        if let type = head.fields.value(of: .contentType).flatMap({ MediaType($0) }), type.isText,
            try !raw.beginning(Self.textSample).allSatisfy(Self.isTextByte), try !isUTF16(raw)
        {
            let isGzip = try raw.beginning(2) == Self.gzipMark
            for coding in isGzip ? [.gzip] : [.deflate, .zstandard, .brotli] as [ContentCoding] {
                guard let text = try text(in: raw, coding) else { continue }
                var result = try plain(text, head, url)
                result.coding = coding.rawValue
                result.notes = [(.plain, coding.rawValue)]
                return result
            }
        }
        return try plain(raw, head, url)
    }

    /// No text of this length is base 64 by chance.
    private static let chanceLimit: Int64 = 100
    private static let gzipMark: [UInt8] = [0x1F, 0x8B]
    /// The number of bytes at the beginning of a body that show whether it is text.
    private static let textSample = 1024

    /// False for control characters that texts don't have.
    private static func isTextByte(_ byte: UInt8) -> Bool {
        byte >= 0x20 || (0x09..<0x0E).contains(byte) || byte == 0x1B
    }

    private func isUTF16(_ raw: BodyBuffer) throws -> Bool {
        let mark = try raw.beginning(2)
        return mark == [0xFE, 0xFF] || mark == [0xFF, 0xFE]
    }

    /// Returns the text that a coding makes of a body; nil if it isn't coded so to its end.
    private func text(in raw: BodyBuffer, _ coding: ContentCoding) throws -> BodyBuffer? {
        guard let text = try copy(of: raw, without: [coding]), text.size > 0, !text.isTooLarge else { return nil }
        return try text.beginning(Self.textSample).allSatisfy(Self.isTextByte) ? text : nil
    }

    /// Returns a body without codings, or its beginning if it is too large; nil if it isn't coded so to its end.
    private func copy(of raw: BodyBuffer, without codings: [ContentCoding]) throws -> BodyBuffer? {
        let result = BodyBuffer(limit: limit, folder: folder)
        do {
            var decoder = try ContentDecoder(codings, maxExpansion: .max)
            try raw.forEachPiece { piece in
                _ = try decoder.decode(piece) { bytes in
                    try result.append(bytes)
                    return !result.isTooLarge && Self.isPlausible(result.size, of: raw)
                }
            }
            if !result.isTooLarge { try decoder.finish() }
        } catch is ContentDecoder.Failure {
            return nil
        } catch let error as ZipError {
            throw ImportError(error, subject: folder)
        }
        return Self.isPlausible(result.size, of: raw) ? result : nil
    }

    /// Returns the body without transfer codings other than chunked (RFC 9112 §7.2); the same if it has none.
    private func withoutTransferCodings(
        _ message: BodyBuffer,
        _ transfer: String,
        _ head: FetchHead,
        _ notes: inout [(ImportNote.Kind, String)]
    ) throws -> BodyBuffer {
        let codings = try Self.codings(transfer)
        guard !codings.isEmpty, message.size > 0 else { return message }
        if let result = try copy(of: message, without: codings) {
            guard !result.isTooLarge else { throw Refusal(kind: .tooLarge) }
            return result
        }
        let name = ContentCoding.words(codings) ?? ""
        guard try !isCoded(message, codings.last, head) else { throw Refusal(kind: .damagedCoding, detail: name) }
        notes.append((.plain, name))
        return message
    }

    /// Returns the codings that the values of Content-Encoding or Transfer-Encoding name, without chunked.
    private static func codings(_ values: String) throws -> [ContentCoding] {
        do throws(ContentCoding.Unsupported) {
            return try ContentCoding.named(by: [.contentEncoding: values])
        } catch {
            throw Refusal(kind: .coding, detail: error.names)
        }
    }

    /// Returns the body without the chunked coding; the same if it doesn't have it.
    private func dechunked(_ raw: BodyBuffer, _ notes: inout [(ImportNote.Kind, String)]) throws -> BodyBuffer {
        guard raw.size > 0 else { return raw }
        var decoder = ChunkedDecoder()
        let result = BodyBuffer(limit: limit, folder: folder)
        try raw.forEachPiece { piece in try decoder.decode(piece) { try result.append($0) } }
        if decoder.isFinished { return result }
        // Some writers remove the coding, and leave the field.
        guard decoder.chunks > 0 else {
            notes.append((.plain, "chunked"))
            return raw
        }
        notes.append((.chunks, ""))
        return result
    }

    private func decoded(
        _ entity: BodyBuffer,
        _ codings: [ContentCoding],
        _ head: FetchHead,
        _ url: WebURL,
        _ hash: inout DigestCheck?,
        _ notes: inout [(ImportNote.Kind, String)]
    ) throws -> Result {
        guard !codings.isEmpty, entity.size > 0 else { return try plain(entity, head, url) }
        var writer = BodyWriter(spool: store.writers)
        writer.begin(head, url: url)
        do {
            var decoder = try ContentDecoder(codings, maxExpansion: .max)
            try entity.forEachPiece { piece in
                _ = try decoder.decode(piece) { bytes in
                    let size = writer.size + Int64(bytes.count)
                    guard size <= limit else { throw Refusal(kind: .tooLarge) }
                    guard Self.isPlausible(size, of: entity) else { throw ContentDecoder.Failure.expansion }
                    hash?.update(bytes)
                    try append(bytes, to: &writer)
                    return true
                }
            }
            try decoder.finish()
        } catch let failure as ContentDecoder.Failure {
            hash = nil
            let name = ContentCoding.words(codings) ?? ""
            guard failure != .expansion, try !isCoded(entity, codings.last, head) else {
                throw Refusal(kind: .damagedCoding, detail: name)
            }
            notes.append((.plain, name))
            return try plain(entity, head, url)
        } catch let error as ZipError {
            throw ImportError(error, subject: folder)
        }
        return Result(body: try finish(&writer), coding: ContentCoding.words(codings))
    }

    /// Returns true unless so many bytes can't come from a coded body.
    private static func isPlausible(_ size: Int64, of entity: BodyBuffer) -> Bool {
        size <= freeBytes || (size - freeBytes) / maxExpansion <= entity.size
    }

    /// The beginnings of fonts, WebAssembly and 3D models, which are mostly sent in a coding.
    private static let marks = [
        "wOFF", "wOF2", "OTTO", "ttcf", "glTF", "\0asm", "\0\u{1}\0\0",
    ].map { Array($0.utf8) }

    /// Returns true if the first bytes are those of a coding that has its own, or not those of the body's type.
    private func isCoded(_ entity: BodyBuffer, _ coding: ContentCoding?, _ head: FetchHead) throws -> Bool {
        switch coding {
        case .gzip: try entity.beginning(3) == [0x1F, 0x8B, 0x08]
        case .zstandard: try entity.beginning(4) == [0x28, 0xB5, 0x2F, 0xFD]
        case .deflate, .brotli:
            // Neither has a mark; text has no control characters, and other types have marks.
            try !entity.beginning(Self.textSample).allSatisfy(Self.isTextByte) && !hasMark(entity, head)
        case nil: false
        }
    }

    /// Returns true if a body begins as those of its type do.
    private func hasMark(_ entity: BodyBuffer, _ head: FetchHead) throws -> Bool {
        let beginning = try entity.beginning(MediaType.decidingBytes)
        if Self.marks.contains(where: beginning.starts) { return true }
        func group(_ type: MediaType) -> Substring { type.essence.prefix { $0 != "/" } }
        guard let type = head.fields.value(of: .contentType).flatMap({ MediaType($0) }), !type.isText else {
            return false
        }
        let found = MediaType(ofUnstated: beginning)
        return found.essence != "application/octet-stream" && group(found) == group(type)
    }

    /// Returns true if a digest is that of the body in one of its forms: writers disagree on which.
    private func isSound(
        _ digest: StatedDigest,
        _ forms: [BodyBuffer],
        _ decoded: consuming DigestCheck?
    ) throws -> Bool {
        for (index, form) in forms.enumerated() where index == 0 || form !== forms[index - 1] {
            var check = DigestCheck(digest)
            try form.forEachPiece { check.update($0) }
            if check.fits { return true }
        }
        return decoded?.fits ?? false
    }

    private func append(_ bytes: UnsafeRawBufferPointer, to writer: inout BodyWriter) throws {
        do throws(FetchFailure) { try writer.append(bytes) } catch { throw ImportError(error, folder: folder) }
    }

    private func finish(_ writer: inout BodyWriter) throws -> BodyWriter.Body {
        do throws(FetchFailure) { return try writer.finish() } catch { throw ImportError(error, folder: folder) }
    }
}

extension MediaType {
    /// True for types of text.
    var isText: Bool {
        essence.hasPrefix("text/") || ["javascript", "json", "xml"].contains { essence.hasSuffix($0) }
    }
}

/// A digest that is computed to compare it with a stated one.
struct DigestCheck {
    private enum Hash {
        case sha1(Insecure.SHA1)
        case sha256(SHA256)
        case md5(Insecure.MD5)
    }

    private let stated: StatedDigest
    private var hash: Hash

    init(_ stated: StatedDigest) {
        self.stated = stated
        hash =
            switch stated.algorithm {
            case .sha1: .sha1(Insecure.SHA1())
            case .sha256: .sha256(SHA256())
            case .md5: .md5(Insecure.MD5())
            }
    }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        switch hash {
        case .sha1(var hash):
            hash.update(bufferPointer: bytes)
            self.hash = .sha1(hash)
        case .sha256(var hash):
            hash.update(bufferPointer: bytes)
            self.hash = .sha256(hash)
        case .md5(var hash):
            hash.update(bufferPointer: bytes)
            self.hash = .md5(hash)
        }
    }

    /// True if the digest is the stated one.
    var fits: Bool {
        switch hash {
        case .sha1(let hash): Array(hash.finalize()) == stated.bytes
        case .sha256(let hash): Array(hash.finalize()) == stated.bytes
        case .md5(let hash): Array(hash.finalize()) == stated.bytes
        }
    }
}
