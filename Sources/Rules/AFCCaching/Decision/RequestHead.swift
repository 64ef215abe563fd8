internal import AFCHTTP
internal import HTTPTypes

/// The parts of a request's fields that matter to a cache, parsed in one pass.
struct RequestHead {
    var control = CacheControl()
    /// The Range field, if there is exactly one line.
    var range: String?
    var hasIfNoneMatch = false
    var hasIfModifiedSince = false
    /// True if there is an If-Match or If-Unmodified-Since, which a cache doesn't evaluate (RFC 9110 §13.1.1, §13.1.4).
    var hasOriginConditions = false
    var hasAuthorization = false
    var hasIfRange = false
    /// True if there is a Want-Repr-Digest, or a Want-Content-Digest (RFC 9530 §4).
    var wantsReprDigest = false
    var wantsContentDigest = false

    /// True if a cache can evaluate the client's own conditions.
    var hasConditions: Bool { hasIfNoneMatch || hasIfModifiedSince }
    /// True if the client accepts a stored response only after revalidation (RFC 9111 §5.2.1.4).
    var demandsValidation: Bool { control.isNoCache }

    init(_ request: CacheRequest) {
        var hasControl = false
        var hasPragma = false
        for field in request.fields {
            let name = field.name.canonicalName
            switch name.utf8.count {
            case 5 where name == "range":
                // Range applies to GET only (RFC 9110 §14.2).
                range = request.method == .get && range == nil ? field.value : nil
            case 6 where name == "pragma":
                hasPragma = hasPragma || FieldText.list(field.value).contains { $0.lowercased() == "no-cache" }
            case 8 where name == "if-match": hasOriginConditions = true
            case 8 where name == "if-range": hasIfRange = true
            case 13 where name == "cache-control":
                hasControl = true
                control.read(field)
            case 13 where name == "if-none-match": hasIfNoneMatch = true
            case 13 where name == "authorization": hasAuthorization = true
            case 16 where name == "want-repr-digest": wantsReprDigest = true
            case 17 where name == "if-modified-since": hasIfModifiedSince = true
            case 19 where name == "if-unmodified-since": hasOriginConditions = true
            case 19 where name == "want-content-digest": wantsContentDigest = true
            default: break
            }
        }
        // RFC 9111 §5.4: Pragma replaces a missing Cache-Control.
        if hasPragma, !hasControl { control.flags.insert(.noCache) }
    }
}
