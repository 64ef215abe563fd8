internal import AFCCaching
internal import AFCHTTP
internal import AFCURL

/// What is asked of a server: which part, and on which condition.
///
/// Pure.
struct TransferRequest: Equatable {
    /// Where the part begins; 0 where all is asked for.
    var offset: Int64 = 0
    /// Which version the part must be of.
    var validator = Validator()
    /// What is known already, where the server may answer that nothing changed.
    var known: RemoteState?

    /// Decides what to ask.
    ///
    /// - Parameters:
    ///   - url: The package.
    ///   - held: How many bytes of it are there.
    ///   - validator: Which version they are of.
    ///   - known: What is known from the last time.
    ///   - sha256: The digest that the package must have; where what is known has another, it is of no use.
    init(_ url: WebURL, held: Int64, validator: Validator, known: RemoteState?, sha256: String?) {
        if held > 0, validator.forRange != nil {
            offset = held
            self.validator = validator
        } else if let known, known.url == url, sha256 == nil || sha256 == known.sha256, known.validator.isConditional {
            self.known = known
        }
    }

    /// The fields that say it.
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
    /// Whether a server can be asked with it for something newer.
    var isConditional: Bool { entityTag != nil || lastModified != nil }

    /// What If-Range may say: a strong tag, or a date that is strong since the response was made a minute or more after it
    /// (RFC 9110 §8.8.2.2); nil where a part can't be asked for safely.
    var forRange: String? {
        if let entityTag { return EntityTag(entityTag).map { !$0.isWeak } == true ? entityTag : nil }
        guard let lastModified, let date, let modified = HTTPDate.parse(lastModified), let made = HTTPDate.parse(date),
            made - modified >= 60
        else { return nil }
        return lastModified
    }

    /// Whether a part that says this of itself may be of the version that is there.
    ///
    /// A 206 to If-Range may leave fields out (RFC 9110 §15.3.7), but not say others.
    func admits(part other: Validator) -> Bool {
        if let entityTag, let tag = other.entityTag { return tag == entityTag }
        if let lastModified, let date = other.lastModified { return date == lastModified }
        return true
    }
}
