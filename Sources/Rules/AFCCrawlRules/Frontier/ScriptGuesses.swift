internal import AFCDiscovery
internal import AFCURL

/// The state of a crawl at the start of a round of guesses.
package struct GuessRound: Sendable, Equatable {
    /// The number of the next URL that the crawl finds.
    package var nextID: Int64
    /// The number of resources and redirects that the crawl has.
    package var answers: Int

    package init(nextID: Int64, answers: Int) {
        self.nextID = nextID
        self.answers = answers
    }
}

/// The guesses from what scripts name in texts: decides which address is requested next against which base, and learns from
/// the answers; docs/reference/discovery.md, "Addresses in scripts".
///
/// Guesses are made in rounds, each when nothing else waits. The choice of a round depends only on the texts, on the URLs that
/// the crawl knew at its start, and on the answers to earlier rounds, so that a resumed crawl makes the same rounds again.
struct ScriptGuesses {
    /// The knowledge of a URL at the start of a round.
    enum Knowledge {
        /// The crawl hasn't found it.
        case new
        /// The crawl has found it by other means.
        case found
        /// It was guessed, and the site has it or hasn't.
        case answered(exists: Bool)
        /// The rules of the crawl forbid it.
        case forbidden
    }

    /// A URL to request.
    struct Guess {
        var url: WebURL
        var loads: Destination
        /// The page or script that names it.
        var referrer: CrawlReferrer
    }

    /// The bounds on what is guessed.
    enum Bound {
        /// The number of guesses from one page or script, unless nearly all of them are right.
        static let ofFile = 64
        /// The number of wrong guesses in a crawl; in a large one, a hundredth of its answers.
        static let ofCrawl = 24
        static let answersPerMiss = 100
        /// The wrong guesses after which a file's texts of a kind are given up: times the number of right ones, plus one.
        static func ofFile(_ text: ScriptText) -> Int {
            guard text.strength == .loaded else { return 3 }
            return switch text.loads {
            case .image, .font, .media: 4
            default: 12
            }
        }
        /// The wrong guesses after which a file's bare names are given up, if none was right.
        static let ofBareNames = 2
        /// The wrong guesses after which only what is loaded is tried against a base, unless one in eight was right.
        static let ofBase = 12
        /// The wrong guesses after which a suffix is given up for a strength, if none was right.
        static let ofSuffix = 8
        /// The wrong guesses against other bases than the first after which only the first is tried, unless one in four was right.
        static let ofLaterBases = 2
        /// The number of folders in which a tail is tried without success; one more if pages in two folders load the script.
        static let ofTail = 2
        /// The wrong guesses of bare names that scripts only name, on a host, after which no more are tried, unless one in
        /// four was right.
        static let ofMentions = 4
        /// The number of texts in a crawl.
        static let texts = 65_536
        /// The number of names that are kept if nothing was found for them.
        static let unfound = 256
    }

    /// A page or script with texts.
    private struct File {
        var referrer: CrawlReferrer
        /// The bases in the order in which they are tried if nothing precedes a text.
        var bases: [WebURL]
        /// The same if something unknown precedes it.
        var basesOfTails: [WebURL]
        /// The script's own URL, or nil for a page.
        var script: WebURL?
        /// The script that pages load, which may be another one that loads this script; nil for a page.
        var entry: URLKey?
        /// The base against which an address was found last.
        var proven: WebURL?
        /// True once the site has a URL for a text of the script that something unknown precedes.
        var knowsHead = false
        var tally = Tally()
        var bareMisses = 0
    }

    private struct Tally {
        var hits = 0
        var misses = 0
        /// The guesses without an answer, which may all be wrong.
        var open = 0

        var worst: Int { misses + open }
    }

    /// A page that loads a script.
    private struct Loader {
        var folder: WebURL
        var id: Int64
    }

    /// The first two pages in different folders that load a script.
    private struct Loaders {
        var first: Loader?
        var second: Loader?
    }

