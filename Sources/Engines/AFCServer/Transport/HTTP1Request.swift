internal import HTTPTypes
internal import NIOHTTP1

extension HTTPRequestHead {
    /// The method as it was sent.
    var methodName: String { method == .MSEARCH ? "M-SEARCH" : method.rawValue }

    /// True if a body follows (RFC 9112 §6.3).
    var hasBody: Bool {
        method != .CONNECT
            && (headers.contains(name: "transfer-encoding") || headers["content-length"].contains { $0 != "0" })
    }

    /// The length of the body if the head states it.
    var bodyLength: Int64? {
        headers.contains(name: "transfer-encoding") ? nil : headers["content-length"].first.flatMap { Int64($0) }
    }

    /// True if the body has a coding other than `chunked`, which forwarding would lose, or any coding in a version
    /// without codings (RFC 9112 §6.1).
    var hasUnknownCoding: Bool {
        let codings = headers["transfer-encoding"]
        guard let coding = codings.first else { return false }
        return codings.count > 1 || coding.lowercased() != "chunked" || version.isBefore11
    }

    /// True if the client waits for 100 (Continue) before it sends the body.
    var expectsContinue: Bool { headers["expect"].contains { $0.lowercased() == "100-continue" } }

    /// True if the parser stops after this request, because another protocol may follow.
    var mayUpgrade: Bool {
        method == .CONNECT
            || headers.contains(name: "upgrade")
                && headers[canonicalForm: "connection"].contains { $0.lowercased() == "upgrade" }
    }
}

extension HTTPVersion {
    /// True for versions before 1.1, in which persistence must be stated and Host may be missing.
    var isBefore11: Bool { (major, minor) < (1, 1) }
}
