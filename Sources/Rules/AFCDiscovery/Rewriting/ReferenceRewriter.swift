public import AFCURL

/// Replaces the references of pages and style sheets, so that a browser without a proxy finds what they refer to under
/// other URLs; docs/reference/rewriting.md.
///
/// What discovery finds in a body is replaced there, and nothing else changes: the other bytes stay as they are, and a
/// body without a reference to replace stays whole. Scripts and feeds are never changed.
public struct ReferenceRewriter {
    /// What became of a body.
    public enum Outcome: Equatable, Sendable {
        /// Nothing has to be replaced.
        case unchanged
        /// The body with its references replaced, in its own encoding; its changed styles, if policies matter; and the
        /// parts that it was given.
        case rewritten([UInt8], styles: [ChangedStyle] = [], added: AddedParts = AddedParts())
        /// References can't be replaced in this encoding: UTF-16, ISO-2022-JP, or one that browsers refuse.
        case impossible
    }

    /// The part of a URL that a map changes; relative addresses that don't touch it needn't be resolved.
    public enum Changes: Sendable {
        /// Scheme, host and port.
        case origin
        /// The same, and what precedes the path.
        case prefix
        /// Anything.
        case everything

        /// Returns false for an address as written that a browser finds by itself.
        func mayApply(to text: ScanBuffer, _ range: Range<Int>) -> Bool {
            guard self != .everything else { return true }
            var index = range.lowerBound
            if index < range.upperBound, text[index] == UInt8(ascii: "/") {
                // Two slashes begin a host, and a prefix precedes one.
                guard self == .origin, index + 1 == range.upperBound || text[index + 1] != UInt8(ascii: "/") else {
                    return true
                }
                index += 1
            }
            while index < range.upperBound {
                let byte = text[index]
                switch byte {
                case UInt8(ascii: "?"), UInt8(ascii: "#"): return false
                // A scheme, a slash of another form, a reference to a character, and white space, which may be ignored.
                case UInt8(ascii: ":"), UInt8(ascii: "\\"), UInt8(ascii: "&"), 0...0x20: return true
                // Two dots, which may be escaped, lead out of a folder.
                case UInt8(ascii: "."), UInt8(ascii: "%"):
                    if self == .prefix, byte == UInt8(ascii: "%") || index > range.lowerBound && text[index - 1] == byte
                    {
                        return true
                    }
                default: break
                }
                index += 1
            }
            return false
        }
    }

    /// The URL of the body.
    private(set) var url: WebURL
    /// The URL under which a browser gets it.
    private(set) var shown: WebURL
    /// What the map changes.
    let changes: Changes
    /// Returns the URL in place of another one; nil to leave it.
    let map: (WebURL) -> WebURL?

    /// Where a browser finds the bodies.
    public enum Place: Sendable {
        /// On a server.
        case server
        /// In a folder: relative paths are written, and what browsers refuse in files is left out.
        case folder
        /// In one file, whose script gives a page what it loads: only addresses of that are replaced, links stay, and what
        /// browsers refuse in files is left out.
        case file
    }

    /// Where a browser finds the bodies.
    public var place = Place.server
    /// What addresses became on other pages of a folder of files, with the same map; nil to remember only this page's.
    package var memory: AddressMemory?

    /// The origin that stands for one whose name isn't known, so that only paths on it can be written; nil for none.
    public var unnamedOrigin: String?

    /// Returns the content security policies of a `meta` element for a page with changed styles; nil to leave policies.
    ///
    /// Styles in a page are then part of the outcome.
    public var policy: ((_ policies: String, _ styles: [ChangedStyle]) -> String)?
    /// The parts for what a page's scripts do; nil for none, as in documents within it.
    public var addition: PageAddition?

    /// Creates a rewriter for one body.
    ///
    /// - Parameters:
    ///   - url: The body's URL, after redirects.
    ///   - shown: The URL under which a browser gets it, which is that in place of the body's URL.
    ///   - changes: The part of a URL that the map changes.
    ///   - map: Returns the URL in place of another one, which has no fragment; nil to leave it.
    public init(url: WebURL, shown: WebURL, changes: Changes = .everything, map: @escaping (WebURL) -> WebURL?) {
        self.url = url
        self.shown = shown
        self.changes = changes
        self.map = map
    }