    /// A text of a file that isn't decided.
    private struct Candidate {
        var file: Int
        var text: ScriptText
        /// The URL against the first base, which orders texts of one strength.
        var order: String
        /// The URLs to try, or nil before they were compared with what the crawl knows.
        var choices: [Choice]?
        /// The choice whose answer is due, or nil.
        var open: Choice?
        /// True if the folder of a second page that loads the script is among the bases.
        var hasSecondPage = false
        /// True once the site has one of the URLs.
        var isFound = false
        /// True once the site hasn't one of the URLs.
        var isMissed = false
    }

    /// A file that a script loads by a name, and that the site has against none of the bases.
    struct Unfound {
        /// The page or script.
        var referrer: CrawlReferrer
        /// The name, as far as it is known.
        var tail: String
    }

    private struct Choice {
        var url: WebURL
        var key: URLKey
        var base: WebURL
        /// The tail and its host.
        var tail: String
        /// The suffix and the strength.
        var kind: String
        /// True for another base than the first that is tried for the text.
        var isLater: Bool
        /// True for a name without a folder that a script only names.
        var isMention: Bool
    }

    private let seeds: [WebURL]
    private var files: [File] = []
    private var candidates: [Candidate] = []
    private var isSorted = true
    /// The bases of pages that have a `base` element, and of the pages that load scripts.
    private var pages: [URLKey: WebURL] = [:]
    /// The pages that load scripts.
    private var loaders: [URLKey: Loaders] = [:]
    /// The scripts that pages load, by the scripts that those load.
    private var entries: [URLKey: URLKey] = [:]
    private var byBase: [WebURL: Tally] = [:]
    private var byTail: [String: Tally] = [:]
    private var bySuffix: [String: Tally] = [:]
    private var total = Tally()
    /// The guesses against other bases than the first, by host.
    private var later: [String: Tally] = [:]
    /// The guesses of names without a folder that scripts only name, by host.
    private var mentions: [String: Tally] = [:]
    /// The guesses, and whether the site has them; nil while the answer is due.
    private var asked: [URLKey: Bool?] = [:]
    /// The rounds of an interrupted crawl, which are made again without requests.
    private var past: ArraySlice<GuessRound> = []
    /// The file names of scripts, programs and data that the crawl knows by other means, as hashes, with the first URL's
    /// number.
    private var names: [Int: Int64] = [:]
    /// The file names of wrong guesses, as hashes, with the first URL's number.
    private var missedNames: [Int: Int64] = [:]
    /// The number of texts beyond the bound.
    private var beyond = 0
    /// The number of texts that weren't tried because of the bounds on the crawl.
    private(set) var leftOut = 0
    /// The first scripts and data that scripts load and that weren't found.
    private(set) var unfound: [Unfound] = []

    init(seeds: [WebURL]) { self.seeds = seeds }

    /// Sets the rounds that an interrupted crawl has made.
    mutating func restore(_ rounds: [GuessRound]) { past = rounds[...] }

    /// Notes a URL that the crawl found by other means than a guess.
    mutating func note(_ url: WebURL, id: Int64) {
        guard names.count < Bound.texts, let name = Self.programName(url.path) ?? Self.dataName(url.path) else {
            return
        }
        names[name.hashValue] = min(id, names[name.hashValue] ?? id)
    }

    /// Notes that a guess was wrong, also one of a recipe.
    mutating func noteMiss(_ url: WebURL, id: Int64) {
        guard missedNames.count < Bound.texts else { return }
        let name = Self.name(of: url.path).hashValue
        missedNames[name] = min(id, missedNames[name] ?? id)
    }

