internal import HTTPTypes

extension HTTPRequest.Method {
    /// Whether asking twice is as good as asking once (RFC 9110 §9.2.2).
    var isIdempotent: Bool { isSafe || self == .put || self == .delete }

    /// Whether asking changes nothing (RFC 9110 §9.2.1).
    var isSafe: Bool { [.get, .head, .options, .trace].contains(self) }
}
