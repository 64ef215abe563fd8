/// The main part of a page, and what isn't content in it.
struct MainContent {
    /// The number of the node with the content.
    private(set) var root = 0
    /// True for nodes that are left out with all that they contain.
    private(set) var isLeftOut: [Bool]
    /// The bytes of text that aren't white space, and how many of them are in links, by node.
    private var weights: [Int32]
    private var linkWeights: [Int32]
    private let tree: PageTree
    private let skipsFurniture: Bool

    /// Finds the content.
    ///
    /// - Parameters:
    ///   - tree: The page.
    ///   - skipsFurniture: False to take all that is shown.
    init(of tree: PageTree, skipsFurniture: Bool) {
        (self.tree, self.skipsFurniture) = (tree, skipsFurniture)
        isLeftOut = Array(repeating: false, count: tree.nodes.count)
        weights = Array(repeating: 0, count: tree.nodes.count)
        linkWeights = weights
        weigh(keeping: candidates())
        if skipsFurniture { root = chosen() }
    }

    /// True if almost nothing is content.
    var isEmpty: Bool { weights[root] == 0 || weights[root] < 32 && !isMarked(root) }

    // MARK: Weights

    /// Returns true for each node in which the main part may be, so that nothing around it is left out.
    private func candidates() -> [Bool] {
        var holds = Array(repeating: false, count: tree.nodes.count)
        for number in tree.nodes.indices where isMarked(number) {
            var number = number
            while number != 0, !holds[number] {
                holds[number] = true
                number = Int(tree[number].parent)
            }
        }
        return holds
    }

    /// Returns true for an element that marks the main part by what it means.
    private func isMarked(_ number: Int) -> Bool {
        let node = tree[number]
        return node.element == .main || node.element == .article || !node.traits.isDisjoint(with: [.generated, .main])
    }

    private mutating func weigh(keeping holds: [Bool]) {
        var number = 1
        var (mainEnd, linkEnd) = (0, 0)
        while number < tree.nodes.count {
            let node = tree[number]
            if let model = node.model {
                let weight = weight(of: node.range, model)
                weights[number] = weight
                if number < linkEnd { linkWeights[number] = weight }
            } else if !holds[number], isFurniture(number, isInMain: number < mainEnd) {
                isLeftOut[number] = true
                number = Int(node.end)
                continue
            } else if isMarked(number) {
                mainEnd = max(mainEnd, Int(node.end))
            } else if node.element == .a {
                linkEnd = max(linkEnd, Int(node.end))
            }
            number += 1
        }
        for number in tree.nodes.indices.dropFirst().reversed() {
            let parent = Int(tree[number].parent)
            // Lists of links beside the text are navigation.
            if tree[number].element == .aside, skipsFurniture, linkWeights[number] * 2 > weights[number] {
                isLeftOut[number] = true
                continue
            }
            weights[parent] += weights[number]
            linkWeights[parent] += linkWeights[number]
        }
    }

    private func weight(of range: Range<Int>, _ model: HTMLTokenizer.ContentModel) -> Int32 {
        Int32(truncatingIfNeeded: tree.bytes.slice(range).count { !$0.isSpace })
    }

    // MARK: What is left out

    private func isFurniture(_ number: Int, isInMain: Bool) -> Bool {
        let node = tree[number]
        if node.traits.contains(.hidden) { return true }
        switch node.element {
        case .script, .style, .noscript, .template, .iframe, .object, .noembed, .noframes, .select, .textarea, .svg,
            .audio, .video, .title, .input:
            return true
        case .a: return isNeedless(link: number)
        case .dialog: return true
        default: break
        }
        if node.traits.contains(.leftOut) || node.traits.contains(.languageLabel) && isInCode(number) { return true }
        if node.element == .button, node.traits.isDisjoint(with: [.tabList, .tabPanel]) { return !isTab(number) }
        guard skipsFurniture, node.traits.isDisjoint(with: [.tabList, .admonition]) else { return false }
        switch node.element {
        case .nav, .footer, .search: return true
        case .header: return !isInMain
        case .div where node.traits.contains(.head):
            // AsciiDoc puts the title of a text there.
            return tree.firstChild(of: number) { tree[$0].element == .h1 } == nil
        case .aside: return !isInMain || node.traits.contains(.furniture)
        case .main, .article, .p, .h1, .h2, .h3, .h4, .h5, .h6, .pre, .code, .td, .th, .dt, .dd: return false
        default: return node.traits.contains(.furniture)
        }
    }

    private func isInCode(_ number: Int) -> Bool {
        tree.words(.class, of: Int(tree[number].parent)).contains { $0.hasPrefix("language-") }
    }

    private func isTab(_ number: Int) -> Bool { tree.value(.role, of: number) == "tab" }

    /// Returns true for a link that is no part of the text: from a heading to itself, past the navigation, to an editor.
    private func isNeedless(link number: Int) -> Bool {
        let node = tree[number]
        if node.traits.contains(.lineNumbers) { return true }
        guard let text = shortText(of: number, limit: 40) else { return false }
        if text.isEmpty { return node.traits.contains(.permalink) }
        if Self.needless.contains(text.lowercased()) { return true }
        guard text.utf8.count <= 12 else { return false }
        let isSymbol = text.unicodeScalars.allSatisfy { !$0.properties.isAlphabetic && !("0"..."9").contains($0) }
        guard isSymbol || node.traits.contains(.permalink) && text.unicodeScalars.count <= 2 else {
            return node.traits.contains(.permalink) && text.lowercased() == "permalink"
        }
        if node.traits.contains(.permalink) { return true }
        let isMark = text.unicodeScalars.allSatisfy { "#¶§🔗⚓∞\u{FE0F}\u{E000}\u{F0C1}".unicodeScalars.contains($0) }
        return isMark && tree.value(.href, of: number)?.contains("#") == true
    }