    private static func name(of path: some StringProtocol) -> String {
        String(path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...])
    }

    /// Returns the last segment of a script's or program's path, or nil for another file.
    private static func programName(_ path: some StringProtocol) -> String? {
        guard [".js", ".mjs", ".wasm"].contains(where: path.hasSuffix) else { return nil }
        return name(of: path)
    }

    /// Returns the last segment of the path of a data file that scripts name anywhere, or nil for another file.
    private static func dataName(_ path: some StringProtocol) -> String? {
        let name = name(of: path)
        return ScriptText.isData(name) ? name : nil
    }

    /// Notes the scripts that a page loads, whose answer was taken.
    ///
    /// - Parameters:
    ///   - scripts: The scripts, whether the crawl knew them before or not.
    ///   - page: The base of the page's addresses.
    ///   - id: The page's number.
    /// - Returns: The scripts for which this is one of the first two pages in different folders.
    mutating func note(_ scripts: [WebURL], by page: WebURL, id: Int64) -> [ScriptLoad] {
        guard !scripts.isEmpty, let folder = Self.folder(of: page) else { return [] }
        return scripts.compactMap { script in
            guard mayCount(URLKey(script), in: folder) else { return nil }
            let load = ScriptLoad(script, isSecond: loaders[URLKey(script)] != nil)
            note(load, by: page, id: id)
            return load
        }
    }

    /// Returns false if a page in a folder will never be one of the first two that load a script.
    func mayCount(_ script: URLKey, in folder: WebURL) -> Bool {
        guard let known = loaders[script] else { return loaders.count < Bound.texts }
        return known.second == nil && known.first?.folder != folder
    }

    /// Returns the folder of a page; nil if it has none.
    static func folder(of page: WebURL) -> WebURL? { resolve(".", page) }

    /// Notes one of the first two pages that load a script; an interrupted crawl passes them in any order.
    mutating func note(_ load: ScriptLoad, by page: WebURL, id: Int64) {
        guard let folder = Self.folder(of: page) else { return }
        let loader = Loader(folder: folder, id: id)
        if load.isSecond {
            loaders[URLKey(load.script), default: Loaders()].second = loader
        } else {
            loaders[URLKey(load.script), default: Loaders()].first = loader
        }
    }

    /// Adds the texts of a page or script whose answer was taken.
    ///
    /// - Parameters:
    ///   - texts: The texts, none for most files.
    ///   - item: The page or script.
    ///   - isPage: Whether it is a page.
    ///   - base: The base of a page's addresses if it isn't the page's URL.
    mutating func add(_ texts: [ScriptText], of item: CrawlItem, isPage: Bool, base: WebURL?) {
        let page = isPage ? base ?? item.url : item.referrer.map { pages[URLKey($0.url)] ?? $0.url } ?? item.url
        if !isPage || base != nil, pages.count < Bound.texts { pages[item.key] = page }
        let entry = isPage ? nil : item.referrer.flatMap { entries[URLKey($0.url)] } ?? item.key
        if let entry, entries.count < Bound.texts { entries[item.key] = entry }
        guard !texts.isEmpty else { return }
        guard candidates.count + texts.count <= Bound.texts else {
            beyond += texts.count
            return
        }
        let script = isPage ? nil : item.url
        let seed = seeds.first { $0.origin == page.origin } ?? page
        let file = File(
            referrer: CrawlReferrer(id: item.id, url: item.url),
            bases: Self.folders([page, script, seed]),
            basesOfTails: Self.folders([seed, page, script]),
            script: script,
            entry: entry
        )
        files.append(file)
        for text in texts {
            let order = file.bases.first.flatMap { Self.resolve(text.tail, $0)?.description } ?? text.tail
            candidates.append(Candidate(file: files.count - 1, text: text, order: order))
        }
        isSorted = false
    }

    /// Returns the guesses of the next round; none once everything is decided.
    ///
    /// - Parameters:
    ///   - now: The state of the crawl, whose guesses have all been answered.
    ///   - knowledge: Returns what was known of a URL at the start of a round or, if it was guessed here, its answer.
    /// - Returns: The guesses in their order, and the rounds that aren't saved yet.
    mutating func next(at now: GuessRound, _ knowledge: (URLKey, GuessRound, _ isAsked: Bool) -> Knowledge) -> (
        guesses: [Guess], rounds: [GuessRound]
    ) {
        if !isSorted {
            candidates.sort { [files] in Self.rank($0, files) < Self.rank($1, files) }
            isSorted = true
        }
        while true {
            let isPast = !past.isEmpty
            let round = past.popFirst() ?? now
            let guesses = choose(in: round) { knowledge($0, round, $1) }
            guard isPast else { return (guesses, guesses.isEmpty ? [] : [round]) }
        }
    }

    private static func rank(_ candidate: Candidate, _ files: [File]) -> (Int, Int, String, Int64) {
        let strength = candidate.text.strength.rawValue
        return (strength, candidate.text.isBare ? 1 : 0, candidate.order, files[candidate.file].referrer.id)
    }
}

