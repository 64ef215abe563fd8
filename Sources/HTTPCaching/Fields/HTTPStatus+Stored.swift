internal import HTTPTypes

extension HTTPResponse.Status {
    /// The status with the reason phrase that RFC 9110 §15 gives it; a stored response has the number only.
    init(stored code: Int) {
        self = code == 200 ? .ok : Self.known.first { $0.code == code } ?? HTTPResponse.Status(code: code)
    }

    private static let known: [HTTPResponse.Status] = [
        .ok, .created, .accepted, .nonAuthoritativeInformation, .noContent, .partialContent, .multipleChoices,
        .movedPermanently, .found, .seeOther, .temporaryRedirect, .permanentRedirect, .badRequest, .unauthorized,
        .forbidden, .notFound, .methodNotAllowed, .gone, .uriTooLong, .internalServerError, .notImplemented,
        .badGateway,
        .serviceUnavailable, .gatewayTimeout,
    ]
}
