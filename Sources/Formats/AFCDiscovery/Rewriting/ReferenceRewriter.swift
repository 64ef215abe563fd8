public import AFCURL

/// Replaces the references of pages and style sheets, so that a browser without a proxy finds what they refer to under
/// other URLs; docs/rewriting.md.
///
/// What discovery finds in a body is replaced there, and nothing else changes: the other bytes stay as they are, and a
/// body without a reference to replace stays whole. Scripts and feeds are never changed.
public struct ReferenceRewriter {
    /// What became of a body.
    public enum Outcome: Equatable, Sendable {
        /// Nothing has to be replaced.
        case unchanged
        /// The body with its references replaced, in its own encoding.
        case rewritten([UInt8])
        /// References can't be replaced in this encoding: UTF-16, ISO-2022-JP, or one that browsers refuse.
        case impossible
    }

    /// The URL of the body.
    private let url: WebURL
    /// The URL under which a browser gets it.
    private let shown: WebURL
    /// Returns the URL in place of another one; nil to leave it.
    private let map: (WebURL) -> WebURL?

    /// Creates a rewriter for one body.
    ///
    /// - Parameters:
    ///   - url: The body's URL, after redirects.
    ///   - shown: The URL under which a browser gets it.
    ///   - map: Returns the URL in place of another one, which has no fragment; nil to leave it.
    public init(url: WebURL, shown: WebURL, map: @escaping (WebURL) -> WebURL?) {
        self.url = url
        self.shown = shown
        self.map = map
    }

    /// Returns true if bodies of a type may have references to replace.
    ///
    /// - Parameter mediaType: The type, with or without parameters.
    /// - Returns: True for HTML, XHTML, SVG, CSS and web app manifests.
    public static func mayRewrite(mediaType: String) -> Bool {
        switch BodyFormat(mediaType: mediaType, destination: nil, url: nil, recipes: .builtIn) {
        case .html, .xml, .css, .manifest, .labelledPage: true
        default: false
        }
    }

    /// Replaces the references of a body.
    ///
    /// - Parameters:
    ///   - bytes: The body, without content codings.
    ///   - mediaType: Its media type; parameters are ignored.
    ///   - charset: The `charset` parameter of its Content-Type, or nil.
    /// - Returns: The outcome.
    public func rewrite(_ bytes: [UInt8], mediaType: String, charset: String?) -> Outcome {
        bytes.withUnsafeBufferPointer { buffer in
            let type = BodyFormat(mediaType: mediaType, destination: nil, url: nil, recipes: .builtIn)
            switch type?.decided(by: buffer, nil) {
            case .html: return markup(buffer, .html, TextDecoding.htmlEncoding(of: buffer, charset: charset))
            case .xml:
                let guess = TextDecoding.xmlEncoding(of: buffer, charset: charset)
                let root = TextDecoding.withUTF8(buffer, guess.encoding) { XMLTagReader.root(of: ScanBuffer($0)) }
                switch root {
                case .urlset, .sitemapindex, .rss, .feed, .rdf, .stylesheet, .transform: return .unchanged
                default: return markup(buffer, .xml, guess)
                }
            case .css:
                return edited(buffer, TextDecoding.cssEncoding(of: buffer, charset: charset)) { text, encoding in
                    var addresses = AddressRewriting(url: url, shown: shown, encoding: encoding, map: map)
                    return CSSRewriting.edits(in: text, 0..<text.count, .styleSheet, precedesBase: false, &addresses)
                }
            case .manifest:
                return edited(buffer, .utf8) { text, encoding in
                    var addresses = AddressRewriting(url: url, shown: shown, encoding: encoding, map: map)
                    return JSONRewriting.manifest(text, &addresses)
                }
            default: return .unchanged
            }
        }
    }

    private func markup(
        _ bytes: UnsafeBufferPointer<UInt8>,
        _ syntax: HTMLReferences.Syntax,
        _ guess: TextDecoding.Guess
    ) -> Outcome {
        var encoding = guess.encoding
        if !guess.isCertain {
            // A meta element after the prescan makes browsers start again, as in SearchedBody.
            let label = TextDecoding.withUTF8(bytes, encoding) { HTMLReferences(utf8: $0, syntax: syntax).metaCharset }
            if let label, let late = TextEncoding(metaLabel: label) { encoding = late }
        }
        return edited(bytes, encoding) { text, encoding in
            HTMLRewriting.edits(in: text, syntax, url: url, shown: shown, encoding, map)
        }
    }

