internal import AFCURL

/// Reads the tables of chunk file names in the runtimes of webpack and Rspack.
///
/// Releases 4 and 5 of webpack, Rspack, and what is built with them (Docusaurus, Next.js, Gatsby, Nuxt 2, Create React
/// App, Vue CLI, Angular up to 16, Rsbuild) have a function that makes the file name of each script, and another for
/// style sheets (`mini-css-extract-plugin`). Their tables name every chunk that can be loaded at run time. Chunks
/// without a script of their own, which a condition in the runtime excludes, are left out.
///
/// Scripts also name images, fonts and other files below the public path. In the runtime's own file they are certain; in
/// a chunk, if chunk and file have a folder in common (`static/js` and `static/media`), else they are guesses.
///
/// If there is no table, because file names don't depend on the content or there is one chunk only, the ids are those
/// of the calls `require.e(id).then(…)` in the same file. Chunks that other files ask for then aren't found, nor is
/// anything if a script computes the public path, unless the runtime lies in the folder of its chunks. A public path
/// that is relative to the page is taken to be the folder of the runtime, without the folders that file names begin
/// with.
///
/// A worker has a runtime of its own, which loads chunks by `importScripts`. It may load one chunk only, whose id is
/// then in the list of chunks that its start waits for: `require.O(void 0,[5839],…)`.
enum WebpackRecipe: RecipeReader {
    static func read(_ page: RecipePage, into found: inout RecipeReferences) {
        for script in page.scripts where ScriptType(type: script.type, language: nil) != nil {
            let text = ScanBuffer(page.text.slice(script.range))
            guard let runtime = WebpackRuntime(text, isModule: script.type == "module") else { continue }
            runtime.add(to: &found, base: "", loads: script.type == "module" ? .module : .script)
        }
    }

    static func read(_ script: RecipeScript, into found: inout RecipeReferences) {
        let path = script.url.path
        let folder = String(path[..<path.lastSegment.startIndex])
        if let runtime = WebpackRuntime(script.text, isModule: script.goal == .module) {
            runtime.add(to: &found, base: folder, loads: script.goal == .module ? .module : .script)
            guard let root = runtime.prefix(folder) else { return }
            for asset in BundledAssets(script.text).all() {
                found.add(root + asset.name, asset.loads, at: asset.offset)
            }
        } else if BundledAssets.isChunk(script.text) {
            addAssets(BundledAssets(script.text).all(), folder, into: &found)
        }
    }

    /// Returns the folder that is most likely the public path.
    private static func guessedRoot(of name: String, _ folder: String) -> String {
        // Docusaurus writes chunks to `assets/js`, and webpack writes files without a configured name to the output folder.
        if folder.hasSuffix("/assets/js/"), !name.contains("/") {
            return String(folder.dropLast("assets/js/".utf8.count))
        }
        return folder.hasSuffix("/js/") ? String(folder.dropLast(3)) : folder
    }

    /// Adds the files that a chunk names below the public path, which only the runtime knows.
    private static func addAssets(
        _ assets: [BundledAssets.Asset],
        _ folder: String,
        into found: inout RecipeReferences
    ) {
        for asset in assets {
            if let root = BundledAssets.root(of: asset.name, chunksIn: folder) {
                found.add(root + asset.name, asset.loads, at: asset.offset)
            } else {
                found.addGuess(guessedRoot(of: asset.name, folder) + asset.name, asset.loads, at: asset.offset)
            }
        }
    }
}

/// The parts of a bundler's runtime that tell which files it loads.
struct WebpackRuntime {
    /// The beginning of each address.
    private enum Root: Equatable {
        case literal(String)
        /// The folder of the runtime's own file, with a relative path after it.
        case script(String)
        case unknown
    }

    /// The file names of one kind.
    private struct Table {
        var names: FileNameExpression
        var ids: Set<String>
        var offset: Int
    }

    /// The largest size of all addresses together, in bytes.
    private static let maxBytes = 16_777_216
    /// The longest distance between the parts of a function, in bytes.
    private static let maxDistance = 65_536
    /// The largest number of places with one mark.
    private static let maxMarks = 256

    private var scripts: Table?
    private var styles: Table?
    private var root = Root.unknown

