internal import AFCURL

/// Reads the tables of Doxygen's search and navigation (1.8 to 1.18).
///
/// `search/searchdata.js` has the first letters of each section of the search, each with a file of its own;
/// `navtreedata.js` and the scripts that it names have the scripts and pages of the navigation's branches, and the number
/// of its indexes. `menudata.js` and the indexes have pages as well; no other page may have links to them.
///
/// `menu.js` and `navtree.js` name images in markup that they write.
///
/// Older releases load the results of a search as pages: `nomatches.html`, and for each letter a numbered page. Each page
/// of the first section leads to the next as a guess, so that only the one after the last is missing.
/// With `CREATE_SUBDIRS`, the branches that only a script in a folder names aren't found. A search on a server has no table.
enum DoxygenRecipe: RecipeReader {
    /// The largest number of sections, which is that of Doxygen's own.
    private static let sectionLimit = 32

    /// The largest number of first letters in a section; Chinese has some thousands.
    private static let letterLimit = 8192

    static func read(_ page: RecipePage, into found: inout RecipeReferences) {
        guard page.url.path.contains("/search/all_"), page.url.lastSegment.hasSuffix(".html"),
            let number = Int(page.url.lastSegment.dropFirst(4).dropLast(5), radix: 16),
            (0..<letterLimit).contains(number),
            page.loadsScript(withSuffix: "search.js")
        else { return }
        found.addGuess(Self.page(number + 1), .document)
    }

    /// Returns the name of a page of the first section.
    private static func page(_ number: Int) -> String { "all_\(String(number, radix: 16)).html" }

    static func read(_ script: RecipeScript, into found: inout RecipeReferences) {
        switch script.name {
        case "searchdata.js" where script.url.path.hasSuffix("/search/searchdata.js"):
            search(script.text, into: &found)
        case "search.js" where script.url.path.hasSuffix("/search/search.js"):
            pages(script.text, into: &found)
        case "menu.js": images(["search/mag_sel.", "search/close."], in: script.text, into: &found)
        case "navtree.js": images(["sync_off.", "sync_on."], in: script.text, into: &found)
        case "navtreedata.js": navigation(script.text, 0, into: &found)
        case "menudata.js": menu(script.text, into: &found)
        case let name where name.hasPrefix("navtreeindex"): index(script.text, into: &found)
        default:
            guard let start = branches(script) else { return }
            tree(script.text, start, takesPaths: false, into: &found)
        }
    }

    // MARK: Search

    private static func pages(_ text: ScanBuffer, into found: inout RecipeReferences) {
        guard let place = text.position(of: "/nomatches") else { return }
        found.add("nomatches.html", .document, at: place)
        found.addGuess(page(0), .document, at: place)
    }

    /// Reads images in markup within literals, such as `'<img src="'+relPath+'search/close.svg" alt=""/>'`.
    private static func images(_ names: [StaticString], in text: ScanBuffer, into found: inout RecipeReferences) {
        for name in names {
            guard let start = text.position(of: name) else { continue }
            let end = text.find(UInt8(ascii: "\""), from: start, to: min(start + 64, text.count))
            let address = text.string(start..<end)
            guard ["svg", "png"].contains(where: address.hasSuffix) else { continue }
            found.add(address, .image, at: start)
        }
    }

    /// Reads `var indexSectionsWithContent = { 0: "abc" }; var indexSectionNames = { 0: "all" };`.
    private static func search(_ text: ScanBuffer, into found: inout RecipeReferences) {
        var tokenizer = JavaScriptTokenizer(text, 0..<text.count, hasHTMLComments: true)
        var letters: [Int] = []
        var names: [(text: String, offset: Int)] = []
        var isInLetters = false
        var isInNames = false
        while let token = tokenizer.next(all: true) {
            switch token {
            case .name where tokenizer.depth == 0:
                isInLetters = tokenizer.isName("indexSectionsWithContent")
                isInNames = tokenizer.isName("indexSectionNames")
            case .string where isInLetters && letters.count < sectionLimit:
                // Its scripts count UTF-16 code units, of which a letter of these tables has one.
                let count = JavaScriptText.string(text, tokenizer.range)?.unicodeScalars.count ?? 0
                letters.append(min(count, letterLimit))
            case .string where isInNames && names.count < sectionLimit:
                guard tokenizer.range.count <= 32, let name = JavaScriptText.string(text, tokenizer.range) else {
                    return
                }
                names.append((name, tokenizer.range.lowerBound))
            default: continue
            }
        }
        guard letters.count == names.count else { return }
        for (section, name) in names.enumerated() where !name.text.isEmpty && name.text.utf8.allSatisfy(\.isLetter) {
            for letter in 0..<letters[section] {
                let stem = "\(name.text)_\(String(letter, radix: 16))"
                found.add(stem + ".js", .script, at: name.offset)
            }
        }
    }

    // MARK: Navigation

