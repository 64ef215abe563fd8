internal import AFCCaching
internal import AFCHTTP
internal import AFCURL
internal import HTTPTypes

/// A request for a package: the part, and the condition.
///
/// Pure.
struct TransferRequest: Equatable {
    /// The number of bytes requested of a package's end, where its directory and its description are.
    static let endSize: Int64 = 64 << 10

    /// The start of the part; 0 if the whole package is requested.
    var offset: Int64 = 0
    /// The end of the part; nil for the end of the package.
    var end: Int64?
    /// True if only the last ``endSize`` bytes are requested.
    var asksForEnd = false
    /// The version that the part must belong to.
    var validator = Validator()
    /// The known state, if the server may answer that nothing changed.
    var known: RemoteState?

    /// Decides what to request.
    ///
    /// - Parameters:
    ///   - url: The package.
    ///   - held: The number of bytes already received.
    ///   - validator: The version that they belong to.
    ///   - known: The state of the last download.
    ///   - sha256: The digest that the package must have; a known state with another digest is ignored.
    ///   - asksForEnd: True to request only the end of the package, unless a part of it was received.
    init(
        _ url: WebURL,
        held: Int64,
        validator: Validator,
        known: RemoteState?,
        sha256: String?,
        asksForEnd: Bool = false
    ) {
        self.asksForEnd = asksForEnd && held == 0
        if held > 0, validator.forRange != nil {
            offset = held
            self.validator = validator
        } else if let known, known.location == RemoteLocation(url), sha256 == nil || sha256 == known.sha256,
            known.validator.isConditional
        {
            self.known = known
        }
    }

    /// Creates a request for one part of a version.
    init(part: Range<Int64>, of validator: Validator) {
        (offset, end, self.validator) = (part.lowerBound, part.upperBound, validator)
    }

    /// True if a part is requested by its place.
    var isPart: Bool { offset > 0 || end != nil }

    /// The fields of the request.
    var fields: [(name: String, value: String)] {
        if isPart, let validator = validator.forRange {
            return [("Range", "bytes=\(offset)-\(end.map { String($0 - 1) } ?? "")"), ("If-Range", validator)]
        }
        let conditions = [
            ("If-None-Match", known?.validator.entityTag), ("If-Modified-Since", known?.validator.forCondition),
        ].compactMap { name, value in value.map { (name, $0) } }
        // A server evaluates the conditions first (RFC 9110 §13.2.2), so that one request decides everything.
        return conditions + (asksForEnd ? [("Range", "bytes=-\(Self.endSize)")] : [])
    }
}

extension Validator {
    /// True if a server can be asked for something newer with it.
    var isConditional: Bool { entityTag != nil || forCondition != nil }

    /// The value of If-Modified-Since; nil if a change in the second of the response would go unnoticed.
    var forCondition: String? {
        lastModified.flatMap { HTTPDate.distinguishes($0, date: date) ? $0 : nil }
    }

    /// The value of If-Range: a strong tag, or a date that is strong because the response was made a minute or more
    /// after it (RFC 9110 §8.8.2.2); nil if a part can't be requested safely.
    var forRange: String? {
        if let entityTag { return EntityTag(entityTag).map { !$0.isWeak } == true ? entityTag : nil }
        guard let lastModified, let date, let modified = HTTPDate.parse(lastModified), let made = HTTPDate.parse(date),
            made - modified >= 60
        else { return nil }
        return lastModified
    }

    /// Returns true if a part with these validators may belong to the version already received.
    ///
    /// A 206 to If-Range may omit fields (RFC 9110 §15.3.7), but its values must not differ.
    func admits(part other: Validator) -> Bool {
        if let entityTag, let tag = other.entityTag { return tag == entityTag }
        if let lastModified, let date = other.lastModified { return date == lastModified }
        return true
    }

    /// The longest value that is kept and sent again, in bytes.
    private static let limit = 1024

    /// Reads the validators of a response.
    init(_ fields: HTTPFields, status: Int) {
        func value(_ name: HTTPField.Name) -> String? {
            fields[name].flatMap { $0.utf8.count <= Self.limit && !$0.isEmpty ? $0 : nil }
        }
        self.init(entityTag: value(.eTag), lastModified: value(.lastModified), date: value(.date))
        sha256 = DigestFields.sha256(fields, status: status)
    }
}