    /// Reads a runtime; nil for other scripts.
    init?(_ text: ScanBuffer, isModule: Bool) {
        let worker = Self.workerStart(text)
        guard
            let failure = text.position(of: "Loading chunk ")
                ?? (isModule ? text.position(of: "__webpack_ids__") : nil) ?? worker
        else { return nil }
        let marks = Marks(text)
        let mark: Mark
        if let (names, place) = marks.function(text, marks.scriptNames) {
            mark = place
            guard let excluded = Self.idsWithoutScript(text, marks, names.ids, failure) else { return nil }
            scripts = Table(names: names, ids: names.ids.subtracting(excluded), offset: mark.place)
        } else if let (names, place) = marks.sum(text) {
            mark = place
            scripts = Table(names: names, ids: names.ids, offset: mark.place)
        } else {
            return nil
        }
        if let table = scripts, table.names.ids.isEmpty, table.names.namesEveryID {
            scripts?.ids = table.names.isVariable ? RequiredChunks.ids(in: text, isWorker: worker != nil) : []
        }
        if let (names, place) = marks.function(text, marks.styleNames) {
            let listed = marks.styleConditions.first.flatMap { Self.listedIDs(text, after: $0.place) }
            styles = Table(names: names, ids: listed ?? names.ids, offset: place.place)
        } else if marks.styleNames.isEmpty {
            styles = Self.oldStyles(text)
        }
        root = marks.root(text, near: mark, isModule: isModule)
    }

    /// Adds what the runtime loads.
    ///
    /// - Parameters:
    ///   - found: The list.
    ///   - base: The path of the script's folder, or an empty text for a script in a page.
    ///   - loads: The destination of scripts.
    func add(to found: inout RecipeReferences, base: String, loads: Destination) {
        var bytes = 0
        for (table, loads) in [(scripts, loads), (styles, Destination.style)] {
            guard let table, let root = prefix(base) else { continue }
            bytes += table.ids.count * (table.names.cost + root.utf8.count)
            guard bytes <= Self.maxBytes else { return }
            for id in table.ids.sorted() {
                guard let name = table.names.value(of: id), !name.isEmpty else { continue }
                found.add(root + name, loads, at: table.offset)
            }
        }
    }

    /// Returns what precedes file names.
    ///
    /// - Parameter base: The path of the script's folder, or an empty text for a script in a page.
    /// - Returns: The path, or nil if it isn't known.
    func prefix(_ base: String) -> String? {
        switch root {
        case .unknown:
            // A script computes the path. The runtime was loaded from it, and lies where its chunks do.
            let folder = scripts.map { Self.folder($0.names, $0.ids) } ?? ""
            return base.hasSuffix("/" + folder) ? Self.output(of: base, folder) : nil
        case .script(let path): return path
        case .literal(let path):
            guard !base.isEmpty, !path.hasPrefix("/"), !path.contains("://") else { return path }
            return Self.output(of: base, scripts.map { Self.folder($0.names, $0.ids) } ?? "") + path
        }
    }

    /// Returns the folder that contains all output: the runtime's without the folders that the names begin with.
    private static func output(of base: String, _ folder: String) -> String {
        folder.isEmpty || !base.hasSuffix("/" + folder) ? base : String(base.dropLast(folder.count))
    }

    /// Returns the folders that the name of a chunk begins with.
    private static func folder(_ names: FileNameExpression, _ ids: Set<String>) -> String {
        guard let id = ids.min(), let name = names.value(of: id), let slash = name.lastIndex(of: "/") else { return "" }
        return String(name[...slash])
    }

    // MARK: Workers

    /// Returns the place of `importScripts(r.p+r.u(id))`, or nil if there is none.
    private static func workerStart(_ text: ScanBuffer) -> Int? {
        var index = 0
        while let place = text.position(of: "importScripts(", from: index) {
            index = place + 14
            var parser = FileNameParser(text, at: index, to: min(text.count, index + 256))
            guard parser.name() != nil, parser.take("."), parser.takeWord("p"), parser.take("+"), parser.name() != nil,
                parser.take("."), parser.takeWord("u"), parser.take("(")
            else { continue }
            return place
        }
        return nil
    }

    // MARK: Conditions

    /// Returns the ids for which the function that loads scripts does nothing, or nil if its condition isn't known.
    private static func idsWithoutScript(
        _ text: ScanBuffer,
        _ marks: Marks,
        _ ids: Set<String>,
        _ failure: Int
    ) -> Set<String>? {
        guard let start = marks.scriptConditions.first?.place else { return [] }
        let limit = min(text.count, start + maxDistance)
        let end = failure > start ? min(failure, limit) : limit
        var index = start
        while index < end {
            index += 1
            guard index + 1 < end else { break }
            switch text[index] {
            case UInt8(ascii: "/") where text[index + 1] == UInt8(ascii: "^"):
                guard let condition = pattern(text, at: index, to: end) else { return nil }
                return ids.filter { condition.words.contains($0) != condition.isTrue }
            case UInt8(ascii: "=") where isComparison(text, index), UInt8(ascii: "!") where isComparison(text, index):
                guard let id = compared(text, index, from: start, to: end) else { continue }
                let isEqual = text[index] == UInt8(ascii: "=")
                let isTrue = isEqual != isZero(text, after: id.end, to: end)
                return ids.filter { ($0 == id.text) != isTrue }
            default: continue
            }
        }
        return []
    }

