import AFCDiscovery
import AFCURL

/// Replaces the references of any bytes: nothing traps, nothing changes without a reason, and twice is once.
///
/// The first byte selects type, encoding and form.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRewriter(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    guard let choice = bytes.first else { return 0 }
    let body = Body(
        bytes: Array(bytes.dropFirst()),
        type: ["text/html", "image/svg+xml", "text/css", "application/manifest+json"][Int(choice & 3)],
        charset: ["utf-8", "windows-1252", "shift_jis", "gb18030"][Int(choice >> 2 & 3)]
    )
    let prefix: String? = choice >> 4 & 1 == 0 ? nil : "http://server.example/"
    guard let url = try? WebURL("https://docs.example/guide/page.html"), let shown = map(url, prefix) else {
        preconditionFailure("the URLs of the fuzzer")
    }
    if case .rewritten = body.rewritten(at: url, shown: url, .everything, { $0 }) {
        preconditionFailure("a body changes although no URL does")
    }
    let changes: ReferenceRewriter.Changes = prefix == nil ? .origin : .prefix
    let outcome = body.rewritten(at: url, shown: shown, changes) { map($0, prefix) }
    let slow = body.rewritten(at: url, shown: shown, .everything) { map($0, prefix) }
    precondition(slow == outcome, "a reference isn't resolved although it had to be")
    guard case .rewritten(let bytes, _, _) = outcome else { return 0 }
    let new = Body(bytes: bytes, type: body.type, charset: body.charset)
    let again = new.rewritten(at: shown, shown: shown, .everything) { map($0, prefix) }
    precondition(again == .unchanged, "a body changes the second time")
    return 0
}

private struct Body {
    var bytes: [UInt8]
    var type: String
    var charset: String

    func rewritten(
        at url: WebURL,
        shown: WebURL,
        _ changes: ReferenceRewriter.Changes,
        _ map: @escaping (WebURL) -> WebURL?
    ) -> ReferenceRewriter.Outcome {
        var rewriter = ReferenceRewriter(url: url, shown: shown, changes: changes, map: map)
        // The policies of a server without TLS change by themselves.
        if url != shown { rewriter.policy = { policies, _ in ContentPolicy([]).rewritten(policies) } }
        return rewriter.rewrite(bytes, mediaType: type, charset: charset)
    }
}

/// Returns the URL in place of that of a packaged host: with another host, or below a prefix.
private func map(_ url: WebURL, _ prefix: String?) -> WebURL? {
    guard url.isHTTP, let host = url.host, ["docs.example", "cdn.example"].contains(host) else { return nil }
    return try? WebURL((prefix.map { $0 + url.authority } ?? "http://\(host).server.example") + url.requestTarget)
}