    private static let needless: Set<String> = [
        "edit this page", "edit on github", "edit this page on github", "view page source", "improve this page",
        "skip to main content", "skip to content", "back to top", "report a bug", "show source", "[source]", "[src]",
        "[edit]", "view source", "suggest an edit", "suggest edits", "edit",
    ]

    /// Returns the text of an element without white space around it; nil if it is long.
    private func shortText(of number: Int, limit: Int) -> String? {
        var text: [UInt8] = []
        for child in number + 1..<max(number + 1, Int(tree[number].end)) {
            guard let model = tree[child].model else {
                if tree[child].element == .img { return nil }
                continue
            }
            guard text.count + tree[child].range.count <= 6 * limit else { return nil }
            HTMLText.append(tree.bytes, tree[child].range, model, to: &text)
        }
        let result = String(decoding: text, as: UTF8.self).filter { $0 != "\u{200B}" }.trimmedASCII
        return result.utf8.count <= limit ? result : nil
    }

    // MARK: The main part

    private func chosen() -> Int {
        let total = weights[0]
        func isEnough(_ number: Int?, _ part: Int32) -> Bool {
            number.map { weights[$0] > 0 && weights[$0] / part >= total / 100 } ?? false
        }
        if let node = largest(where: { tree[$0].traits.contains(.generated) }), isEnough(node, 25) { return node }
        let mains = outermost { tree[$0].element == .main || tree[$0].traits.contains(.main) }
        if let main = mains.max(by: { weights[$0] < weights[$1] }), isEnough(main, 15) { return refined(main) }
        let articles = outermost { tree[$0].element == .article }
        if let article = articles.max(by: { weights[$0] < weights[$1] }) {
            if isEnough(article, 45) { return article }
            if articles.reduce(0, { $0 + weights[$1] }) > total / 3 { return parent(of: articles) }
        }
        if let named = largest(where: { tree[$0].traits.contains(.named) }), isEnough(named, 40) {
            let inner = inner(named) { tree[$0].traits.contains(.named) }
            return withHead(inner)
        }
        return densest()
    }

    /// Returns a part of the main element that has almost all of its text.
    private func refined(_ main: Int) -> Int {
        let nested = inner(main) { tree[$0].element == .main || tree[$0].traits.contains(.main) }
        let articles = outermost(in: nested) { tree[$0].element == .article }
        guard articles.count == 1, weights[articles[0]] / 3 >= weights[nested] / 4 else { return nested }
        return articles[0]
    }

    /// Returns the parent of a node if it has little more than this node and the head of the content.
    private func withHead(_ node: Int) -> Int {
        let parent = Int(tree[node].parent)
        let head = tree.firstChild(of: parent) { tree[$0].traits.contains(.head) && !isLeftOut[$0] }
        guard let head, head != node else { return node }
        return weights[head] + weights[node] >= weights[parent] / 20 * 19 ? parent : node
    }

    private func inner(_ node: Int, where predicate: (Int) -> Bool) -> Int {
        var best = node
        for number in node + 1..<max(node + 1, Int(tree[node].end))
        where predicate(number) && weights[number] / 17 >= weights[node] / 20 && weights[number] > 0 {
            best = number
        }
        return best
    }

    private func largest(where predicate: (Int) -> Bool) -> Int? {
        outermost(where: predicate).max { weights[$0] < weights[$1] }
    }

    private func outermost(in node: Int = 0, where predicate: (Int) -> Bool) -> [Int] {
        var found: [Int] = []
        var number = node + 1
        while number < Int(tree[node].end) {
            if tree[number].model == nil, predicate(number) {
                found.append(number)
                number = Int(tree[number].end)
            } else {
                number += 1
            }
        }
        return found
    }

    /// Returns the innermost node that holds all of some nodes.
    private func parent(of nodes: [Int]) -> Int {
        guard var parent = nodes.first, let last = nodes.last else { return 0 }
        while parent != 0, Int(tree[parent].end) <= last { parent = Int(tree[parent].parent) }
        return parent
    }

    /// Returns the innermost container with most of the text that isn't in links.
    private func densest() -> Int {
        func text(_ number: Int) -> Int32 { weights[number] - linkWeights[number] }
        var prose = Array(repeating: Int32(0), count: tree.nodes.count)
        for number in tree.nodes.indices.dropFirst().reversed() where !isLeftOut[number] {
            if tree[number].element.isProse { prose[number] = text(number) }
            prose[Int(tree[number].parent)] += prose[number]
        }
        var node = 0
        while let child = tree.firstChild(of: node, where: { text($0) > 0 && text($0) / 4 >= text(node) / 5 }) {
            // Paragraphs, headings and tables beside it are content, too.
            guard prose[node] - prose[child] <= text(node) / 10 else { return node }
            switch tree[child].element {
            case .div, .section, .center, .form, .table, .tbody, .tr, .td, .body, .other, .span: node = child
            default: return node
            }
            if tree[child].model != nil { return Int(tree[child].parent) }
        }
        return node
    }
}
