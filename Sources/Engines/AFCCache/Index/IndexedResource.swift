internal import AFCCaching
internal import AFCHTTP
internal import AFCPackageFormat
internal import AFCText
internal import HTTPTypes

/// A resource as a generation's index has it; docs/index-format.md says how it is written.
struct IndexedResource: Equatable {
    /// The resource's URL, in normal form.
    var url: String
    /// Its place among the generation's resources, sorted by URL.
    var number: UInt32
    var status: Int
    /// The member that holds the body, relative to the generation's files; nil for a redirect.
    var member: String?
    var size: Int64
    var lastModified: Timestamp?
    var expires: Timestamp?
    var received: Timestamp
    var fields: HTTPFields
    /// The request fields that Vary names; nil where the package doesn't say.
    var requestFields: HTTPFields?
    /// The SHA-256 of the body: 32 bytes, or none.
    var digest: [UInt8]

    /// The stored response that the resolver judges.
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
