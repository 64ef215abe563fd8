public import HTTPTypes

extension HTTPResponse.Status {
    /// The status with the reason phrase that RFC 9110 §15 gives it; a stored response has the number only.
    ///
    /// - Parameter code: The number, 0 to 999.
    public init(stored code: Int) {
        self = code == 200 ? .ok : Self.known.first { $0.code == code } ?? HTTPResponse.Status(code: code)
    }

    private static let known: [HTTPResponse.Status] = [
        .ok, .created, .accepted, .nonAuthoritativeInformation, .noContent, .partialContent, .multipleChoices,
        .movedPermanently, .found, .seeOther, .temporaryRedirect, .permanentRedirect, .badRequest, .unauthorized,
        .forbidden, .notFound, .methodNotAllowed, .notAcceptable, .proxyAuthenticationRequired, .requestTimeout,
        .conflict, .gone,
        .lengthRequired, .preconditionFailed, .contentTooLarge, .uriTooLong, .unsupportedMediaType,
        .rangeNotSatisfiable,
        .notModified, .switchingProtocols, .resetContent, .unprocessableContent, .tooManyRequests, .internalServerError,
        .notImplemented,
        .badGateway,
        .serviceUnavailable, .gatewayTimeout,
    ]
}