    /// Reads `var NAVTREE = […]; var NAVTREEINDEX = ["a.html", "b.html"];`.
    private static func navigation(_ text: ScanBuffer, _ start: Int, into found: inout RecipeReferences) {
        tree(text, start, takesPaths: true, into: &found)
        var tokenizer = JavaScriptTokenizer(text, start..<text.count, hasHTMLComments: true)
        var isInIndex = false
        var number = 0
        while let token = tokenizer.next(all: true) {
            switch token {
            case .name where tokenizer.depth == 0: isInIndex = tokenizer.isName("NAVTREEINDEX")
            case .string where isInIndex && tokenizer.depth == 1:
                found.add("navtreeindex\(number).js", .script, at: tokenizer.range.lowerBound)
                number += 1
            default: continue
            }
        }
    }

    /// Reads `var menudata={children:[{text:"Files",url:"files.html",children:[…]}]}`.
    private static func menu(_ text: ScanBuffer, into found: inout RecipeReferences) {
        guard text.position(of: "var menudata=") != nil else { return }
        var tokenizer = JavaScriptTokenizer(text, 0..<text.count, hasHTMLComments: true)
        var pages = LinkedPages(text)
        var isURL = false
        while let token = tokenizer.next(all: true) {
            switch token {
            case .name: isURL = tokenizer.isName("url")
            case .string where isURL: pages.add(tokenizer.range)
            default: continue
            }
        }
        pages.addLinks(to: &found)
    }

    /// Reads `var NAVTREEINDEX0 = {"page.html#anchor":[1,0]};`.
    private static func index(_ text: ScanBuffer, into found: inout RecipeReferences) {
        guard text.hasPrefix("var navtreeindex", at: 0) else { return }
        var tokenizer = JavaScriptTokenizer(text, 0..<text.count, hasHTMLComments: true)
        var pages = LinkedPages(text)
        while let token = tokenizer.next(all: true) {
            if case .string = token, tokenizer.depth == 1 { pages.add(tokenizer.range) }
        }
        pages.addLinks(to: &found)
    }

    /// The pages that a table names, each once; members of a class name the page of the class, one after the other.
    private struct LinkedPages {
        private let text: ScanBuffer
        private var known: Set<String> = []
        private var links: [(address: String, offset: Int)] = []

        init(_ text: ScanBuffer) { self.text = text }

        mutating func add(_ range: Range<Int>) {
            guard range.count <= 1024, let entry = JavaScriptText.string(text, range) else { return }
            let address = String(entry.prefix { $0 != "#" })
            guard [".html", ".htm", ".xhtml", ".php"].contains(where: address.hasSuffix), known.insert(address).inserted
            else { return }
            links.append((address, range.lowerBound))
        }

        func addLinks(to found: inout RecipeReferences) {
            for link in links { found.addLink(link.address, .document, at: link.offset) }
        }
    }

    /// Returns the position after `var name =` if a script's file starts so, with the name of the file.
    private static func branches(_ script: RecipeScript) -> Int? {
        let text = script.text
        guard text.hasPrefix("var ", at: 0), script.name.hasSuffix(".js") else { return nil }
        var name = Array(script.name.utf8.dropLast(3)).map { $0 == UInt8(ascii: "-") ? UInt8(ascii: "_") : $0 }
        if name.first?.isDigit == true { name.insert(UInt8(ascii: "_"), at: 0) }
        let end = 4 + name.count
        guard end < text.count, text.slice(4..<end).elementsEqual(name), text.hasPrefix(" =\n[\n", at: end) else {
            return nil
        }
        return end
    }

    /// Reads branches such as `[ "Title", "page.html", "script" ]`, in which the third element names a script.
    private static func tree(
        _ text: ScanBuffer,
        _ start: Int,
        takesPaths: Bool,
        into found: inout RecipeReferences
    ) {
        var tokenizer = JavaScriptTokenizer(text, start..<text.count, hasHTMLComments: true)
        /// The number of the next element of each open array.
        var elements: [Int] = []
        var pages = LinkedPages(text)
        defer { pages.addLinks(to: &found) }
        while let token = tokenizer.next(all: true) {
            switch token {
            case .name where tokenizer.depth == 0 && tokenizer.isName("NAVTREEINDEX"): return
            case .punctuator(UInt8(ascii: "[")): elements.append(0)
            case .punctuator(UInt8(ascii: "]")): if !elements.isEmpty { elements.removeLast() }
            case .punctuator(UInt8(ascii: ",")): if let last = elements.indices.last { elements[last] += 1 }
            case .string where elements.count > 1 && elements.last == 1: pages.add(tokenizer.range)
            case .string where elements.count > 1 && elements.last == 2:
                guard tokenizer.range.count <= 1024, let name = JavaScriptText.string(text, tokenizer.range),
                    !name.isEmpty, takesPaths || !name.utf8.contains(UInt8(ascii: "/"))
                else { continue }
                found.add(name + ".js", .script, at: tokenizer.range.lowerBound)
            default: continue
            }
        }
    }
}