extension ScriptGuesses {
    private mutating func choose(in round: GuessRound, _ knowledge: (URLKey, Bool) -> Knowledge) -> [Guess] {
        for index in candidates.indices { settle(index, knowledge) }
        for candidate in candidates where candidate.isMissed && isDecided(candidate) { noteUnfound(candidate) }
        candidates.removeAll(where: isDecided)
        let limit = max(Bound.ofCrawl, round.answers / Bound.answersPerMiss)
        var guesses: [Guess] = []
        leftOut = beyond
        for index in candidates.indices {
            let (file, text) = (candidates[index].file, candidates[index].text)
            // A page or script that was found later had no part in the round.
            guard files[file].referrer.id < round.nextID else { continue }
            compare(index, in: round, knowledge)
            guard !hasAnswer(index), mayGuess(text, in: files[file]), let choice = nextChoice(index) else { continue }
            guard total.worst < limit else {
                leftOut += 1
                continue
            }
            candidates[index].choices?.removeAll { $0.key == choice.key }
            candidates[index].open = choice
            asked[choice.key] = .some(nil)
            update(choice, file) { $0.open += 1 }
            guesses.append(Guess(url: choice.url, loads: text.loads, referrer: files[file].referrer))
        }
        return guesses
    }

    private func isDecided(_ candidate: Candidate) -> Bool {
        candidate.open == nil && candidate.choices?.isEmpty == true
    }

    private mutating func noteUnfound(_ candidate: Candidate) {
        // Without anything unknown before it, the live site lacks it as well; and if the crawl knows what precedes the
        // texts of the file, it has asked for the right URL.
        guard candidate.text.strength == .loaded, candidate.text.head == .unknown, !files[candidate.file].knowsHead,
            !candidate.isFound, unfound.count < Bound.unfound,
            candidate.text.loads == .script || candidate.text.loads == .other,
            // A reader opens or saves these, and no script needs them.
            !["pdf", "zip"].contains(candidate.text.suffix)
        else { return }
        unfound.append(Unfound(referrer: files[candidate.file].referrer, tail: candidate.text.tail))
    }

    /// Notes that the site has a URL for a text; a page's scripts are several, which may put different things before theirs.
    private mutating func noteHead(of index: Int) {
        let file = candidates[index].file
        if candidates[index].text.head == .unknown, files[file].script != nil { files[file].knowsHead = true }
    }

    /// Learns from the answer to a guess.
    private mutating func settle(_ index: Int, _ knowledge: (URLKey, Bool) -> Knowledge) {
        guard let choice = candidates[index].open else { return }
        candidates[index].open = nil
        let file = candidates[index].file
        switch knowledge(choice.key, true) {
        case .answered(true), .found:
            asked[choice.key] = true
            candidates[index].choices = []
            candidates[index].isFound = true
            files[file].proven = choice.base
            noteHead(of: index)
            update(choice, file) { tally in
                tally.open -= 1
                tally.hits += 1
            }
        case .answered(false), .new:
            asked[choice.key] = false
            candidates[index].isMissed = true
            if candidates[index].text.isBare { files[file].bareMisses += 1 }
            update(choice, file) { tally in
                tally.open -= 1
                tally.misses += 1
            }
        case .forbidden:
            asked[choice.key] = false
            update(choice, file) { $0.open -= 1 }
        }
    }

