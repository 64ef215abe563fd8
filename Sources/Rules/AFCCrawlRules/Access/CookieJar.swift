public import AFCHTTP
public import AFCText
public import AFCURL
internal import Synchronization

/// The cookies of one crawl, in memory only; responses add to them.
public final class CookieJar: Sendable {
    private let store: Mutex<CookieStore>

    /// Creates an empty jar.
    public init() { store = Mutex(CookieStore()) }

    /// Creates a jar with the cookies of files in Netscape's format.
    ///
    /// - Parameters:
    ///   - files: The files' names, for errors, and their bytes.
    ///   - now: The current time; expired cookies are skipped.
    /// - Throws: ``PackagingError`` with the number of a malformed line; it contains no value.
    public init(netscape files: [(name: String, bytes: [UInt8])], now: Timestamp) throws(PackagingError) {
        var filled = CookieStore()
        for file in files {
            do throws(CookieFile.Malformation) {
                for cookie in try CookieFile.cookies(file.bytes) { filled.insert(cookie, now: now) }
            } catch {
                let isJSON = file.bytes.first { $0 > 0x20 }.map { "[{".utf8.contains($0) } ?? false
                let message =
                    isJSON
                    ? "this is JSON; export the cookies in Netscape's format (cookies.txt)"
                    : "line \(error.line) is not a cookie in Netscape's format: \(error.message)"
                throw PackagingError(.badOption, subject: file.name, message: message)
            }
        }
        store = Mutex(filled)
    }

    /// The number of cookies.
    public var count: Int { store.withLock { $0.count } }

    /// Returns the value of the Cookie field for a request.
    ///
    /// - Parameters:
    ///   - url: The URL of the request.
    ///   - now: The present time.
    /// - Returns: The field's value, or nil if no cookie applies to the URL.
    public func field(for url: WebURL, now: Timestamp) -> String? { store.withLock { $0.field(for: url, now: now) } }

    /// Stores the cookies of a response, whatever its status.
    ///
    /// - Parameters:
    ///   - fields: The values of the Set-Cookie fields, not joined.
    ///   - url: The URL of the request.
    ///   - now: The present time.
    public func take(_ fields: [String], from url: WebURL, now: Timestamp) {
        guard !fields.isEmpty else { return }
        store.withLock { $0.take(fields, from: url, now: now) }
    }
}
