internal import HTTPTypes

/// The reason phrases of statuses (RFC 9110 §15), which HTTP/1.1 sends and people know.
package enum StatusReason {
    private static let phrases: [Int: String] = Dictionary(
        uniqueKeysWithValues: [
            HTTPResponse.Status.ok, .created, .accepted, .nonAuthoritativeInformation, .noContent, .resetContent,
            .partialContent, .multipleChoices, .movedPermanently, .found, .seeOther, .notModified, .temporaryRedirect,
            .permanentRedirect, .badRequest, .unauthorized, .forbidden, .notFound, .methodNotAllowed, .notAcceptable,
            .requestTimeout, .conflict, .gone, .preconditionFailed, .contentTooLarge, .unsupportedMediaType,
            .rangeNotSatisfiable, .tooManyRequests, .internalServerError, .notImplemented, .badGateway,
            .serviceUnavailable, .gatewayTimeout,
        ].map { ($0.code, $0.reasonPhrase) }
    )

    /// Returns the phrase; empty for a status that isn't a common one.
    ///
    /// - Parameter status: The status.
    /// - Returns: The phrase, such as `Not Found`.
    package static func text(_ status: Int) -> String { phrases[status] ?? "" }
}
