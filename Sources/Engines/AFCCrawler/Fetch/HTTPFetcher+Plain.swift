internal import AFCCrawlRules
internal import AFCOrigin
internal import AFCURL
internal import AFCZip
internal import HTTPTypes
internal import NIOCore

extension HTTPFetcher {
    /// Fetches without TLS and proxy: most of a general client's work would be for nothing.
    func fetchPlainly<Receiver: ResponseReceiver>(
        _ request: FetchRequest,
        into receiver: inout Receiver,
        _ hasBegun: inout Bool
    ) async throws {
        let url = request.url
        var admits: (@Sendable (SocketAddress) -> Bool)?
        if !options.allowsPrivate, !options.namedHosts.contains(url.host ?? "") {
            try await addresses.requirePublic(url)
            admits = { AddressRules.isPublic($0) }
        }
        var fields = HTTPFields()
        if let name = HTTPField.Name("Host") { fields[name] = url.authority }
        fields.append(contentsOf: request.fields)
        let head = RequestWriter.head(method: "GET", target: url.requestTarget, fields: fields)
        var (connection, piece) = try await clients.plain.begin(
            head,
            to: connectedHost(of: url),
            port: url.effectivePort ?? 80,
            admits: admits
        )
        var isWhole = false
        defer { if !isWhole { connection.close() } }
        var decoder: ContentDecoder?
        while true {
            if let head = piece.head {
                hasBegun = true
                let head = try FetchHead(status: head.status, reason: head.reason, received: head.fields)
                guard try receiver.begin(head) else { return isWhole = piece.isEnd }
                if let coding = head.coding {
                    decoder = try ContentDecoder(isGzip: coding == "gzip", maxExpansion: options.maxExpansion)
                }
            }
            for buffer in piece.body {
                let wantsMore = try buffer.withUnsafeReadableBytes { bytes in
                    guard decoder != nil else { return try receiver.append(bytes) }
                    return try decoder?.decode(bytes) { try receiver.append($0) } ?? false
                }
                guard wantsMore else { return isWhole = piece.isEnd }
                if let wait = rate?.wait(for: buffer.readableBytes), wait > .zero { try await Task.sleep(for: wait) }
            }
            if piece.isEnd { break }
            piece = try await connection.more()
        }
        isWhole = true
        try decoder?.finish()
    }

    /// What is connected to for a URL's host.
    private func connectedHost(of url: WebURL) -> String {
        let host = url.host ?? ""
        // Browsers lead these names to the own machine; not every system's resolver does (RFC 6761 §6.3).
        if options.localNames.contains(host) { return "127.0.0.1" }
        return host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    }
}