    /// Returns true for `==` and `!=`, and false for `===`, `!==`, `=>` and `=`.
    private static func isComparison(_ text: ScanBuffer, _ index: Int) -> Bool {
        text[index + 1] == UInt8(ascii: "=") && text.at(index + 2) != UInt8(ascii: "=")
            && text[index - 1] != UInt8(ascii: "=") && text[index - 1] != UInt8(ascii: "!")
    }

    /// Reads `/^(…)$/.test(id)`; `isTrue` says whether matching ids have a script.
    private static func pattern(_ text: ScanBuffer, at slash: Int, to end: Int) -> (words: Set<String>, isTrue: Bool)? {
        var close = slash + 2
        while close < end, text[close] != UInt8(ascii: "/"), text[close] != 0x0A {
            close += text[close] == UInt8(ascii: "\\") ? 2 : 1
        }
        guard close < end, text[close] == UInt8(ascii: "/"), text[close - 1] == UInt8(ascii: "$"),
            let words = WordPattern.words(text, slash + 2..<close - 1)
        else { return nil }
        let parenthesis = text.find(UInt8(ascii: ")"), from: close, to: end)
        guard parenthesis < end else { return nil }
        let isNegated = text[slash - 1] == UInt8(ascii: "!")
        return (words, isNegated == isZero(text, after: parenthesis + 1, to: end))
    }

    /// Reads the literal on either side of a comparison with the id.
    private static func compared(
        _ text: ScanBuffer,
        _ sign: Int,
        from start: Int,
        to end: Int
    ) -> (text: String, end: Int)? {
        var first = sign
        while first > start, text[first - 1] != UInt8(ascii: "("), text[first - 1] != UInt8(ascii: ";"),
            sign - first < 128
        {
            first -= 1
        }
        var parser = FileNameParser(text, at: first, to: end)
        let left = parser.comparand(before: sign)
        parser = FileNameParser(text, at: sign + 2, to: end)
        guard let left, let right = parser.comparand() else { return nil }
        switch (left, right) {
        case (.id, .text(let id)), (.text(let id), .id): return (id, parser.index)
        default: return nil
        }
    }

    /// Returns true if `) x[y]=0` follows: nothing is to be loaded if the condition is true.
    private static func isZero(_ text: ScanBuffer, after index: Int, to end: Int) -> Bool {
        var parser = FileNameParser(text, at: index, to: end)
        _ = parser.take(")")
        return parser.name() != nil && parser.take("[") && parser.name() != nil && parser.take("]") && parser.take("=")
            && parser.take("0")
    }

    /// Reads the next `{1:1,2:1}` that is indexed or assigned.
    private static func listedIDs(_ text: ScanBuffer, after start: Int) -> Set<String>? {
        let end = min(text.count, start + maxDistance)
        var index = start
        while true {
            index = text.find(UInt8(ascii: "{"), from: index, to: end)
            guard index < end else { return nil }
            var parser = FileNameParser(text, at: index, to: text.count)
            if let rows = parser.table(), !rows.isEmpty, rows.values.allSatisfy({ $0 == "1" }) { return Set(rows.keys) }
            index = max(index + 1, parser.index)
        }
    }

    // MARK: webpack 4

    /// Reads the names of style sheets in a runtime of webpack 4, which lists the chunks that have one.
    private static func oldStyles(_ text: ScanBuffer) -> Table? {
        guard let failure = text.position(of: "CSS_CHUNK_LOAD_FAILED") ?? text.position(of: "Loading CSS chunk "),
            let colon = lastPosition(of: ":1}", before: failure, text)
        else { return nil }
        var start = colon
        while start > 0, text[start] != UInt8(ascii: "{") { start -= 1 }
        var parser = FileNameParser(text, at: start, to: failure)
        guard let rows = parser.table(), !rows.isEmpty, rows.values.allSatisfy({ $0 == "1" }) else { return nil }
        var index = parser.index
        while true {
            index = text.find(UInt8(ascii: "="), from: index, to: failure)
            guard index < failure else { return nil }
            var parser = FileNameParser(text, at: index + 1, to: failure)
            if let names = parser.expression(), let id = rows.keys.first, names.value(of: id)?.hasSuffix(".css") == true
            {
                return Table(names: names, ids: Set(rows.keys), offset: index + 1)
            }
            index = max(index + 1, parser.index)
        }
    }

