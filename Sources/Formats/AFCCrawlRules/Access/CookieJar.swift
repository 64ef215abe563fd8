public import AFCHTTP
public import AFCText
public import AFCURL
internal import Synchronization

/// The cookies of one crawl, in memory only; takes what responses set.
public final class CookieJar: Sendable {
    private let store: Mutex<CookieStore>

    /// Creates an empty jar.
    public init() { store = Mutex(CookieStore()) }

    /// Creates a jar with the cookies of files in Netscape's format.
    ///
    /// - Parameters:
    ///   - files: The files' names, for errors, and their bytes.
    ///   - now: Cookies that ended before are left out.
    /// - Throws: ``PackagingError`` with the line that is no cookie; it tells no value.
    public init(netscape files: [(name: String, bytes: [UInt8])], now: Timestamp) throws(PackagingError) {
        var filled = CookieStore()
        for file in files {
            do throws(CookieFile.Malformation) {
                for cookie in try CookieFile.cookies(file.bytes) { filled.insert(cookie, now: now) }
            } catch {
                let message = "line \(error.line) is not a cookie in Netscape's format: \(error.message)"
                throw PackagingError(.badOption, subject: file.name, message: message)
            }
        }
        store = Mutex(filled)
    }

    /// How many cookies there are.
    public var count: Int { store.withLock { $0.count } }

    /// The Cookie field of a request.
    ///
    /// - Parameters:
    ///   - url: What is asked for.
    ///   - now: The present time.
    /// - Returns: The field's value, or nil: no cookie is for the URL.
    public func field(for url: WebURL, now: Timestamp) -> String? { store.withLock { $0.field(for: url, now: now) } }

    /// Takes the Set-Cookie fields of a response, of whatever status.
    ///
    /// - Parameters:
    ///   - fields: Each field's value; they aren't joined.
    ///   - url: What was asked for.
    ///   - now: The present time.
    public func take(_ fields: [String], from url: WebURL, now: Timestamp) {
        guard !fields.isEmpty else { return }
        store.withLock { $0.take(fields, from: url, now: now) }
    }
}
