internal import AFCURL

/// A body of known format: reads it, and resolves its references.
struct SearchedBody {
    let bytes: UnsafeBufferPointer<UInt8>
    let charset: String?
    let url: WebURL
    let productToken: String
    let limits: DiscoveryLimits
    /// The table of recipes, or nil if recipes aren't used.
    let recipes: RecipeTable?
    private var usesRecipes: Bool { recipes != nil }
    let findsPreviews: Bool
    let media: MediaSelection
    /// The variables that a playlist may import.
    var variables: [String: String] = [:]

    // MARK: Markup

    func markup(_ syntax: HTMLReferences.Syntax, _ guess: TextDecoding.Guess) -> DiscoveredReferences {
        var encoding = guess.encoding
        var found = markup(syntax, encoding)
        // A meta element after the prescan makes browsers start again; HTML §13.2.3.5.
        if !guess.isCertain, let label = found.metaCharset, let late = TextEncoding(metaLabel: label), late != encoding
        {
            encoding = late
            found = markup(syntax, late)
        }
        var result = DiscoveredReferences()
        result.isNofollow = found.isNofollow
        result.isNoindex = found.isNoindex
        result.title = found.title
        result.cuts = found.cuts
        result.scriptTexts = found.scriptTexts
        let resolver = ReferenceResolver(
            url: url,
            baseHref: found.baseHref,
            encoding: encoding,
            importMap: found.importMap
        )
        if resolver.base != url { result.base = resolver.base }
        let loaded = found.loader.isUsed ? found.loader.entries(in: resolver.base) : []
        let map = ModuleMap(found.importMap, loaded, base: resolver.base, url: url)
        if !map.entries.isEmpty { result.moduleMap = map }
        resolve(found.references, resolver, &result)
        result.encoding = encoding
        return result
    }

    private func markup(_ syntax: HTMLReferences.Syntax, _ encoding: TextEncoding) -> HTMLReferences {
        TextDecoding.withUTF8(bytes, encoding) { text in
            var found = HTMLReferences(
                utf8: text,
                syntax: syntax,
                limits: limits,
                productToken: productToken,
                findsPreviews: findsPreviews
            )
            if let recipes, syntax == .html { found.use(recipes, in: ScanBuffer(text), url, limits) }
            return found
        }
    }

    // MARK: XML

    /// Reads XML according to its first element: sitemaps, feeds, and other documents that browsers may display.
    func xml() -> DiscoveredReferences {
        let guess = TextDecoding.xmlEncoding(of: bytes, charset: charset)
        let root = TextDecoding.withUTF8(bytes, guess.encoding) { XMLTagReader.root(of: ScanBuffer($0)) }
        switch root {
        case .urlset, .sitemapindex: return sitemap()
        case .rss, .feed, .rdf: return feed(guess.encoding)
        case .stylesheet, .transform: return transformation(guess.encoding)
        case .period, .adaptationset, .segmentlist: return presentation()
        default: return markup(.xml, guess)
        }
    }

    /// Reads a sitemap in XML or plain text.
    func sitemap() -> DiscoveredReferences {
        let encoding = TextDecoding.xmlEncoding(of: bytes, charset: charset).encoding
        return read(encoding) { text in
            var start = 0
            while start < text.count, text[start].isSpace { start += 1 }
            let isXML = text.at(start) == UInt8(ascii: "<")
            guard isXML else { return SitemapReferences(text: text, limits).list }
            return displayed(text, SitemapReferences(xml: text, limits).list)
        }
    }

    private func feed(_ encoding: TextEncoding) -> DiscoveredReferences {
        read(encoding) { text in displayed(text, FeedReferences(text, limits).list) }
    }

    /// Adds the style sheets by which browsers display a document.
    private func displayed(_ text: ScanBuffer, _ list: ReferenceList) -> ReferenceList {
        var list = list
        for var reference in XMLStylesheet.references(in: text, limits) {
            // Without it, a browser shows the document as well.
            reference.isGuess = true
            guard take(reference, .utf8Address, &list) else { break }
        }
        return list
    }

    /// Finds the style sheets that an XSLT style sheet includes; XSLT 1.0 §2.6.
    private func transformation(_ encoding: TextEncoding) -> DiscoveredReferences {
        read(encoding) { text in
            var references = ReferenceList()
            var reader = XMLTagReader(text)
            while let event = reader.next() {
                guard event == .start(.import) || event == .start(.include),
                    let href = reader.value(of: .href, limit: limits.referenceBytes), !href.isEmpty
                else { continue }
                let element = event == .start(.import) ? "import" : "include"
                let reference = Reference(
                    href,
                    .requisite,
                    .other,
                    element: element,
                    attribute: "href",
                    at: reader.start
                )
                guard take(reference, .utf8Address, &references) else { break }
            }
            return references
        }
    }

    // MARK: Other texts

    func styleSheet() -> DiscoveredReferences {
        read(TextDecoding.cssEncoding(of: bytes, charset: charset)) { text in
            var references = ReferenceList()
            CSSReferences.forEach(in: text, 0..<text.count) { found in
                let name = found.notation.rawValue
                let reference = Reference(found.address, .requisite, found.loads, attribute: name, at: found.start)
                return take(reference, found.notation.resolution, &references)
            }
            return references
        }
    }

