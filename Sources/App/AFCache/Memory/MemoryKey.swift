internal import AFCCache
internal import AFCURL

/// The key of a URL in the tables in memory, the same for all its spellings.
///
/// What is asked for may have a fragment, a scheme in upper case or no slash after its host; what is stored and changed
/// is named by the URL that the standard makes of that.
struct MemoryKey: Hashable, Sendable {
    /// The URL as serialized, without a fragment.
    let url: String
    /// The URL with all escapes in their normal form.
    ///
    /// URLs that differ in that alone can be answered by the same stored response, so a change of one concerns them all.
    let group: String

    /// Creates the key of a URL.
    init(_ url: WebURL) {
        self.url = url.description
        group = EquivalentSpelling.normal(self.url) ?? self.url
    }

    /// Creates the key of a URL as an app spells it; nil if the text isn't a URL, for which nothing is in memory.
    init?(spelling: String) {
        guard let url = try? WebURL(spelling) else { return nil }
        self.init(url)
    }

    /// Returns the first result that isn't nil for the keys that a spelling may be, the likeliest first.
    ///
    /// Most URLs are asked for in the form that is their key, and parsing takes as long as finding a response.
    static func first<Result>(of spelling: String, _ find: (_ group: String, _ url: String) -> Result?) -> Result? {
        if let found = find(spelling, spelling) { return found }
        guard let key = MemoryKey(spelling: spelling), key.group != spelling || key.url != spelling else { return nil }
        return find(key.group, key.url)
    }
}
