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
    /// The pages of each word.
    private var entries: [[UInt8]: Entries] = [:]
    private var bytes = 0

    /// The pages of a word: distances between their numbers, and weights.
    private struct Entries {
        var text: [UInt8] = []
        private var last = -1

        /// Adds a page, and returns the number of bytes that it takes.
        mutating func append(_ number: Int, weight: Int) -> Int {
            let count = text.count
            text += String(number - last, radix: 36).utf8
            text.append(UInt8(ascii: "A") + UInt8(weight))
            last = number
            return text.count - count
        }
    }

    /// The most bytes of the pages of all words; further pages are found by their titles only.
    private static let byteLimit = 256 << 20
    /// The size above which words lie in files by two letters instead of one.
    private static let smallSize = 8 << 20
    /// The number of pages.
    var count: Int { documents.count }

    /// Adds a page.
    mutating func add(_ page: SearchedPage, address: String, site: String) {
        let number = documents.count
        documents.append((page.title.isEmpty ? address : page.title, address, site, page.summary))
        for (word, weight) in bytes < Self.byteLimit ? page.words : page.headingWords {
            bytes += entries[word, default: Entries()].append(number, weight: weight)
        }
    }

    /// Returns the scripts, each a file's name and its text.
    func files() -> [(name: String, text: String)] {
        let length = bytes > Self.smallSize ? 2 : 1
        var groups: [String: [[UInt8]]] = [:]
        for word in entries.keys {
            let text = String(decoding: word, as: UTF8.self)
            groups[String(String.UnicodeScalarView(text.unicodeScalars.prefix(length))), default: []].append(word)
        }
        var files: [(name: String, text: String)] = []
        for (key, words) in groups {
            let sorted = words.sorted { $0.lexicographicallyPrecedes($1) }
            let members = sorted.map { word in
                Self.quoted(String(decoding: word, as: UTF8.self)) + ",\""
                    + String(decoding: entries[word]?.text ?? [], as: UTF8.self) + "\""
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
        let quoted = JSONValue.string(text).serialized
        // These are rare, and each search for one takes as long as the rest.
        guard quoted.utf8.contains(where: { $0 == UInt8(ascii: "<") || $0 == 0xE2 }) else { return quoted }
        return quoted.replacing("<", with: "\\u003c").replacing("\u{2028}", with: "\\u2028")
            .replacing("\u{2029}", with: "\\u2029")
    }
}

/// What the search needs of a page.
package struct SearchedPage: Sendable {
    /// The weights of a word in a title and in a heading; a word in the text weighs 1 to 8.
    private static let (titleWeight, headingWeight) = (12, 4)

    /// The title in one line; empty if there is none.
    let title: String
    /// The beginning of the text.
    let summary: String
    /// The words with their weights.
    let words: [([UInt8], Int)]
    /// The words of the title and of headings.
    let headingWords: [([UInt8], Int)]

    /// Reads the words of a page.
    init(_ page: PageText) {
        title = page.title
        var start = page.text[...]
        if start.hasPrefix(page.title) { start = start.dropFirst(page.title.count) }
        summary = start.prefix(200).filter { $0 != "¶" }.split { $0.isWhitespace }.joined(separator: " ")
        var weights: [[UInt8]: Int] = [:]
        func count(_ text: String, _ weight: Int, atMost limit: Int) {
            SearchWord.forEach(inText: text) { word in
                weights[word, default: 0] = min(weights[word, default: 0] + weight, limit)
            }
        }
        func countHeads() {
            count(page.headings, Self.headingWeight, atMost: 12)
            count(page.title, Self.titleWeight, atMost: 25)
        }
        countHeads()
        headingWords = weights.map { ($0.key, $0.value) }
        weights.removeAll(keepingCapacity: true)
        count(page.text, 1, atMost: 8)
        countHeads()
        words = weights.map { ($0.key, $0.value) }
    }
}
