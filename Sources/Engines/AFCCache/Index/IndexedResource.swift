internal import AFCCaching
internal import AFCHTTP
internal import AFCPackageFormat
internal import AFCText
internal import HTTPTypes

/// A resource in a generation's index; docs/developers/cache-format.md describes the format.
struct IndexedResource: Equatable {
    /// The resource's URL, in normal form.
    var url: String
    /// The index of the resource in the generation, sorted by URL.
    var number: UInt32
    var status: Int
    /// The member that holds the body, relative to the generation's files; nil for a redirect.
    var member: String?
    var size: Int64
    var lastModified: Timestamp?
    var expires: Timestamp?
    var received: Timestamp
    var fields: HTTPFields
    /// The request fields that Vary names; nil if the package doesn't say.
    var requestFields: HTTPFields?
    /// The SHA-256 of the body: 32 bytes, or empty.
    var digest: [UInt8]

    /// The number of a response that isn't in an index.
    static let noNumber = UInt32.max

    /// The response in the form that the resolver uses.
    var response: StoredResponse {
        StoredResponse(
            status: status,
            fields: fields,
            size: size,
            received: received,
            sha256: digest.isEmpty ? nil : Hexadecimal.text(digest),
            requestFields: requestFields
        )
    }
}
