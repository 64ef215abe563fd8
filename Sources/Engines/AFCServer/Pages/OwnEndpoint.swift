package import HTTPTypes
internal import NIOCore

/// A service of the program at a path of the server's own, below its own hosts, such as one for agents.
package protocol OwnEndpoint: Sendable {
    /// Answers a request, which names one of the server's own hosts.
    ///
    /// - Parameter request: The request: GET, HEAD, POST or DELETE.
    /// - Returns: The answer.
    func answer(_ request: ServerRequest) async -> EndpointAnswer
}

/// The answer of an ``OwnEndpoint``.
package struct EndpointAnswer: Sendable {
    /// The status.
    package var status: HTTPResponse.Status
    /// The fields; without Content-Type, the body is plain text.
    package var fields = HTTPFields()
    /// The body.
    package var body: [UInt8]

    /// Creates an answer.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - body: The body.
    package init(status: HTTPResponse.Status, body: [UInt8] = []) { (self.status, self.body) = (status, body) }
}