    private static func lastPosition(of word: StaticString, before end: Int, _ text: ScanBuffer) -> Int? {
        var index = end - word.utf8CodeUnitCount
        while index >= 0 {
            if text[index] == word.utf8Start[0], text.hasPrefix(word, at: index) { return index }
            index -= 1
        }
        return nil
    }

    // MARK: Marks

    /// A place after the name of a property and a sign.
    private struct Mark {
        /// The name of the object.
        var owner: String
        var place: Int
    }

    /// The places of a runtime's properties.
    private struct Marks {
        /// The positions after `.u=`.
        var scriptNames: [Mark] = []
        /// The positions after `.miniCssF=` and `.k=`.
        var styleNames: [Mark] = []
        /// The positions after `.f.j=`.
        var scriptConditions: [Mark] = []
        /// The positions after `.f.miniCss=`.
        var styleConditions: [Mark] = []
        /// The positions after `.p=`.
        private var roots: [Mark] = []
        /// The positions after `.p+`.
        private var sums: [Mark] = []
        /// The hash of the build that `.h` of an object returns.
        private var hashes: [String: String] = [:]

        init(_ text: ScanBuffer) {
            var marks: [Mark] = []
            var index = 0
            while true {
                index = text.find(UInt8(ascii: "."), from: index)
                guard index + 2 < text.count else { break }
                index += 1
                switch text[index] {
                case UInt8(ascii: "u"): note(text, index, 1, "=", &scriptNames)
                case UInt8(ascii: "k"): note(text, index, 1, "=", &styleNames)
                case UInt8(ascii: "h"): note(text, index, 1, "=", &marks)
                case UInt8(ascii: "p"):
                    note(text, index, 1, "=", &roots)
                    note(text, index, 1, "+", &sums)
                case UInt8(ascii: "m") where text.hasPrefix("minicssf", at: index):
                    note(text, index, 8, "=", &styleNames)
                case UInt8(ascii: "f") where text.hasPrefix("f.j", at: index):
                    note(text, index, 3, "=", &scriptConditions)
                case UInt8(ascii: "f") where text.hasPrefix("f.minicss", at: index):
                    note(text, index, 9, "=", &styleConditions)
                default: continue
                }
            }
            for mark in marks {
                var parser = FileNameParser(text, at: mark.place, to: text.count)
                if let hash = parser.constantFunction() { hashes[mark.owner] = hash }
            }
        }

        /// Notes the property at a position, if a sign follows its name.
        private func note(
            _ text: ScanBuffer,
            _ start: Int,
            _ length: Int,
            _ sign: Unicode.Scalar,
            _ marks: inout [Mark]
        ) {
            var index = start + length
            if text.at(index)?.isSpace == true { index += 1 }
            guard text.at(index) == UInt8(ascii: sign), marks.count < maxMarks else { return }
            guard sign != "=" || text.at(index + 1) != UInt8(ascii: "=") else { return }
            var first = start - 1
            while first > 0, text[first - 1].isNamePart, start - first < 64 { first -= 1 }
            marks.append(Mark(owner: text.string(first..<start - 1), place: index + 1))
        }

        /// Returns the function at the first of some marks that is one for file names.
        func function(_ text: ScanBuffer, _ marks: [Mark]) -> (FileNameExpression, Mark)? {
            first(text, marks) { $0.function() }
        }

        /// Returns the first file name that is added to the public path, as in webpack 4.
        func sum(_ text: ScanBuffer) -> (FileNameExpression, Mark)? {
            first(text, sums) { parser in parser.expression().flatMap { $0.isVariable ? $0 : nil } }
        }

        private func first(
            _ text: ScanBuffer,
            _ marks: [Mark],
            _ read: (inout FileNameParser) -> FileNameExpression?
        ) -> (FileNameExpression, Mark)? {
            var end = 0
            for mark in marks where mark.place >= end {
                var parser = FileNameParser(text, at: mark.place, to: text.count, hash: hashes[mark.owner])
                if let names = read(&parser), isFileName(names) { return (names, mark) }
                end = parser.index
            }
            return nil
        }

        private func isFileName(_ names: FileNameExpression) -> Bool {
            guard let name = names.value(of: names.ids.first ?? "0") else { return false }
            let path = name.prefix { $0 != "?" }
            return path.hasSuffix(".js") || path.hasSuffix(".mjs") || path.hasSuffix(".css") || path.hasSuffix(".cjs")
        }

