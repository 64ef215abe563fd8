internal import AFCCaching
internal import AFCHTTP

/// Whether deflating a body is worth its time.
enum Compressibility {
    /// Judges by the media type, and by the suffix where the type is unknown or says nothing; what remains is tried.
    static func isWorthwhile(_ type: MediaType?, path: String) -> Bool {
        if let type, type.essence != "application/octet-stream" { return type.isCompressible }
        return MediaType(suffixOf: path)?.isCompressible ?? true
    }
}
