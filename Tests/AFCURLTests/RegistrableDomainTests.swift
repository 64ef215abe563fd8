import AFCURL
import Testing

/// Expected values are those of https://publicsuffix.org/list/, read by hand, and the list's own test data.
struct RegistrableDomainTests {
    @Test(arguments: [
        ("https://example.com/", "example.com"), ("https://b.example.com:8443/a", "example.com"),
        ("https://a.b.example.com/", "example.com"), ("http://WWW.Example.COM/", "example.com"),
        // Rules with several labels, wildcards and exceptions.
        ("https://a.b.example.co.uk/", "example.co.uk"), ("https://a.b.c.kobe.jp/", "b.c.kobe.jp"),
        ("https://www.city.kobe.jp/", "city.kobe.jp"), ("https://www.ck/", "www.ck"), ("https://a.b.c.ck/", "b.c.ck"),
        // Suffixes of companies that give names away.
        ("https://pages.someone.github.io/", "someone.github.io"),
        // A top-level domain that isn't on the list.
        ("https://www.news.example/", "news.example"),
        ("https://www.食狮.公司.cn/", "xn--85x722f.xn--55qx5d.cn"),
        ("https://www.example.com./", "example.com."),
    ])
    func `the registered part of a host is recognized`(url: String, domain: String) throws {
        #expect(try WebURL(url).registrableDomain == domain)
    }

    @Test(arguments: [
        "https://com/", "https://com./", "https://co.uk/", "https://github.io/", "https://c.kobe.jp/", "https://公司.cn/",
        "https://example/", "http://localhost/", "http://127.0.0.1/", "http://[::1]/", "http://8.8.8.8./",
        "file:///a", "other://www.example.com/", "mailto:someone", "https://a..example.com/", "https://.com/",
    ])
    func `an address, a public suffix or no domain has none`(url: String) throws {
        #expect(try WebURL(url).registrableDomain == nil)
    }
}