    /// Returns the rewriter for a document with other bases.
    func at(_ url: WebURL, shown: WebURL) -> ReferenceRewriter {
        var rewriter = self
        (rewriter.url, rewriter.shown) = (url, shown)
        rewriter.addition = nil
        return rewriter
    }

    /// Returns true if bodies of a type may have references to replace.
    ///
    /// - Parameter mediaType: The type, with or without parameters.
    /// - Returns: True for HTML, XHTML, SVG, CSS, web app manifests, and XML that may be a sitemap.
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
                case .urlset, .sitemapindex:
                    return edited(buffer, guess.encoding) { text in
                        var addresses = AddressRewriting(self, guess.encoding)
                        return Replacements(edits: SitemapRewriting.edits(in: text, &addresses))
                    }
                case .rss, .feed, .rdf, .stylesheet, .transform: return .unchanged
                default:
                    var rewriter = self
                    // A drawing gets no script.
                    if !mediaType.lowercased().hasPrefix("application/xhtml+xml") { rewriter.addition = nil }
                    return rewriter.markup(buffer, .xml, guess)
                }
            case .css:
                let encoding = TextDecoding.cssEncoding(of: buffer, charset: charset)
                return edited(buffer, encoding) { text in
                    var addresses = AddressRewriting(self, encoding)
                    return Replacements(edits: CSSRewriting.edits(in: text, &addresses))
                }
            case .manifest:
                return edited(buffer, .utf8) { text in
                    var addresses = AddressRewriting(self, .utf8)
                    return Replacements(edits: JSONRewriting.manifest(text, &addresses))
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
        var late: TextEncoding?
        let outcome = edited(bytes, guess.encoding) { text in
            let (found, metaCharset) = HTMLRewriting.replacements(in: text, syntax, self, guess.encoding)
            if !guess.isCertain, let metaCharset { late = TextEncoding(metaLabel: metaCharset) }
            return found
        }
        guard let late, late != guess.encoding else { return outcome }
        // A meta element after the prescan makes browsers start again, as in SearchedBody.
        return edited(bytes, late) { HTMLRewriting.replacements(in: $0, syntax, self, late).found }
    }

    /// Applies edits of the text in UTF-8 to the bytes in their own encoding.
    private func edited(
        _ bytes: UnsafeBufferPointer<UInt8>,
        _ encoding: TextEncoding,
        _ replacements: (ScanBuffer) -> Replacements
    ) -> Outcome {
        guard let places = TextDecoding.Places(of: bytes, encoding) else { return .impossible }
        let found = places.withText { replacements(ScanBuffer($0)) }
        let edits = found.edits
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
        return .rewritten(result, styles: found.styles, added: found.added)
    }
}

/// A style in a page, as the text of an element or an attribute, whose references were replaced.
public struct ChangedStyle: Hashable, Sendable {
    /// The text before.
    public var old: String
    /// The text after.
    public var new: String
}

/// What has to be replaced in a text.
struct Replacements {
    /// The edits, in order.
    var edits: [Edit] = []
    var styles: [ChangedStyle] = []
    var added = AddedParts()
}

/// The replacement of a part of a text; its text is ASCII, so that it is the same in each encoding.
struct Edit {
    var range: Range<Int>
    var text: [UInt8]

    /// Returns the edit at a distance.
    func moved(by distance: Int) -> Edit {
        Edit(range: range.lowerBound + distance..<range.upperBound + distance, text: text)
    }
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
    /// The body's URL, and that under which the browser gets it.
    private let (url, place): (WebURL, WebURL)
    private let map: (WebURL) -> WebURL?
    private let unnamedOrigin: String?
    private let kind: ReferenceRewriter.Place
    /// The text in place of the address of the `base` element; nil to keep it.
    private(set) var base: [UInt8]?
    /// What to write in place of addresses, because most pages repeat some; nil to keep one.
    private var known: [Address: String?] = [:]
    /// The memory of other pages, and what the meaning of an address depends on there.
    private var memory: (shared: AddressMemory, context: Int)?