    func script(_ goal: JavaScriptReferences.Goal) -> DiscoveredReferences {
        // A module is UTF-8, whatever its header fields say; HTML §8.1.3.1.
        let label = goal == .script ? charset : nil
        let encoding = TextDecoding.scriptEncoding(of: bytes, charset: label)
        var texts = ScriptTexts()
        var names = ModuleNameList()
        var loaded: [ModuleMap.Entry] = []
        var result = read(encoding) { text in
            var references = ReferenceList()
            JavaScriptReferences.forEach(in: text, 0..<text.count, goal) { found in
                let name = found.notation.rawValue
                var reference = Reference(found.text, .requisite, found.loads, attribute: name, at: found.start)
                reference.isConditional = found.notation.isConditional
                if found.notation.resolution == .specifier, ModuleMap.isName(found.text) {
                    names.add(ModuleName(found.text, loads: found.loads, isConditional: reference.isConditional))
                    return true
                }
                return take(reference, found.notation.resolution, &references)
            }
            if goal == .script {
                let modules = AMDReferences.read(text)
                for name in modules.names { names.add(name) }
                loaded = modules.loader.isUsed ? modules.loader.entries(ofScript: url) : []
                for found in modules.found {
                    if recipes != nil, found.isFile, let file = ScriptText.of(found.text, .loaded, .none) {
                        texts.add(ScriptTexts(texts: [file]))
                        continue
                    }
                    let start = found.start
                    var reference = Reference(found.text, .requisite, found.loads, attribute: "require", at: start)
                    reference.isGuess = found.isGuess
                    reference.isConditional = !found.isGuess
                    guard take(reference, .utf8Address, &references) else { break }
                }
            }
            if let recipes {
                let script = RecipeScript(text: text, url: url, goal: goal)
                for reference in Recipe.references(in: script, recipes) where !references.add(reference, limits) {
                    break
                }
                texts.add(ScriptTextReader.read(text, 0..<text.count, goal))
            }
            return references
        }
        result.scriptTexts = texts
        result.moduleNames = names.names
        if !loaded.isEmpty { result.moduleMap = ModuleMap(loaded) }
        return result
    }

    /// Reads a data file with the recipes of its name, and JSON for the files that it names.
    func data() -> DiscoveredReferences {
        var texts = ScriptTexts()
        var result = read(.utf8) { text in
            texts = ScriptTexts(texts: JSONTexts.read(text))
            var references = ReferenceList()
            let data = RecipeData(text: text, url: url)
            for reference in Recipe.references(in: data, recipes ?? .builtIn) where !references.add(reference, limits) {
                break
            }
            return references
        }
        result.scriptTexts = texts
        return result
    }

    /// Reads a playlist of HTTP Live Streaming, which is always UTF-8.
    func playlist(isRendition: Bool) -> DiscoveredReferences {
        var variables: [String: String] = [:]
        var result = read(.utf8) {
            let playlist = HLSPlaylist(
                $0,
                url: url,
                media,
                isRendition: isRendition,
                imported: self.variables,
                limits
            )
            variables = playlist.variables
            return playlist.list
        }
        result.variables = variables
        return result
    }

    func presentation() -> DiscoveredReferences {
        read(TextDecoding.xmlEncoding(of: bytes, charset: charset).encoding) { DASHManifest($0, media, limits).list }
    }

    func captions() -> DiscoveredReferences {
        read(.utf8) { CaptionReferences.list(in: $0, limits) }
    }

    func manifest() -> DiscoveredReferences {
        read(.utf8) { text in WebAppManifest.references(in: text, limits) }
    }

    // MARK: Parts

    private func take(
        _ reference: Reference,
        _ resolution: Reference.Resolution,
        _ references: inout ReferenceList
    ) -> Bool {
        var reference = reference
        reference.resolution = resolution
        return references.add(reference, limits)
    }

    private func read(
        _ encoding: TextEncoding,
        _ body: (ScanBuffer) -> ReferenceList
    ) -> DiscoveredReferences {
        var result = DiscoveredReferences()
        let list = TextDecoding.withUTF8(bytes, encoding) { body(ScanBuffer($0)) }
        result.cuts = list.cuts
        resolve(list.references, ReferenceResolver(url: url, baseHref: nil, encoding: encoding), &result)
        result.encoding = encoding
        return result
    }

    /// The largest number of guesses from the templates of a page.
    private static let inertLimit = 256

    private func resolve(
        _ references: [Reference],
        _ resolver: ReferenceResolver,
        _ result: inout DiscoveredReferences
    ) {
        result.references.reserveCapacity(references.count)
        var resolver = resolver
        var bytes = 0
        var inert = 0
        for var reference in references where usesRecipes || !reference.isGuess {
            if usesRecipes, reference.isInert, reference.kind == .requisite, inert < Self.inertLimit,
                !reference.text.utf8.contains(where: { "{}<>[]".utf8.contains($0) })
            {
                // A script may clone the template; a text into which it inserts something is no address.
                (reference.isInert, reference.isGuess) = (false, true)
                inert += 1
            }
            switch resolver.resolve(reference) {
            case .success(let url) where reference.isForm && url.host != self.url.host: continue
            case .success(let url):
                bytes += url.description.utf8.count
                guard bytes <= limits.urlBytes else {
                    result.cuts.insert(.urlBytes)
                    return
                }
                result.references.append(ResolvedReference(url: url, reference: reference))
            case .failure(let reason):
                result.unresolved.append(UnresolvedReference(reference: reference, reason: reason))
            case nil: continue
            }
        }
    }
}
