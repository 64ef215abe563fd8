internal import AFCCache
internal import AFCCaching
internal import AFCDiscovery
internal import AFCHTTP
internal import AFCText
internal import AFCURL
internal import HTTPTypes

/// Two versions of a resource side by side, with what changed marked: of pages, the text that a reader sees.
struct ComparisonPage {
    /// One of the versions.
    struct Side {
        /// The version.
        var version: ResourceVersion
        /// Its text; nil if it has none, or if that is too long.
        var text: [UInt8]?
        /// True if it has a body.
        var hasBody = false
        /// Where it redirects to.
        var location: String?

        init(_ version: ResourceVersion) { self.version = version }

        /// Reads a version.
        ///
        /// - Throws: An error if the body can't be read.
        init(_ version: ResourceVersion, _ answer: CacheAnswer) throws {
            self.version = version
            text = try ComparisonPage.text(of: answer)
            hasBody = answer.body.map { $0.size > 0 } ?? false
            location = answer.resolution.fields[.location]
        }
    }

    /// The longest body that is compared, in bytes, and the most lines that are shown.
    private static let byteLimit = 2 << 20
    private static let rowLimit = 4_000
    /// The equal lines that are shown beside a change.
    private static let context = 3

    /// The resource.
    var url: WebURL
    /// The older version.
    var old: Side
    /// The newer one.
    var new: Side

    /// Returns the text of a stored response; nil if it has none.
    ///
    /// - Throws: An error if the body can't be read.
    static func text(of answer: CacheAnswer) throws -> [UInt8]? {
        guard let body = answer.body, answer.resolution.fields[.contentEncoding] == nil,
            let name = answer.resolution.fields[.contentType], let type = MediaType(name),
            ComparedText.isText(type.essence), let bytes = try body.contents(upTo: byteLimit)
        else { return nil }
        return ComparedText.of(bytes, essence: type.essence, charset: type.parameter("charset"))
    }

    /// The page.
    var html: String {
        let (first, second) = (Moment(old.version.time), Moment(new.version.time))
        func head(_ moment: Moment) -> String {
            let link = PastTarget.link(to: url, at: moment)
            return "<th><a href=\"\(Markup.escaped(link))\">\(moment.words)</a></th>"
        }
        let body = """
            <h1>What changed</h1>
            <p><code>\(Markup.escaped(url.description))</code></p>
            \(words)<div class="table"><table class="sides">
            <tr>\(head(first))\(head(second))</tr>
            \(rows)</table></div>
            <p><a href="\(Markup.escaped(PastTarget.list(of: url)))">All versions</a></p>
            """
        return HTML.page(title: "What changed", body: body)
    }

    private var words: String {
        var words: [String] = []
        if old.version.status != new.version.status {
            words.append("The status changed from \(old.version.status) to \(new.version.status).")
        }
        if old.location != new.location {
            let (one, other) = (old.location ?? "nowhere", new.location ?? "nowhere")
            words.append("The redirect changed from \(Markup.escaped(one)) to \(Markup.escaped(other)).")
        }
        if !old.hasBody, !new.hasBody { return words.map { "<p>\($0)</p>\n" }.joined() }
        let isSame = old.version.digest != nil && old.version.digest == new.version.digest
        if isSame {
            words.append("Both have the same body.")
        } else if old.text == nil || new.text == nil {
            words.append("The bodies differ, and at least one of them is no text, or too long to compare.")
        } else if old.text == new.text {
            words.append("The bodies differ, but not in what a reader sees.")
        }
        return words.map { "<p>\($0)</p>\n" }.joined()
    }

    private var rows: String {
        guard let one = old.text, let other = new.text else { return "" }
        let diff = LineDiff(one, other)
        var (text, count, oldEnd) = ("", 0, 0)
        func line(_ lines: LineDiff.Lines, _ number: Int) -> String {
            Markup.escaped(String(decoding: lines[number], as: UTF8.self)) { scalar in
                switch scalar {
                case "\n", "\r": ""
                case "\t": "    "
                // These join or part letters of scripts and pictures.
                case "\u{200C}", "\u{200D}", "\u{AD}": nil
                default: PrintableText.isInvisible(scalar) ? PrintableText.escape(scalar) : nil
                }
            }
        }
        func add(_ row: () -> String) {
            count += 1
            if count <= Self.rowLimit { text += row() }
        }
        func same(_ range: Range<Int>) {
            for number in range {
                add { "<tr><td>\(line(diff.old, number))</td><td>\(line(diff.old, number))</td></tr>\n" }
            }
        }
        for change in diff.changes {
            let start = max(oldEnd, change.old.lowerBound - Self.context)
            let after = min(oldEnd + Self.context, start)
            if oldEnd > 0 { same(oldEnd..<after) }
            if start > (oldEnd > 0 ? after : 0) {
                add { "<tr><td class=\"note\">…</td><td class=\"note\">…</td></tr>\n" }
            }
            same(start..<change.old.lowerBound)
            for offset in 0..<max(change.old.count, change.new.count) {
                let left = change.old.lowerBound + offset
                let right = change.new.lowerBound + offset
                add {
                    let left = left < change.old.upperBound ? "<del>\(line(diff.old, left))</del>" : ""
                    let right = right < change.new.upperBound ? "<ins>\(line(diff.new, right))</ins>" : ""
                    return "<tr><td>\(left)</td><td>\(right)</td></tr>\n"
                }
            }
            oldEnd = change.old.upperBound
        }
        if oldEnd > 0 { same(oldEnd..<min(oldEnd + Self.context, diff.old.count)) }
        if count > Self.rowLimit { text += "<tr><td colspan=\"2\">\(count - Self.rowLimit) more lines</td></tr>\n" }
        return text
    }
}