    /// The largest number of addresses that are remembered.
    private static let maxKnown = 10_000

    /// An address without its fragment, and what its URL depends on.
    struct Address: Hashable {
        var text: String
        var resolution: Reference.Resolution
        var precedesBase: Bool

        /// True if it depends on no more of its base than the folder.
        var isPath: Bool { text.utf8.first.map { $0 > 0x20 && $0 != UInt8(ascii: "?") } ?? false }
    }

    /// Creates the rewriting for a body.
    ///
    /// - Parameters:
    ///   - rewriter: The rewriter of the body.
    ///   - baseHref: The address in its `base` element.
    ///   - encoding: Its encoding.
    init(_ rewriter: ReferenceRewriter, baseHref: String? = nil, _ encoding: TextEncoding) {
        let (url, place) = (rewriter.url, rewriter.shown)
        (map, self.url, self.place, unnamedOrigin) = (rewriter.map, url, place, rewriter.unnamedOrigin)
        kind = rewriter.place
        real = ReferenceResolver(url: url, baseHref: baseHref, encoding: encoding)
        shown = ReferenceResolver(url: place, baseHref: baseHref, encoding: encoding)
        // A file's own folder takes the place of a base that isn't among the files.
        let target = map(real.base) ?? (kind == .folder ? place : real.base)
        defer {
            if kind == .folder, let shared = rewriter.memory {
                let folders = [url, place, real.base, shown.base].map { Self.folder(of: $0) }
                let context = AddressMemory.Context(folders: folders, encoding: encoding)
                memory = shared.number(of: context).map { (shared, $0) }
            }
        }
        guard kind != .file, let baseHref, target != shown.base || kind == .folder && Self.isFile(baseHref) else {
            return
        }
        // The base itself is relative to the page.
        shown = ReferenceResolver(url: place, baseHref: nil, encoding: encoding)
        guard let text = written(target) else { return }
        base = Array(text.utf8)
        shown = ReferenceResolver(url: place, baseHref: text, encoding: encoding)
    }

    /// Returns the bases of a document within this one: as crawled, and as shown.
    func bases(precedingBase: Bool) -> (real: WebURL, shown: WebURL) {
        precedingBase ? (url, place) : (real.base, shown.base)
    }

    /// True if relative addresses lead to another origin that isn't replaced.
    func leadsOut(_ addition: PageAddition) -> Bool {
        real.base.origin != url.origin && map(real.base) == nil && addition.leadsOut(real.base)
    }

    /// Returns true if a reference leads to a URL that isn't replaced, out of the packages.
    mutating func leadsOut(_ reference: Reference, _ addition: PageAddition) -> Bool {
        guard case .success(let url)? = real.resolve(reference) else { return false }
        return map(url) == nil && addition.leadsOut(url)
    }

    /// Returns the URL that a reference means and that is replaced; nil if it isn't.
    mutating func mapped(_ reference: Reference) -> WebURL? {
        guard case .success(let url)? = real.resolve(reference), let mapped = map(url), mapped != url else {
            return nil
        }
        return mapped
    }

    /// Returns the whole URL in place of a reference; nil to keep it, or if its origin isn't known.
    mutating func absolute(_ reference: Reference) -> String? {
        guard let url = mapped(reference), url.origin != unnamedOrigin else { return nil }
        return url.description
    }