        /// Returns the public path that is assigned nearest to a mark, to the same object.
        func root(_ text: ScanBuffer, near mark: Mark, isModule: Bool) -> Root {
            if isModule, let path = importedFolder(text) { return .script(path) }
            let own = roots.filter { $0.owner == mark.owner }
            guard let nearest = own.min(by: { abs($0.place - mark.place) < abs($1.place - mark.place) }) else {
                return .unknown
            }
            var parser = FileNameParser(text, at: nearest.place, to: text.count, hash: hashes[mark.owner])
            let isLiteral = parser.peek().map { !$0.isDigit } ?? false
            guard isLiteral, let value = parser.expression() else { return .unknown }
            switch value {
            case .id: return isAutomatic(text) ? .script("") : .unknown
            case .sum(let parts):
                guard parts.count == 2, case .id = parts[0], case .text(let path) = parts[1] else { break }
                return isAutomatic(text) ? .script(path) : .unknown
            default: break
            }
            guard !value.isVariable, parser.isAtEndOfExpression, let path = value.value(of: ""), !path.contains("{{")
            else { return .unknown }
            return .literal(path)
        }

        private func isAutomatic(_ text: ScanBuffer) -> Bool { text.position(of: "Automatic publicPath") != nil }

        /// Returns the text in `import("./"+r.u(id))`.
        private func importedFolder(_ text: ScanBuffer) -> String? {
            var index = 0
            while let place = text.position(of: "import(", from: index) {
                index = place + 7
                var parser = FileNameParser(text, at: index, to: text.count)
                guard let path = parser.text(before: "+"), path.hasPrefix("."), path.hasSuffix("/") else { continue }
                guard parser.name() != nil, parser.take("."), parser.takeWord("u") else { continue }
                return path
            }
            return nil
        }
    }
}

/// The ids of chunks that calls of a bundler's `require.e` name.
enum RequiredChunks {
    /// The largest number of ids in one script.
    private static let maxIDs = 10_000

    /// Returns the ids in `r.e(1).then(r` and `Promise.all([r.e(1),r.e(2)]).then(r`.
    ///
    /// A container of module federation exposes modules by `r.e(1).then((()=>()=>r(2)))`.
    /// The start of a worker calls any function then, and waits for chunks in `r.O(void 0,[1,2],`.
    static func ids(in text: ScanBuffer, isWorker: Bool) -> Set<String> {
        var ids: Set<String> = []
        /// The ids of the calls before, in the same array.
        var pending: [String] = []
        var index = 0
        while ids.count < maxIDs {
            index = text.find(UInt8(ascii: "."), from: index)
            guard index + 4 < text.count else { break }
            index += 1
            if isWorker, text[index] == UInt8(ascii: "O"), text[index + 1] == UInt8(ascii: "(") {
                ids.formUnion(awaited(text, &index))
                continue
            }
            guard text[index] == UInt8(ascii: "e"), text[index + 1] == UInt8(ascii: "(") else { continue }
            let dot = index - 1
            index += 2
            var start = dot
            while start > 0, dot - start < 64, text[start - 1].isNamePart { start -= 1 }
            guard start < dot else { continue }
            var parser = FileNameParser(text, at: index, to: text.count)
            guard let id = parser.id(), parser.take(")") else { continue }
            index = parser.index
            pending.append(id)
            if parser.take(",") { continue }
            if parser.take("]") { _ = parser.take(")") }
            if parser.take("."), parser.takeWord("then"), parser.take("("),
                let name = parser.name() ?? exposed(&parser),
                isWorker || text.slice(name).elementsEqual(text.slice(start..<dot))
            {
                ids.formUnion(pending)
            }
            pending = []
        }
        return ids
    }

    /// Returns the place of `r` in `(()=>()=>r(1))`, with or without the outer parentheses.
    private static func exposed(_ parser: inout FileNameParser) -> Range<Int>? {
        guard parser.take("(") else { return nil }
        _ = parser.take("(")
        for sign in [")", "=", ">", "(", ")", "=", ">"] as [Unicode.Scalar] where !parser.take(sign) { return nil }
        return parser.name()
    }

    /// Reads the ids in `O(void 0,[1,2],`, and moves the index behind them.
    private static func awaited(_ text: ScanBuffer, _ index: inout Int) -> [String] {
        var parser = FileNameParser(text, at: index + 2, to: text.count)
        guard parser.takeWord("void"), parser.take("0"), parser.take(","), parser.take("[") else { return [] }
        var ids: [String] = []
        while ids.count < maxIDs, let id = parser.id() {
            ids.append(id)
            guard parser.take(",") else { break }
        }
        index = parser.index
        return parser.take("]") ? ids : []
    }
}
