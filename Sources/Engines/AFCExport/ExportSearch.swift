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
    /// The words, and the pages of each.
    private var words = WordTable()
    private var entries: [Entries] = []
    private var bytes = 0

    /// The pages of a word: distances between their numbers, and weights.
    private struct Entries {
        var text: [UInt8] = []
        private var last = -1

        /// Adds a page, and returns the number of bytes that it takes.
        mutating func append(_ number: Int, weight: UInt8) -> Int {
            let count = text.count
            Self.append(number - last, to: &text)
            text.append(UInt8(ascii: "A") + weight)
            last = number
            return text.count - count
        }

        /// Appends the digits of a number, which are those of `parseInt(…, 36)`.
        private static func append(_ number: Int, to text: inout [UInt8]) {
            if number >= 36 { append(number / 36, to: &text) }
            let digit = UInt8(number % 36)
            text.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
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
        let weights = bytes < Self.byteLimit ? page.weights : page.headingWeights
        page.words.forEach { word, text in
            guard word < weights.count else { return }
            let known = words.number(of: text)
            if known == entries.count { entries.append(Entries()) }
            bytes += entries[known].append(number, weight: weights[word])
        }
    }

    /// Returns the scripts, each a file's name and its text.
    func files() -> [(name: String, text: String)] {
        let length = bytes > Self.smallSize ? 2 : 1
        var groups: [String: [(word: String, entries: Entries)]] = [:]
        for (number, entries) in entries.enumerated() {
            let word = String(decoding: words[number], as: UTF8.self)
            groups[String(String.UnicodeScalarView(word.unicodeScalars.prefix(length))), default: []]
                .append((word, entries))
        }
        var files: [(name: String, text: String)] = []
        for (key, group) in groups {
            let sorted = group.sorted { $0.word.utf8.lexicographicallyPrecedes($1.word.utf8) }
            let members = sorted.map { word, entries in
                Self.quoted(word) + ",\"" + String(decoding: entries.text, as: UTF8.self) + "\""
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
        guard quoted.utf8.contains(where: { $0 == UInt8(ascii: "<") || $0 == 0xE2 }) else { return quoted }
        var result = ""
        for scalar in quoted.unicodeScalars {
            switch scalar {
            case "<": result += "\\u003c"
            case "\u{2028}": result += "\\u2028"
            case "\u{2029}": result += "\\u2029"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

/// What the search needs of a page.
package struct SearchedPage: Sendable {
    /// The weights of a word in a title and in a heading; a word in the text weighs 1 to 8.
    private static let (titleWeight, headingWeight): (UInt8, UInt8) = (12, 4)

    /// The title in one line; empty if there is none.
    let title: String
    /// The beginning of the text.
    let summary: String
    /// The words, those of headings and of the title first.
    let words: WordTable
    /// The weight of each word.
    let weights: [UInt8]
    /// The weights of the words of headings and of the title if nothing else counts.
    let headingWeights: [UInt8]

    /// Reads the words of a page.
    init(_ page: PageText) {
        title = page.title
        summary = Self.summary(of: page)
        var count = WordCount()
        func countHeads() {
            count.add(page.headings, Self.headingWeight, atMost: 12)
            count.add(page.title, Self.titleWeight, atMost: 25)
        }
        countHeads()
        headingWeights = count.weights
        count.weights = Array(repeating: 0, count: count.weights.count)
        count.add(page.text, 1, atMost: 8)
        countHeads()
        (words, weights) = (count.words, count.weights)
    }

    /// Returns the beginning of the text after the title, in one line.
    private static func summary(of page: PageText) -> String {
        var text = page.text.utf8[...]
        if text.starts(with: page.title.utf8) { text = text.dropFirst(page.title.utf8.count) }
        var words: [UInt8] = []
        var count = 0
        for scalar in Substring(text).unicodeScalars {
            count += 1
            guard count <= 200 else { break }
            // The text has no other white space of ASCII, and that mark is a link to a heading.
            if scalar == " " || scalar == "\n" || !scalar.isASCII && scalar.properties.isWhitespace {
                if let last = words.last, last != 0x20 { words.append(0x20) }
            } else if scalar != "¶" {
                words += UTF8.encode(scalar) ?? UTF8.EncodedScalar()
            }
        }
        return String(decoding: words.last == 0x20 ? words.dropLast() : words[...], as: UTF8.self)
    }
}

/// The words of a page with their weights.
private struct WordCount {
    var words = WordTable()
    var weights: [UInt8] = []

    /// Adds a weight to each word of a text, up to a limit.
    mutating func add(_ text: String, _ weight: UInt8, atMost limit: UInt8) {
        SearchWord.forEach(inText: text) { word in
            let number = words.number(of: word)
            if number == weights.count { weights.append(0) }
            weights[number] = min(weights[number] + weight, limit)
        }
    }
}