    /// Returns what to write in place of a reference's text; nil to keep it.
    mutating func replacement(of reference: Reference) -> String? {
        guard kind != .file || reference.kind == .requisite || reference.kind == .frame else { return nil }
        if kind == .folder, let text = standIn(for: reference) { return text }
        let text = reference.text
        let mark = text.utf8.firstIndex(of: UInt8(ascii: "#"))
        let address = Address(
            text: mark.map { String(text[..<$0]) } ?? text,
            resolution: reference.resolution,
            precedesBase: reference.precedesBase
        )
        let new: String?
        if let memory, address.isPath, reference.bases.isEmpty {
            if let known = memory.shared.known(address, in: memory.context) {
                new = known
            } else {
                new = replacement(resolving: reference)
                memory.shared.note(new, for: address, in: memory.context)
            }
        } else if let known = known[address] {
            new = known
        } else {
            new = replacement(resolving: reference)
            if known.count < Self.maxKnown { known[address] = .some(new) }
        }
        guard let new, let mark else { return new }
        let fragment = text[text.utf8.index(after: mark)...]
        let isPlain = fragment.utf8.allSatisfy { $0 > 0x20 && !PercentEncodeSet.fragment.contains($0) }
        guard !isPlain else { return new + text[mark...] }
        return new + "#" + ((try? WebURL.parseWithFragment(text, base: url))?.fragment ?? "")
    }

    /// Returns what stands for an address outside of the files to which a browser connects by itself; nil for others.
    ///
    /// No policy stops a redirect, and Chromium connects to the host of a frame before it heeds one. A file of another host
    /// is a share on Windows, which a page on a server can't use.
    private mutating func standIn(for reference: Reference) -> String? {
        if Self.isFile(reference.text) { return "about:blank" }
        guard reference.kind == .frame || reference.kind == .redirect,
            case .success(let url)? = real.resolve(reference), map(url) == nil
        else { return nil }
        return reference.kind == .frame ? "about:blank" : "#"
    }

    /// Returns true for an address with the scheme of files.
    private static func isFile(_ text: String) -> Bool {
        let scheme: StaticString = "file:"
        var count = 0
        for byte in text.utf8 where byte > 0x20 {
            guard byte.lowercased == scheme.utf8Start[count] else { return false }
            count += 1
            if count == scheme.utf8CodeUnitCount { return true }
        }
        return false
    }

    /// Returns what to write in place of a reference's text without its fragment; nil to keep it.
    private mutating func replacement(resolving reference: Reference) -> String? {
        guard case .success(let url)? = real.resolve(reference) else { return nil }
        let target = map(url) ?? url
        if Self.hasHost(reference.text) {
            // It has the same meaning in both places.
            guard target != url else { return nil }
        } else if case .success(let place)? = shown.resolve(reference), place == target {
            // Most references are relative, and lead to the right place by themselves.
            return nil
        }
        return written(target, precedesBase: reference.precedesBase)
    }

    /// Returns true for an address whose meaning doesn't depend on a base.
    private static func hasHost(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 {
            let bytes = ScanBuffer($0)
            return bytes.hasPrefix("https://", at: 0) || bytes.hasPrefix("http://", at: 0)
        }
    }

    /// Returns a URL as short as it can be on a page, without being relative to the page's path; nil if it has no name.
    private func written(_ url: WebURL, precedesBase: Bool = false) -> String? {
        if kind == .folder, url.origin == place.origin {
            return Self.relative(url.requestTarget, to: precedesBase ? place.path : shown.base.path)
        }
        // A base on another origin, which may follow, would give a path another meaning.
        let isUnnamed = url.origin == unnamedOrigin
        guard url.origin == place.origin, url.origin == shown.base.origin || precedesBase && isUnnamed else {
            return isUnnamed ? nil : url.description
        }
        let target = url.requestTarget
        // A path that begins with two slashes would name a host.
        return target.hasPrefix("//") ? "/." + target : target
    }

    /// Returns a URL up to the last slash of its path.
    private static func folder(of url: WebURL) -> String {
        let text = url.removingQuery.description
        return text.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(text[...$0]) } ?? text
    }

    /// Returns a path relative to the folder of another one.
    private static func relative(_ path: String, to base: String) -> String {
        let names = path.split(separator: "/", omittingEmptySubsequences: false)
        let folders = base.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        let common = zip(names.dropLast(), folders).prefix { $0 == $1 }.count
        let up = Array(repeating: "..", count: folders.count - common)
        let path = (up + names[common...].map(String.init)).joined(separator: "/")
        // Nothing would be the page itself, and a slash the root.
        let first = path.first
        return first == nil || first == "/" || first == "#" ? "./" + path : path
    }
}
