internal import HTTPTypes

extension HTTPFields {
    /// What a page's Link fields say (RFC 8288).
    var links: [String] { values("Link") }

    /// Where a page leads by itself, as browsers read it.
    var refresh: String? { values("Refresh").first }

    /// What `meta name=robots` says in a page, for any type.
    var robotsTags: [String] { values("X-Robots-Tag") }

    private func values(_ name: String) -> [String] { HTTPField.Name(name).map { self[values: $0] } ?? [] }
}
