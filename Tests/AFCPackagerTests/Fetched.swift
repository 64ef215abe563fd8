import AFCOrigin
import AFCURL
import HTTPTypes
import NIOCore
import TestOrigin

@testable import AFCCrawlRules
@testable import AFCCrawler
@testable import AFCPackager

/// What a fetch brought, whole or in part.
struct Fetched: ResponseReceiver {
    var head: FetchHead?
    var body: [UInt8] = []
    var limit = Int.max

    var text: String { String(decoding: body, as: UTF8.self) }

    mutating func begin(_ head: FetchHead) throws(FetchFailure) -> Bool {
        self.head = head
        return true
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) throws(FetchFailure) -> Bool {
        body.append(contentsOf: bytes)
        return body.count < limit
    }
}

extension HTTPFetcher {
    /// Fetches a URL, or gives the failure.
    func result(_ url: String, _ fields: HTTPFields = HTTPFields()) async throws -> Result<Fetched, FetchFailure> {
        var fetched = Fetched()
        do {
            try await fetch(FetchRequest(url: WebURL(url), fields: fields), into: &fetched)
            return .success(fetched)
        } catch let failure as FetchFailure {
            return .failure(failure)
        }
    }

    /// Fetches a URL that has to be there.
    func get(_ url: String, _ fields: HTTPFields = HTTPFields()) async throws -> Fetched {
        try await result(url, fields).get()
    }

    /// Fetches a URL that fails.
    func failure(_ url: String) async throws -> FetchFailure? {
        guard case .failure(let failure) = try await result(url) else { return nil }
        return failure
    }
}

extension NameLookup {
    /// A table in the place of a name server, which counts the questions.
    static func table(_ names: [String: [String]], asked: Counter = Counter()) -> NameLookup {
        NameLookup { host, port in
            asked.add(host)
            guard let addresses = names[host] else { throw Failure.unknownHost }
            return try addresses.map { try SocketAddress(ipAddress: $0, port: Int(port)) }
        }
    }
}
