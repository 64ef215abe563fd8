internal import AFCHTTP
internal import AFCText
internal import HTTPTypes
internal import RawStructuredFieldValues

/// The fields with digests of bodies, and the clients' wishes for them (RFC 9530).
enum BodyDigests {
    /// The only algorithm whose digest a cache knows (RFC 9530 §5).
    private static let algorithm = "sha-256"

    /// Returns true if a client accepts the algorithm (RFC 9530 §4): its preference is from 1 to 10.
    ///
    /// - Parameters:
    ///   - name: The field with the wishes.
    ///   - request: The request's fields.
    /// - Returns: True if the client wants the digest.
    static func isWanted(_ name: HTTPField.Name, by request: HTTPFields) -> Bool {
        guard case .integer(let preference)? = member(of: name, in: request) else { return false }
        return (1...10).contains(preference)
    }

    /// Adds the digests that a client wants to an answer.
    ///
    /// - Parameters:
    ///   - answer: The answer, whose head and body are complete.
    ///   - stored: The stored response that it is made from.
    ///   - request: The request.
    ///   - head: The parsed fields of the request.
    static func add(
        to answer: inout Resolution,
        of stored: StoredResponse,
        _ request: CacheRequest,
        _ head: RequestHead
    ) {
        // The digest is that of the stored bytes, and gzip is made while a body is sent.
        guard stored.coding != .gzip, stored.status != 204, stored.status != 304,
            answer.status.code == stored.status || answer.status == .partialContent,
            let digest = stored.sha256.flatMap(Hexadecimal.bytes), digest.count == 32
        else { return }
        let value = "\(algorithm)=:\(Base64.encode(digest)):"
        func add(_ name: HTTPField.Name, _ wish: HTTPField.Name) {
            guard isWanted(wish, by: request.fields), member(of: name, in: answer.fields) == nil else { return }
            answer.fields.append(HTTPField(name: name, value: value))
        }
        // Of a representation of which only a part is stored, the digest isn't known.
        if head.wantsReprDigest, stored.status != 206 { add(.reprDigest, .wantReprDigest) }
        if head.wantsContentDigest, request.method == .get, answer.hasAllBytes(of: stored) {
            add(.contentDigest, .wantContentDigest)
        }
    }

    /// Returns false if a packaged response's field has the digest of other bytes than those of its body, or of bytes
    /// that aren't known.
    ///
    /// Packages contain bodies without a coding, but origins compute digests with it (RFC 9530 §3).
    static func isOfBody(_ field: HTTPField, _ stored: StoredResponse) -> Bool {
        var fields = HTTPFields()
        fields.append(field)
        guard let digest = stored.sha256.flatMap(Hexadecimal.bytes),
            case .undecodedByteSequence(let text)? = member(of: field.name, in: fields)
        else { return false }
        return Base64.decode(text[...]) == digest
    }

    /// Returns the algorithm's member of a dictionary field; nil if there is none, or the field is malformed.
    private static func member(of name: HTTPField.Name, in fields: HTTPFields) -> RFC9651BareItem? {
        guard case .item(let item)? = StructuredText.dictionary(fields[values: name])?[algorithm] else { return nil }
        return item.rfc9651BareItem
    }
}

extension Resolution {
    /// Returns true if all stored bytes, and only these, follow the head.
    fileprivate func hasAllBytes(of stored: StoredResponse) -> Bool {
        switch body {
        case .whole: true
        case .range(let range): range == 0..<stored.size
        case .none: stored.size == 0
        case .parts: false
        }
    }
}
