#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The folder that the program was started in.
enum WorkingFolder {
    /// The absolute path, or `/` where the folder is gone.
    static let path: String = {
        guard let bytes = getcwd(nil, 0) else { return "/" }
        defer { free(bytes) }
        return String(cString: bytes)
    }()
}