    /// Applies edits of the text in UTF-8 to the bytes in their own encoding.
    private func edited(
        _ bytes: UnsafeBufferPointer<UInt8>,
        _ encoding: TextEncoding,
        _ edits: (ScanBuffer, TextEncoding) -> [Edit]
    ) -> Outcome {
        guard let places = TextDecoding.Places(of: bytes, encoding) else { return .impossible }
        let edits = places.withText { edits(ScanBuffer($0), encoding) }
        guard !edits.isEmpty else { return .unchanged }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count + edits.reduce(0) { $0 + $1.text.count })
        var position = 0
        for edit in edits {
            let range = places.range(edit.range)
            guard range.lowerBound >= position else { continue }
            result += UnsafeBufferPointer(rebasing: bytes[position..<range.lowerBound])
            result += edit.text
            position = range.upperBound
        }
        result += UnsafeBufferPointer(rebasing: bytes[position...])
        return .rewritten(result)
    }
}

/// The replacement of a part of a text; its text is ASCII, so that it is the same in each encoding.
struct Edit {
    var range: Range<Int>
    var text: [UInt8]
}

extension [Edit] {
    /// Returns a text with the edits, which are in order and don't overlap.
    func applied(to text: ScanBuffer) -> [UInt8] {
        var result: [UInt8] = []
        var position = 0
        for edit in self {
            result += text.slice(position..<edit.range.lowerBound)
            result += edit.text
            position = edit.range.upperBound
        }
        return result + text.slice(position..<text.count)
    }
}

/// Decides what to write in place of an address.
struct AddressRewriting {
    /// Resolves addresses as the crawl did.
    private var real: ReferenceResolver
    /// Resolves addresses as the browser does that gets the body under another URL.
    private var shown: ReferenceResolver
    /// The URL under which the browser gets the body.
    private let place: WebURL
    private let map: (WebURL) -> WebURL?
    /// The text in place of the address of the `base` element; nil to keep it.
    private(set) var base: [UInt8]?

    /// Creates the rewriting for a body.
    ///
    /// - Parameters:
    ///   - url: The body's URL.
    ///   - place: The URL under which the browser gets it.
    ///   - baseHref: The address in its `base` element.
    ///   - encoding: Its encoding.
    ///   - map: Returns the URL in place of another one.
    init(
        url: WebURL,
        shown place: WebURL,
        baseHref: String? = nil,
        encoding: TextEncoding,
        map: @escaping (WebURL) -> WebURL?
    ) {
        self.map = map
        self.place = place
        real = ReferenceResolver(url: url, baseHref: baseHref, encoding: encoding)
        shown = ReferenceResolver(url: place, baseHref: baseHref, encoding: encoding)
        let target = map(real.base) ?? real.base
        guard baseHref != nil, target != shown.base else { return }
        let text = Self.written(target, nil, from: place)
        base = Array(text.utf8)
        shown = ReferenceResolver(url: place, baseHref: text, encoding: encoding)
    }

    /// The bases of documents within this one: as crawled, and as shown.
    var bases: (real: WebURL, shown: WebURL) { (real.base, shown.base) }

    /// Returns the URL that a reference means and that is replaced; nil if it isn't.
    mutating func mapped(_ reference: Reference) -> WebURL? {
        guard case .success(let url)? = real.resolve(reference), let mapped = map(url), mapped != url else {
            return nil
        }
        return mapped
    }

    /// Returns what to write in place of a reference's text; nil to keep it.
    mutating func replacement(of reference: Reference) -> String? {
        guard case .success(let url)? = real.resolve(reference) else { return nil }
        let target = map(url) ?? url
        // Most references are relative, and lead to the right place by themselves.
        if case .success(let place)? = shown.resolve(reference), place == target { return nil }
        let fragment = reference.text.utf8.firstIndex(of: UInt8(ascii: "#")).flatMap { _ in
            (try? WebURL.parseWithFragment(reference.text, base: real.base))?.fragment
        }
        return Self.written(target, fragment, from: reference.precedesBase ? place : shown.base)
    }

    /// Returns a URL as short as it can be on a page, without being relative to the page's path.
    private static func written(_ url: WebURL, _ fragment: String?, from place: WebURL) -> String {
        let end = fragment.map { "#" + $0 } ?? ""
        guard url.origin == place.origin else { return url.description + end }
        let target = url.requestTarget
        // A path that begins with two slashes would name a host.
        return (target.hasPrefix("//") ? "/." : "") + target + end
    }
}
