internal import Foundation
internal import Synchronization

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// The head of a response, which becomes Foundation's type when that is asked for.
///
/// Foundation's initializer on Linux takes as long as a look-up and the reading of a body together: it compares and
/// capitalizes each name, and parses Content-Type. Many callers read only the body.
final class ResponseHead: Sendable {
    let url: URL
    let status: Int
    /// The fields, with the names as they were received.
    let fields: [String: String]
    private let made: Mutex<HTTPURLResponse?>

    init(_ url: URL, _ status: Int, _ fields: [String: String]) {
        (self.url, self.status, self.fields) = (url, status, fields)
        made = Mutex(nil)
    }

    var response: HTTPURLResponse {
        made.withLock { made in
            if let made { return made }
            let response = HTTPURLResponse.made(url, status, fields)
            made = response
            return response
        }
    }
}
