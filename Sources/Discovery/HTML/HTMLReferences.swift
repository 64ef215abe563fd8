/// What an HTML document, or an SVG image, refers to.
enum HTMLReferences {
    /// How deep `srcdoc` documents are followed.
    private static let srcdocDepth = 2

    static func references(in bytes: [UInt8]) -> DocumentReferences { references(in: bytes, depth: 0) }

    private static func references(in bytes: [UInt8], depth: Int) -> DocumentReferences {
        var collector = Collector(depth: depth)
        var scanner = HTMLScanner(bytes)
        while let event = scanner.next() {
            switch event {
            case .start(let tag): collector.visit(tag)
            case .style(let css): collector.result.references += CSSReferences.references(in: css)
            case .end: break
            }
            if collector.result.references.count > ReferenceExtractor.countLimit { break }
        }
        return collector.result
    }

    private struct Collector {
        let depth: Int
        var result = DocumentReferences()

        mutating func add(_ text: String?, _ kind: ReferenceKind, isNoFollow: Bool = false) {
            guard let text, !text.isEmpty else { return }
            result.references.append(RawReference(text, kind, isNoFollow: isNoFollow))
        }

        mutating func addSet(_ text: String?) {
            for url in text.map(SourceSet.urls) ?? [] { add(url, .requisite) }
        }

        mutating func visit(_ tag: HTMLTag) {
            if let style = tag["style"] { result.references += CSSReferences.references(in: Array(style.utf8)) }
            switch tag.name {
            case "a", "area":
                let isNoFollow = tag["rel"].map { tokens($0).contains("nofollow") } ?? false
                add(tag["href"] ?? tag["xlink:href"], .link, isNoFollow: isNoFollow)
            case "base": if result.base == nil { result.base = tag["href"] }
            case "link": link(tag)
            case "meta": meta(tag)
            case "img", "image":
                add(tag["src"], .requisite)
                addSet(tag["srcset"])
                add(tag["href"] ?? tag["xlink:href"], .requisite)
                add(tag["longdesc"], .link)
            case "source":
                add(tag["src"], .requisite)
                addSet(tag["srcset"])
            case "video":
                add(tag["src"], .requisite)
                add(tag["poster"], .requisite)
            case "script": add(tag["src"] ?? tag["href"] ?? tag["xlink:href"], .requisite)
            case "audio", "track", "embed", "frame": add(tag["src"], .requisite)
            case "iframe":
                add(tag["src"], .requisite)
                if let document = tag["srcdoc"], depth < HTMLReferences.srcdocDepth {
                    let inner = HTMLReferences.references(in: Array(document.utf8), depth: depth + 1)
                    result.references += inner.references
                }
            case "object": add(tag["data"], .requisite)
            case "input": if tag["type"]?.lowercased() == "image" { add(tag["src"], .requisite) }
            case "body", "table", "td", "th", "tr": add(tag["background"], .requisite)
            case "use", "feimage": add(tag["href"] ?? tag["xlink:href"], .requisite)
            case "blockquote", "q", "ins", "del": add(tag["cite"], .link)
            default: break
            }
        }

        private mutating func link(_ tag: HTMLTag) {
            let relations = tokens(tag["rel"] ?? "")
            let requisites: Set<String> = [
                "stylesheet", "icon", "apple-touch-icon", "apple-touch-icon-precomposed", "apple-touch-startup-image", "mask-icon",
                "manifest", "preload", "modulepreload",
            ]
            if !relations.isDisjoint(with: requisites) {
                add(tag["href"], .requisite)
                addSet(tag["imagesrcset"])
            } else if !relations.isDisjoint(with: [
                "next", "prev", "prefetch", "prerender", "canonical", "alternate", "author", "help", "license", "search", "index",
                "contents", "chapter", "copyright", "glossary", "start", "up", "top", "first", "last",
            ]) {
                add(tag["href"], .link)
            }
        }

        private mutating func meta(_ tag: HTMLTag) {
            if tag["name"]?.lowercased() == "robots", tokens(tag["content"] ?? "", separators: ", ").contains("nofollow") {
                result.isNoFollow = true
            }
            if tag["http-equiv"]?.lowercased() == "refresh" { add(refresh(tag["content"] ?? ""), .link) }
        }

        private func tokens(_ text: String, separators: String = " \t\n\u{C}\r") -> Set<String> {
            Set(text.lowercased().split { separators.contains($0) }.map(String.init))
        }

        /// The URL of a refresh (HTML Standard §4.2.5.3): `5; url='next.html'`.
        private func refresh(_ content: String) -> String? {
            var rest = content.drop { $0.isWhitespace }.drop { $0.isNumber || $0 == "." }
            rest = rest.drop { $0.isWhitespace }
            guard let separator = rest.first, separator == ";" || separator == "," else { return nil }
            rest = rest.dropFirst().drop { $0.isWhitespace }
            if rest.prefix(3).lowercased() == "url" {
                let after = rest.dropFirst(3).drop { $0.isWhitespace }
                if after.first == "=" { rest = after.dropFirst().drop { $0.isWhitespace } }
            }
            if let quote = rest.first, quote == "'" || quote == "\"" {
                rest = rest.dropFirst().prefix { $0 != quote }
            }
            return rest.isEmpty ? nil : String(rest)
        }
    }
}