    /// Applies the answers to equal guesses of other files; returns true if the text is decided, or if an answer is due.
    private mutating func hasAnswer(_ index: Int) -> Bool {
        guard let choices = candidates[index].choices else { return true }
        if let right = choices.first(where: { asked[$0.key] == .some(true) }) {
            files[candidates[index].file].proven = right.base
            noteHead(of: index)
            candidates[index].choices = []
            candidates[index].isFound = true
            return true
        }
        candidates[index].choices = choices.filter { asked[$0.key] != .some(false) }
        if candidates[index].choices?.count != choices.count { candidates[index].isMissed = true }
        return choices.contains { asked[$0.key] == .some(nil) }
    }

    private mutating func update(_ choice: Choice, _ file: Int, _ change: (inout Tally) -> Void) {
        change(&files[file].tally)
        change(&byBase[choice.base, default: Tally()])
        change(&byTail[choice.tail, default: Tally()])
        change(&bySuffix[choice.kind, default: Tally()])
        if choice.isLater { change(&later[choice.url.host ?? "", default: Tally()]) }
        if choice.isMention { change(&mentions[choice.url.host ?? "", default: Tally()]) }
        change(&total)
    }

    /// Resolves a text against its bases, and drops it if the crawl knows one of the URLs already.
    private mutating func compare(_ index: Int, in round: GuessRound, _ knowledge: (URLKey, Bool) -> Knowledge) {
        guard candidates[index].choices == nil else { return }
        let (file, text) = (files[candidates[index].file], candidates[index].text)
        if isElsewhere(text, in: round) || isMissed(text, in: round) {
            candidates[index].choices = []
            return
        }
        // It is relative to a folder of the site that the script was told, and not to each page.
        let isOfSite = text.head == .unknown && text.tail.hasPrefix("../")
        var bases: [WebURL] =
            switch text.head {
            case .none: file.bases
            // Programs are beside the script that loads them, whatever precedes their names.
            case .unknown where text.isBare && Self.programName(text.tail) != nil && file.script != nil:
                Self.folders([file.script]) + file.basesOfTails
            case .unknown where isOfSite: Array(file.basesOfTails.prefix(1))
            case .unknown: file.basesOfTails
            case .script: file.script.map { [$0] } ?? file.bases
            }
        if text.head != .script, !isOfSite, let folder = secondFolder(of: file, in: round) {
            Self.insert(folder, after: file.bases.first, in: &bases)
            candidates[index].hasSecondPage = true
        }
        var choices: [Choice] = []
        for base in bases {
            guard let url = Self.resolve(text.tail, base), isInside(url, text, file), !Self.leavesHost(text, base),
                choices.isEmpty || !text.isMention
            else {
                continue
            }
            let key = URLKey(url)
            guard !choices.contains(where: { $0.key == key }) else { continue }
            switch asked[key] == nil ? knowledge(key, false) : .new {
            case .found:
                files[candidates[index].file].proven = base
                noteHead(of: index)
                candidates[index].choices = []
                return
            case .forbidden: continue
            case .new, .answered: break
            }
            if text.suffix == "md" && isSource(url, knowledge) || text.suffix == "js" && isTwin(url, knowledge)
                || text.suffix == "wasm" && isRenamed(text, file, knowledge)
                || text.tail.hasPrefix("/") && isDisplaced(url, knowledge)
            {
                candidates[index].choices = []
                return
            }
            let kind = "\(text.strength.rawValue) \(text.suffix)"
            choices.append(
                Choice(
                    url: url,
                    key: key,
                    base: base,
                    tail: "\(url.host ?? "") \(text.tail)",
                    kind: kind,
                    isLater: !choices.isEmpty,
                    isMention: text.isMention
                )
            )
        }
        candidates[index].choices = choices
    }

