internal import AFCCaching
internal import AFCHTTP
internal import AFCURL
internal import HTTPTypes

/// A request for a package: the part, and the condition.
///
/// Pure.
struct TransferRequest: Equatable {
    /// The start of the part; 0 if the whole package is requested.
    var offset: Int64 = 0
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
    init(_ url: WebURL, held: Int64, validator: Validator, known: RemoteState?, sha256: String?) {
        if held > 0, validator.forRange != nil {
            offset = held
            self.validator = validator
        } else if let known, known.url == url, sha256 == nil || sha256 == known.sha256, known.validator.isConditional {
            self.known = known
        }
    }

    /// The fields of the request.
    var fields: [(name: String, value: String)] {
        if offset > 0, let validator = validator.forRange {
            return [("Range", "bytes=\(offset)-"), ("If-Range", validator)]
        }
        guard let validator = known?.validator else { return [] }
        return [("If-None-Match", validator.entityTag), ("If-Modified-Since", validator.lastModified)]
            .compactMap { name, value in value.map { (name, $0) } }
    }
}

extension Validator {
    /// True if a server can be asked for something newer with it.
    var isConditional: Bool { entityTag != nil || lastModified != nil }

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
