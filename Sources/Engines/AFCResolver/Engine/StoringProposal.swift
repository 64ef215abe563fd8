package import AFCCaching
internal import AFCHTTP
public import AFCURL
public import HTTPTypes

/// A response that may be stored, before its body arrives; the program may change it.
///
/// The client that sent the request gets the origin's response, whatever is changed here.
public struct StoringProposal: Sendable {
    /// The place of a stored response.
    public enum Place: Sendable, Equatable {
        /// The cache's folder.
        case disk
        /// Memory, until there is no room for it or the program ends; nothing is written to the disk.
        ///
        /// The response is stored when its one client has read its body to the end, and other requests don't wait for
        /// it.
        case memory
        /// Nowhere.
        case nowhere
    }

    /// The URL of the resource.
    public let url: WebURL
    /// The method of the request.
    public let method: HTTPRequest.Method
    /// The fields of the request.
    public let requestFields: HTTPFields
    /// The status.
    public let status: Int
    /// The fields to store, without those of the connection.
    public var fields: HTTPFields
    /// The seconds from now for which the response is fresh, whatever its fields say; nil for what they say.
    public var assignedLifetime: Int64?
    /// Data to keep with the response, at most 64 KiB; nil for none.
    public var userInfo: [UInt8]?
    /// The place where the response is stored.
    public var place: Place
    /// A closure that returns the body to store in place of the origin's, or nil to store nothing.
    ///
    /// It is called with the complete body, unless that has more than 16 MiB; then nothing is stored. The fields must
    /// suit the new body: Content-Length is set, but an entity tag or digest isn't removed.
    public var changeBody: (@Sendable ([UInt8]) -> [UInt8]?)?

    /// The largest body that is changed, in bytes.
    static let changedBodyLimit: Int64 = 16 << 20
    /// The largest data of the program, in bytes.
    static let userInfoLimit = 64 << 10

    private let original: StoredResponse

    init(_ response: StoredResponse, for request: ResolverRequest) {
        url = request.url
        method = request.method
        requestFields = request.fields
        status = response.status
        fields = response.fields
        assignedLifetime = response.assignedLifetime
        userInfo = request.userInfo ?? response.userInfo
        place = request.storingPlace
        original = response
    }

    /// Creates a response that the program has itself.
    package init(_ response: StoredResponse, of url: WebURL, place: Place) {
        self.init(response, for: ResolverRequest(url: url, fields: response.requestFields ?? HTTPFields()))
        self.place = place
    }

    /// The response to store; its size isn't known yet.
    var response: StoredResponse {
        var response = original
        response.fields = fields.storedFields
        response.assignedLifetime = assignedLifetime.map { max(0, $0) }
        response.userInfo = userInfo
        return response
    }
}
