public import HTTPTypes

extension HTTPFields {
    /// True if the fields of a request accept an HTML page, as browsers do for pages that they will show.
    public var acceptsPages: Bool {
        self[values: .accept].contains { value in
            let text = value.lowercased()
            return text.contains("text/html") || text.contains("application/xhtml+xml")
        }
    }

    /// True if the fields are those of a navigation: a request for a page to show, not for a part of one.
    ///
    /// Sec-Fetch-Mode says so (Fetch Metadata §2.2). Browsers send it to https and localhost only, so without it,
    /// Accept decides.
    public var isNavigation: Bool {
        let modes = self[values: .secFetchMode]
        return modes.isEmpty ? acceptsPages : modes == ["navigate"]
    }
}
