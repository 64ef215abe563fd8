/// The files that an export of the app router of Next.js has beside a page.
struct NextPageFiles {
    /// The path of the page's data, which a click on a link to the page loads: `/about.txt`, or `/about/index.txt`.
    var payload: String
    /// The path of the page's tree of segments, which release 16 loads in advance.
    var tree: String

    /// Creates the files of a page; nil for the page for errors, to which nothing links.
    ///
    /// - Parameter path: The path of the page's URL.
    init?(of path: String) {
        let name = path.lastSegment
        var stem = path[..<name.startIndex]
        if name.isEmpty || name == "index.html" {
            payload = stem + "index.txt"
            tree = stem + Self.treeName
        } else {
            let base = name.hasSuffix(".html") ? name.dropLast(5) : name
            guard !base.isEmpty, base != "404", base != "_not-found" else { return nil }
            stem = path[..<base.endIndex]
            payload = stem + ".txt"
            tree = stem + "/" + Self.treeName
        }
    }

    static let treeName = "__next._tree.txt"
}

/// The segments of a page in a Next.js export, release 16: layouts and the page itself.
///
/// The file `__next._tree.txt` has the tree of segments as JSON in the line that begins with `0:`. Each segment has a
/// file beside the tree, whose name joins the names of the segments that lead to it: `__next.blog.$d$slug.__PAGE__.txt`.
/// A name that isn't safe in a path is base64 behind `!`.
struct NextSegments {
    /// The largest number of segments.
    private static let maxSegments = 256
    /// The longest path of segments, in bytes.
    private static let maxPath = 1_024

    /// The names of the files, in the order of the tree; empty for another kind of file.
    private(set) var files: [String] = []

    private enum Frame {
        case top
        case node(Node)
        /// The children of a node, with the path to it.
        case slots(String)
        case parameter
        case other
    }

    private struct Node {
        /// What precedes the name: the path of the parent, and the slot unless it is the usual one.
        var head: String?
        var name = ""
        var type: String?

        /// The path to the node; empty for the root.
        var path: String? {
            guard let head else { return "" }
            guard let part = NextSegments.part(name) else { return nil }
            return head + "." + (type.map { "$\($0)$" } ?? "") + part
        }
    }

    private let text: ScanBuffer
    private var frames: [Frame] = []

    init(_ tree: ScanBuffer) {
        var start = 0
        while !tree.hasPrefix("0:{", at: start) {
            start = tree.find(0x0A, from: start) + 1
            guard start < tree.count else {
                text = tree
                return
            }
        }
        let end = tree.find(0x0A, from: start)
        text = ScanBuffer(tree.slice(start + 2..<end))
        read()
    }

    private mutating func read() {
        var scanner = JSONScanner(text)
        var key = 0..<0
        var hasTree = false
        do throws(JSONScanner.Malformed) {
            while files.count < Self.maxSegments, let token = try scanner.next() {
                switch token {
                case .key: key = scanner.range
                case .objectStart:
                    let frame = frame(for: key)
                    if case .node(let node) = frame, node.head == nil { hasTree = true }
                    frames.append(frame)
                case .arrayStart: frames.append(.other)
                case .arrayEnd: _ = frames.popLast()
                case .objectEnd:
                    if case .node(let node)? = frames.popLast(), node.head != nil, let path = node.path {
                        files.append("__next\(path).txt")
                    }
                case .string: note(text.string(key.prefix(16)), text.string(scanner.range.prefix(Self.maxPath)))
                case .scalar: continue
                }
            }
        } catch {
            files = []
            return
        }
        if hasTree { files += ["__next._index.txt", "__next._head.txt"] }
    }

    /// Returns what an object is, by its place.
    private func frame(for key: Range<Int>) -> Frame {
        guard let last = frames.last else { return .top }
        let name = text.string(key.prefix(Self.maxPath))
        switch last {
        case .top: return name == "tree" ? .node(Node()) : .other
        case .node where name == "param": return .parameter
        case .node(let node) where name == "slots":
            guard let path = node.path, path.utf8.count <= Self.maxPath else { return .other }
            return .slots(path)
        case .slots(let path):
            if name == "children" { return .node(Node(head: path)) }
            return Self.encoded(name).map { .node(Node(head: path + ".@" + $0)) } ?? .other
        case .node, .parameter, .other: return .other
        }
    }

    private mutating func note(_ key: String, _ value: String) {
        switch frames.last {
        case .node(var node) where key == "name" || key == "paramType":
            if key == "name" { node.name = value } else { node.type = value }
            frames[frames.count - 1] = .node(node)
        case .parameter where key == "type":
            guard frames.count > 1, case .node(var node) = frames[frames.count - 2] else { return }
            node.type = value
            frames[frames.count - 2] = .node(node)
        default: return
        }
    }

    // MARK: Names

    private static func part(_ name: String) -> String? {
        if name.hasPrefix("__PAGE__") { return "__PAGE__" }
        return name == "/_not-found" ? "_not-found" : encoded(name)
    }

    /// Returns a name as it is in the name of a file; nil for one that has no such form.
    private static func encoded(_ name: String) -> String? {
        let isSafe = name.utf8.allSatisfy { $0.isLetter || $0.isDigit || "-_@".utf8.contains($0) }
        if isSafe, !name.isEmpty { return name }
        // The original encodes code units, of which each must fit in a byte.
        guard name.unicodeScalars.allSatisfy({ $0.value < 0x100 }) else { return nil }
        return "!" + base64(name.unicodeScalars.map { UInt8($0.value) })
    }

    private static func base64(_ bytes: [UInt8]) -> String {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        var result: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let part = bytes[start..<min(start + 3, bytes.count)]
            let bits = part.reduce(0) { $0 << 8 | UInt32($1) } << (8 * UInt32(3 - part.count))
            for index in 0...part.count { result.append(digits[Int(bits >> (18 - 6 * UInt32(index)) & 63)]) }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
