internal import HTTPTypes

extension HTTPResponse.Status {
    /// The status with the reason phrase that RFC 9110 §15 gives it; a stored response has the number only.
    init(stored code: Int) {
        let known: [HTTPResponse.Status] = [
            .ok, .created, .accepted, .nonAuthoritativeInformation, .noContent, .multipleChoices, .movedPermanently,
            .found,
            .seeOther, .temporaryRedirect, .permanentRedirect, .badRequest, .unauthorized, .forbidden, .notFound,
            .methodNotAllowed, .gone, .internalServerError, .badGateway, .serviceUnavailable, .gatewayTimeout,
        ]
        self = known.first { $0.code == code } ?? HTTPResponse.Status(code: code)
    }
}
