internal import AFCDiscovery
internal import AFCSearch
internal import AFCText

/// The search of an exported folder: for each word the pages that have it, as scripts, since a file can't be fetched.
///
/// Words are those of the search of a cache (`docs/reference/search.md`). They lie in files by their first letters, of which a
/// search loads one for each of its words.
struct ExportSearch {
    /// The pages.
    private var documents: [(title: String, address: String, site: String, summary: String)] = []
    /// The pages of a word, by the word: distances between their numbers, and weights.
    private var pages: [[UInt8]: [UInt8]] = [:]
    /// The last page of each word.
    private var last: [[UInt8]: Int] = [:]
    private var bytes = 0

    /// The most bytes of the pages of all words; further pages are found by their titles only.
    private static let byteLimit = 256 << 20
    /// The size above which words lie in files by two letters instead of one.
    private static let smallSize = 8 << 20
    /// The weights of a word in a title and in a heading; a word in the text weighs 1 to 8.
    private static let (titleWeight, headingWeight) = (12, 4)

    /// The number of pages.
    var count: Int { documents.count }

    /// Adds a page.
    mutating func add(_ page: PageText, address: String, site: String) {
        let number = documents.count
        var start = page.text.prefix { _ in true }[...]
        if start.hasPrefix(page.title) { start = start.dropFirst(page.title.count) }
        let summary = start.prefix(200).filter { $0 != "¶" }.split { $0.isWhitespace }.joined(separator: " ")
        documents.append((page.title.isEmpty ? address : page.title, address, site, summary))
        var weights: [[UInt8]: Int] = [:]
        func count(_ text: String, _ weight: Int, atMost limit: Int) {
            SearchWord.forEach(inText: text) { word in
                weights[word, default: 0] = min(weights[word, default: 0] + weight, limit)
            }
        }
        if bytes < Self.byteLimit { count(page.text, 1, atMost: 8) }
        count(page.headings, Self.headingWeight, atMost: 12)
        count(page.title, Self.titleWeight, atMost: 25)
        for (word, weight) in weights {
            let distance = String(number - (last[word] ?? -1), radix: 36)
            let entry = Array(distance.utf8) + [UInt8(ascii: "A") + UInt8(weight)]
            bytes += entry.count
            pages[word, default: []] += entry
            last[word] = number
        }
    }

    /// Returns the scripts, each a file's name and its text.
    func files() -> [(name: String, text: String)] {
        let length = bytes > Self.smallSize ? 2 : 1
        var groups: [String: [[UInt8]]] = [:]
        for word in pages.keys {
            let text = String(decoding: word, as: UTF8.self)
            groups[String(String.UnicodeScalarView(text.unicodeScalars.prefix(length))), default: []].append(word)
        }
        var files: [(name: String, text: String)] = []
        for (key, words) in groups {
            let sorted = words.sorted { $0.lexicographicallyPrecedes($1) }
            let members = sorted.map { word in
                Self.quoted(String(decoding: word, as: UTF8.self)) + ",\""
                    + String(decoding: pages[word] ?? [], as: UTF8.self) + "\""
            }
            files.append(
                (Self.name(key), "afcacheWords(\(Self.quoted(key)),[\n\(members.joined(separator: ",\n"))\n]);\n")
            )
        }
        let rows = documents.map { page in
            "[" + [page.title, page.address, page.site, page.summary].map(Self.quoted).joined(separator: ",") + "]"
        }
        files.append(("documents.js", "afcacheDocuments(\(length),[\n\(rows.joined(separator: ",\n"))\n]);\n"))
        return files.sorted { $0.name < $1.name }
    }

    /// Returns the name of the file with the words that begin with a key, as the page's script computes it.
    private static func name(_ key: String) -> String {
        "words-" + key.utf16.map { String($0, radix: 16) }.joined(separator: "-") + ".js"
    }

    /// Returns a text as a string of JavaScript, also within an element.
    private static func quoted(_ text: String) -> String {
        JSONValue.string(text).serialized.replacing("<", with: "\\u003c").replacing("\u{2028}", with: "\\u2028")
            .replacing("\u{2029}", with: "\\u2029")
    }
}