    /// Returns the folder of another page that loads a script, if the crawl had the page at the start of a round.
    private func secondFolder(of file: File, in round: GuessRound) -> WebURL? {
        guard let loaders = file.entry.flatMap({ loaders[$0] }) else { return nil }
        return [loaders.first, loaders.second].compactMap { $0 }.first { loader in
            loader.id < round.nextID && loader.folder != file.bases.first
        }?.folder
    }

    /// Inserts a base behind that of the first page, unless it is tried before.
    private static func insert(_ folder: WebURL, after page: WebURL?, in bases: inout [WebURL]) {
        guard let place = bases.firstIndex(where: { $0 == page }), !bases[..<place].contains(folder) else { return }
        bases.removeAll { $0 == folder }
        bases.insert(folder, at: place + 1)
    }

    /// Returns true for a name without a folder that the crawl has elsewhere, which is the one that the script means.
    private func isElsewhere(_ text: ScriptText, in round: GuessRound) -> Bool {
        guard text.isBare else { return false }
        let data = text.strength == .named ? Self.dataName(text.tail) : nil
        let program = text.head == .unknown ? Self.programName(text.tail) : nil
        guard let name = data ?? program, let id = names[name.hashValue] else { return false }
        return id < round.nextID
    }

    /// Returns false if a text that a script only names leads out of the folders in which the crawl starts.
    ///
    /// `../../data/x.json` is then the name of a source, from which a bundle was made.
    private func isInside(_ url: WebURL, _ text: ScriptText, _ file: File) -> Bool {
        // A script mentions data of other hosts, of which it loads little.
        guard text.strength == .loaded || seeds.isEmpty || seeds.contains(where: url.isNearby) else { return false }
        guard text.strength == .named || text.head == .unknown, file.script != nil, text.tail.hasPrefix("../") else {
            return true
        }
        return seeds.contains { seed in
            Self.resolve(".", seed).map { url.description.hasPrefix($0.description) } ?? false
        }
    }

    /// Returns true if a text has more `..` than its base has folders, so that it isn't relative to this base.
    private static func leavesHost(_ text: ScriptText, _ base: WebURL) -> Bool {
        let parents = text.tail.split(separator: "/").prefix { $0 == ".." }.count
        return parents > base.path.utf8.count { $0 == UInt8(ascii: "/") } - 1
    }

    /// Returns true for a name without a folder that the site lacks in another folder, unless it is relative to
    /// what loads it.
    private func isMissed(_ text: ScriptText, in round: GuessRound) -> Bool {
        var name = text.tail[...]
        while name.hasPrefix("../") { name = name.dropFirst(3) }
        guard !name.utf8.contains(UInt8(ascii: "/")),
            name != text.tail || text.head == .unknown || text.strength == .named,
            let id = missedNames[String(name).hashValue]
        else { return false }
        return id < round.nextID
    }

    /// Returns true for the script beside a JSON file that the crawl knows, with the same data for pages of the scheme `file`.
    private func isTwin(_ url: WebURL, _ knowledge: (URLKey, Bool) -> Knowledge) -> Bool {
        guard let data = Self.resolve(url.path + "on", url), case .found = knowledge(URLKey(data), false) else {
            return false
        }
        return true
    }

    /// Returns true for the program that a compiler has named in a script, if the crawl knows one with the script's own name.
    ///
    /// Who gives the script another name does so with the program beside it, and tells the script when it runs.
    private func isRenamed(_ text: ScriptText, _ file: File, _ knowledge: (URLKey, Bool) -> Knowledge) -> Bool {
        guard text.isBare, let script = file.script, let dot = script.path.lastIndex(of: "."),
            let program = Self.resolve(script.path[..<dot] + ".wasm", script),
            case .found = knowledge(URLKey(program), false)
        else { return false }
        return true
    }

