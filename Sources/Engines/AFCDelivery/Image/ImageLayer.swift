/// A layer of an image, as a manifest and a configuration name it (OCI image specification 1.1).
///
/// Pure.
struct ImageLayer: Equatable {
    static let plainType = "application/vnd.oci.image.layer.v1.tar"
    static let gzipType = plainType + "+gzip"

    /// The media type.
    var type: String
    /// The digest of the blob: `sha256:` and 64 digits.
    var digest: String
    /// The size of the blob in bytes.
    var size: Int64
    /// The digest of the archive that the blob contains, which is the blob's own if it isn't compressed.
    var contents: String
}

/// A blob that a manifest names.
///
/// Pure.
struct ImageBlob: Equatable {
    /// The digest: `sha256:` and 64 digits.
    var digest: String
    /// The size in bytes.
    var size: Int64
}
