internal import AFCHTTP
internal import AFCResolver
internal import AFCURL
public import Foundation
internal import HTTPTypes

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

extension AFCache {
    /// A complete response, and where it came from.
    public struct LoadedResponse: Sendable {
        /// The source of a response.
        public enum Source: String, Sendable, CaseIterable {
            /// The cache, without contacting the origin.
            case hit
            /// The cache, after the origin confirmed the stored response.
            case revalidated
            /// The cache, though the response is stale.
            case stale
            /// The origin.
            case miss
        }

        /// The head.
        ///
        /// From the cache, it also has the fields `Age`, `Cache-Status` and `Accept-Ranges`. It is made when it is first
        /// read, which takes Foundation on Linux longer than the look-up.
        public var response: HTTPURLResponse { head.response }
        /// The status, which is also that of ``response``.
        public var statusCode: Int { head.status }
        /// The URL of the resource that answered.
        public var url: URL { head.url }
        let head: ResponseHead
        /// The body, without content codings.
        public let data: Data
        /// The data that the program keeps with the stored response.
        public let userInfo: [String: String]
        /// The source of the response.
        public let source: Source
    }
}

extension AFCache {
    /// A response that is about to be stored, for ``AFCache/AFCache/Configuration/willCacheResponse``.
    ///
    /// It is called when the head has arrived. The one who asked gets the origin's response, whatever is changed here.
    public struct ProposedResponse: Sendable {
        /// The request: its URL, method and fields.
        public let request: URLRequest
        /// The origin's head.
        public let response: HTTPURLResponse
        /// The fields to store.
        ///
        /// If a value is changed, the field is stored in one line.
        public var headerFields: [String: String]
        /// Data to keep with the response; at most 64 KiB as JSON.
        public var userInfo: [String: String]
        /// The place where the response is stored; `notAllowed` prevents that.
        public var storagePolicy: URLCache.StoragePolicy
        /// The lifetime of the response in seconds, whatever its fields say; nil for what they say.
        public var lifetime: TimeInterval?
        /// A closure that returns the body to store in place of the origin's, or nil to store nothing.
        ///
        /// It is called when the body is complete, with the bytes as the origin sent them, which may have a content coding.
        /// A body of more than 16 MiB isn't changed, and not stored either.
        public var changeData: (@Sendable (Data) -> Data?)?

        private let original: [String: String]

        init(_ proposal: StoringProposal) {
            let url = URL(proposal.url)
            var request = URLRequest(url: url)
            request.httpMethod = proposal.method.rawValue
            request.allHTTPHeaderFields = proposal.requestFields.dictionary
            self.request = request
            original = proposal.fields.dictionary
            headerFields = original
            response = .made(url, proposal.status, original)
            userInfo = UserInfo.read(proposal.userInfo)
            storagePolicy = URLCache.StoragePolicy(proposal.place)
            lifetime = proposal.assignedLifetime.map { TimeInterval($0) }
        }

        func apply(to proposal: inout StoringProposal) {
            for name in Set(headerFields.keys).union(original.keys) where headerFields[name] != original[name] {
                guard let field = HTTPField.Name(name) else { continue }
                proposal.fields[field] = headerFields[name]
            }
            proposal.userInfo = UserInfo.bytes(userInfo)
            proposal.place = storagePolicy.place
            proposal.assignedLifetime = lifetime.map { Int64(clamping: $0) }
            if let changeData { proposal.changeBody = { bytes in changeData(Data(bytes)).map { Array($0) } } }
        }
    }
}

extension URLCache.StoragePolicy {
    /// Creates the policy that stores at a place.
    init(_ place: StoringProposal.Place) {
        switch place {
        case .disk: self = .allowed
        case .memory: self = .allowedInMemoryOnly
        case .nowhere: self = .notAllowed
        }
    }

    /// The place where the policy stores.
    var place: StoringProposal.Place {
        switch self {
        case .allowed: .disk
        case .allowedInMemoryOnly: .memory
        default: .nowhere
        }
    }

    /// Returns the policy that stores no more than both do.
    func limited(to other: URLCache.StoragePolicy) -> URLCache.StoragePolicy {
        if self == .notAllowed || other == .notAllowed { return .notAllowed }
        return self == .allowedInMemoryOnly || other == .allowedInMemoryOnly ? .allowedInMemoryOnly : .allowed
    }
}

/// User info in the form in which it is stored: JSON.
enum UserInfo {
    static func bytes(_ info: [String: String]) -> [UInt8]? {
        guard !info.isEmpty else { return nil }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        // Encoding strings to JSON has no errors.
        return (try? encoder.encode(info)).map { Array($0) }
    }

    static func read(_ bytes: [UInt8]?) -> [String: String] {
        guard let bytes else { return [:] }
        // Another program may have stored something else; that isn't this program's.
        return (try? JSONDecoder().decode([String: String].self, from: Data(bytes))) ?? [:]
    }
}