    /// Returns true for an address from the root of the host, outside the folders in which the crawl starts, if the crawl
    /// knows the same path below one of them: the site was made for the root of another host.
    private func isDisplaced(_ url: WebURL, _ knowledge: (URLKey, Bool) -> Knowledge) -> Bool {
        let folders = seeds.compactMap { Self.resolve(".", $0) }
        guard !folders.contains(where: { url.description.hasPrefix($0.description) }) else { return false }
        return folders.contains { folder in
            guard folder.origin == url.origin, let twin = Self.resolve(String(url.path.dropFirst()), folder),
                case .found = knowledge(URLKey(twin), false)
            else { return false }
            return true
        }
    }

    /// Returns true for Markdown of which a generator has made a page that the crawl knows.
    private func isSource(_ url: WebURL, _ knowledge: (URLKey, Bool) -> Knowledge) -> Bool {
        let path = url.path.dropLast(".md".utf8.count)
        let isIndex = ["/readme", "/index"].contains { path.lowercased().hasSuffix($0) }
        let pages = isIndex ? ["./", "index.html"] : ["\(path).html", "\(path)/"]
        return pages.contains { page in
            guard let page = Self.resolve(page, url), case .found = knowledge(URLKey(page), false) else { return false }
            return true
        }
    }

    private func mayGuess(_ text: ScriptText, in file: File) -> Bool {
        let tally = file.tally
        // A list of pictures may have any number of them, as long as the site has them.
        let isList = tally.misses * 8 <= tally.hits && tally.open <= tally.hits
        guard tally.hits + tally.worst < Bound.ofFile || isList else { return false }
        if text.isBare, text.head != .script, tally.hits == 0, file.bareMisses >= Bound.ofBareNames { return false }
        return tally.worst < Bound.ofFile(text) * (tally.hits + 1)
    }

    /// Returns the URL to try next for a text: first against the base that was right before.
    private func nextChoice(_ index: Int) -> Choice? {
        let candidate = candidates[index]
        guard let choices = candidate.choices else { return nil }
        let proven = files[candidate.file].proven
        let first = choices.first { $0.base == proven }
        return ([first].compactMap { $0 } + choices).first { choice in
            let (base, tail) = (byBase[choice.base] ?? Tally(), byTail[choice.tail] ?? Tally())
            let suffix = bySuffix[choice.kind] ?? Tally()
            let ofTail = Bound.ofTail + (candidate.hasSecondPage ? 1 : 0)
            guard tail.worst < ofTail || tail.hits > 0 else { return false }
            guard suffix.worst < Bound.ofSuffix || suffix.hits > 0 else { return false }
            if choice.isMention, let mentions = mentions[choice.url.host ?? ""], mentions.worst >= Bound.ofMentions,
                mentions.hits * 4 < mentions.hits + mentions.worst
            {
                return false
            }
            if choice.isLater, choice.base != proven {
                let later = later[choice.url.host ?? ""] ?? Tally()
                guard later.worst < Bound.ofLaterBases || later.hits * 4 >= later.hits + later.worst else {
                    return false
                }
            }
            return candidate.text.strength == .loaded || base.worst < Bound.ofBase
                || base.hits * 8 >= base.hits + base.worst
        }
    }

    /// Returns the folders of URLs, each once.
    private static func folders(_ urls: [WebURL?]) -> [WebURL] {
        urls.compactMap { $0.flatMap { resolve(".", $0) } }.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    private static func resolve(_ address: String, _ base: WebURL) -> WebURL? {
        do throws(WebURL.ParseError) {
            let url = try WebURL(address, base: base)
            return url.isHTTP ? url.asBrowsersAsk : nil
        } catch {
            // It isn't an address after all.
            return nil
        }
    }
}
