internal import AFCURL

/// Reads the routes of applications, which no page needs to link to.
///
/// - Next.js, pages router: `sortedPages` in `_buildManifest.js`.
/// - SvelteKit: `dictionary={"/about":[3],…}` in a script of `immutable`, and the arrays of 1.0-next:
///   `[/^\/about\/?$/,[…]]`.
/// - Vue, React and Angular: objects with a literal `path` and a component; see ``RouteTable``.
///
/// Routes with parameters are left out. A host may have no file for a route, so they are guesses of pages; see
/// ``GuessKind``. The routes of React Router's manifest are found by ``ReactRouterRecipe``.
enum RouteRecipe: RecipeReader {
    /// The largest number of routes of a script.
    static let limit = 1_024
    /// The longest route, in bytes.
    private static let maxPath = 200

    static func read(_ script: RecipeScript, into found: inout RecipeReferences) {
        let path = script.url.path
        if let mark = path.firstRange(of: "/_next/static/") {
            guard script.name == "_buildManifest.js" else { return }
            sortedPages(script.text, String(path[..<mark.lowerBound]) + "/", into: &found)
        } else if let mark = path.ranges(of: "/immutable/").last {
            let app = path[..<mark.lowerBound]
            let base = String(app[..<app.lastSegment.startIndex])
            dictionary(script.text, base, into: &found)
            expressions(script.text, base, into: &found)
        } else {
            let routes = RouteTable(script.text).routes
            guard !routes.isEmpty else { return }
            let base = base(ofScripts: path)
            for route in routes { add(route.path, route.offset, base, into: &found) }
        }
    }

    /// Adds a route of an application below a base, unless it has parameters.
    static func add(_ route: String, _ offset: Int, _ base: String, into found: inout RecipeReferences) {
        guard isLiteral(route) else { return }
        // Some tools write the base into their routes.
        let isWhole = base.utf8.count > 1 && (route + "/").hasPrefix(base)
        let path = route.drop { $0 == "/" }
        guard !path.isEmpty, !isWhole || route.utf8.count > base.utf8.count else { return }
        found.addGuess(isWhole ? route : base + path, .document, at: offset, limit: limit)
    }

    /// Returns true for a route without parameters that leads to a page other than one for errors.
    private static func isLiteral(_ route: String) -> Bool {
        let names: Set<Substring> = ["404", "500", "not-found", "error", "_error", "_app", "_document"]
        let name = (route.hasSuffix("/") ? route.dropLast() : route[...]).lastSegment
        return route.utf8.count <= maxPath && !names.contains(name) && !route.contains("//")
            && !route.contains("..")
            && route.utf8.allSatisfy { $0.isLetter || $0.isDigit || "-_.~/%".utf8.contains($0) || $0 >= 0x80 }
    }

    /// Returns the folder of the application whose scripts are in a folder such as `assets`.
    private static func base(ofScripts path: String) -> String {
        let folder = path[..<path.lastSegment.startIndex]
        let ends = ["/static/js/", "/assets/js/", "/assets/", "/js/", "/_nuxt/", "/scripts/"]
        let end = ends.first { folder.hasSuffix($0) }
        return String(folder.dropLast((end?.utf8.count ?? 1) - 1))
    }

    // MARK: Next.js

    private static func sortedPages(_ text: ScanBuffer, _ base: String, into found: inout RecipeReferences) {
        guard let mark = text.position(of: "sortedPages") else { return }
        var index = text.find(UInt8(ascii: "["), from: mark) + 1
        while let literal = JavaScriptText.literal(text, at: index, to: text.count) {
            if literal.count <= maxPath, let route = JavaScriptText.string(text, literal) {
                add(route, literal.lowerBound, base, into: &found)
            }
            index = literal.upperBound + 1
            while let byte = text.at(index), byte.isSpace || byte == UInt8(ascii: ",") { index += 1 }
        }
    }

    // MARK: SvelteKit

    /// Reads `{"/":[2],"/about":[~3,[1]]}`.
    private static func dictionary(_ text: ScanBuffer, _ base: String, into found: inout RecipeReferences) {
        guard text.position(of: "dictionary") != nil else { return }
        var index = 0
        while true {
            index = text.find(UInt8(ascii: "{"), from: index)
            guard index < text.count else { return }
            index += 1
            var rows: [(String, Int)] = []
            while let row = row(text, &index) { rows.append(row) }
            while let byte = text.at(index), byte.isSpace { index += 1 }
            guard text.at(index) == UInt8(ascii: "}") else { continue }
            for (route, offset) in rows { add(withoutGroups(route), offset, base, into: &found) }
        }
    }

    /// Reads `"/about":[~3,[1]],`.
    private static func row(_ text: ScanBuffer, _ index: inout Int) -> (String, Int)? {
        func skipSpace() { while let byte = text.at(index), byte.isSpace { index += 1 } }
        skipSpace()
        guard let literal = JavaScriptText.literal(text, at: index, to: min(text.count, index + 1_024)),
            text.at(literal.lowerBound) == UInt8(ascii: "/"), let route = JavaScriptText.string(text, literal)
        else { return nil }
        index = literal.upperBound + 1
        skipSpace()
        guard text.at(index) == UInt8(ascii: ":") else { return nil }
        index += 1
        skipSpace()
        guard text.at(index) == UInt8(ascii: "[") else { return nil }
        var depth = 0
        while let byte = text.at(index) {
            switch byte {
            case UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: ","), UInt8(ascii: "~"), UInt8(ascii: "-"): break
            default: guard byte.isDigit || byte.isSpace else { return nil }
            }
            index += 1
            guard depth > 0 else { break }
        }
        skipSpace()
        if text.at(index) == UInt8(ascii: ",") { index += 1 }
        return (route, literal.lowerBound)
    }

    /// Returns a route without the segments in parentheses, which group routes.
    private static func withoutGroups(_ route: String) -> String {
        guard route.contains("(") else { return route }
        let parts = route.split(separator: "/").filter { !($0.hasPrefix("(") && $0.hasSuffix(")")) }
        return "/" + parts.joined(separator: "/")
    }

    /// Reads the routes of 1.0-next: `[/^\/about\/?$/,[`.
    private static func expressions(_ text: ScanBuffer, _ base: String, into found: inout RecipeReferences) {
        var index = 0
        while let mark = text.position(of: "[/^\\/", from: index) {
            var route: [UInt8] = []
            index = mark + 3
            while let byte = text.at(index), route.count <= maxPath {
                if byte == UInt8(ascii: "\\") {
                    guard let next = text.at(index + 1), !next.isLetter, !next.isDigit else { break }
                    if next == UInt8(ascii: "/"), text.at(index + 2) == UInt8(ascii: "?") { break }
                    route.append(next)
                    index += 2
                } else {
                    guard byte.isLetter || byte.isDigit || "-_~".utf8.contains(byte) else { break }
                    route.append(byte)
                    index += 1
                }
            }
            guard text.hasPrefix("\\/?$/,", at: index) else { continue }
            add(String(decoding: route, as: UTF8.self), mark + 1, base, into: &found)
        }
    }
}

/// The routes in the tables of Vue Router, React Router and Angular's router, as bundles contain them.
///
/// A route is an object with a literal `path` and a member that says what is shown, such as `component` or `element`:
/// `{path:"/about",component:x,children:[{path:"team",component:y}]}`. The paths of `children` continue their parent's.
/// A script with only one such object has no table.
struct RouteTable {
    /// The largest number of routes that are read.
    private static let maxRoutes = 4_096
    private static let maxDepth = 1_024

    /// A route, which may have parameters.
    struct Route {
        var path: String
        var offset: Int
    }

    /// The routes in the order of the ends of their objects.
    private(set) var routes: [Route] = []

    /// An open bracket.
    private struct Frame {
        /// True for an object that may be a route.
        var isObject: Bool
        /// The path that routes within continue; nil if it isn't known.
        var prefix: String?
        var path: String?
        var offset = 0
        var isShown = false
        var isRedirect = false
        /// True if a key may come next.
        var expectsKey = true
        /// True if the value of `path` comes next.
        var expectsPath = false
    }

    private static let shown: Set<String> = [
        "component", "components", "element", "Component", "loadChildren", "loadComponent", "lazy",
    ]

    init(_ text: ScanBuffer) {
        guard Self.mayHaveRoutes(text) else { return }
        read(text)
        if routes.count < 2 { routes = [] }
    }

    /// Returns true if a text has two paths and the name of a member that says what is shown.
    private static func mayHaveRoutes(_ text: ScanBuffer) -> Bool {
        var paths = 0
        var index = 0
        while paths < 2 {
            index = text.find(UInt8(ascii: ":"), from: index)
            guard index < text.count else { return false }
            index += 1
            guard text.hasSuffix("path", at: index - 1, from: 0) else { continue }
            while let byte = text.at(index), byte.isSpace { index += 1 }
            guard let literal = JavaScriptText.literal(text, at: index, to: min(text.count, index + 128)) else {
                continue
            }
            if literal.count > 1, text.slice(literal).allSatisfy({ $0 > 0x20 }) { paths += 1 }
        }
        let marks: [StaticString] = ["omponent", "element:", "element :", "loadChildren", "lazy:", "lazy("]
        return marks.contains { text.position(of: $0) != nil }
    }

    private mutating func read(_ text: ScanBuffer) {
        var tokenizer = JavaScriptTokenizer(text, 0..<text.count, hasHTMLComments: true)
        var frames: [Frame] = []
        /// True after `[`, `(` and `,`, where an object may be a route.
        var isElement = false
        while routes.count < Self.maxRoutes, let token = tokenizer.next(all: true) {
            let last = frames.count - 1
            switch token {
            case .punctuator(UInt8(ascii: "{")):
                guard frames.count < Self.maxDepth else { return }
                frames.append(Frame(isObject: isElement, prefix: frames.last?.prefix ?? ""))
                isElement = false
            case .punctuator(UInt8(ascii: "[")), .punctuator(UInt8(ascii: "(")):
                guard frames.count < Self.maxDepth else { return }
                if last >= 0 { frames[last].expectsKey = false }
                frames.append(Frame(isObject: false, prefix: frames.last?.prefix ?? ""))
                isElement = true
            case .punctuator(UInt8(ascii: "}")):
                if let frame = frames.popLast(), frame.isObject { add(frame, below: frames.last?.prefix ?? "") }
                isElement = false
            case .punctuator(UInt8(ascii: "]")), .punctuator(UInt8(ascii: ")")):
                _ = frames.popLast()
                isElement = false
            case .punctuator(UInt8(ascii: ",")):
                isElement = last < 0 || !frames[last].isObject
                guard last >= 0, frames[last].isObject else { continue }
                frames[last].expectsKey = true
                frames[last].expectsPath = false
                frames[last].prefix = last > 0 ? frames[last - 1].prefix : ""
            case .name, .string:
                isElement = false
                guard last >= 0, frames[last].isObject else { continue }
                note(token, text, tokenizer.range, &frames[last], below: last > 0 ? frames[last - 1].prefix : "")
            case .punctuator(UInt8(ascii: ":")): isElement = false
            default:
                isElement = false
                guard last >= 0, frames[last].isObject else { continue }
                // A sum isn't a path.
                if !frames[last].expectsKey, frames[last].expectsPath { frames[last].path = nil }
            }
        }
    }

    /// Notes a key of an object, or the value of `path`.
    private func note(
        _ token: JavaScriptTokenizer.Token,
        _ text: ScanBuffer,
        _ range: Range<Int>,
        _ frame: inout Frame,
        below prefix: String?
    ) {
        guard frame.expectsKey else {
            guard token == .string, frame.expectsPath, frame.path == nil, range.count <= 256 else { return }
            frame.path = JavaScriptText.string(text, range)
            frame.offset = range.lowerBound
            return
        }
        frame.expectsKey = false
        let key = text.string(range.prefix(16))
        frame.expectsPath = key == "path"
        if Self.shown.contains(key) { frame.isShown = true }
        if key == "redirect" || key == "redirectTo" { frame.isRedirect = true }
        if key == "children", let path = frame.path { frame.prefix = Self.joined(prefix, path) }
    }

    private mutating func add(_ frame: Frame, below prefix: String?) {
        guard let path = frame.path, frame.isShown, !frame.isRedirect, let whole = Self.joined(prefix, path) else {
            return
        }
        routes.append(Route(path: whole, offset: frame.offset))
    }

    /// Returns a path that continues another; nil if the other isn't known or has parameters.
    private static func joined(_ prefix: String?, _ path: String) -> String? {
        if path.hasPrefix("/") { return path }
        guard let prefix, !prefix.contains(":"), !prefix.contains("*"), prefix.utf8.count <= 256 else { return nil }
        if path.isEmpty { return prefix }
        return prefix + (prefix.hasSuffix("/") ? "" : "/") + path
    }
}

extension Range<Int> {
    /// The part with at most so many elements.
    fileprivate func prefix(_ count: Int) -> Range<Int> { lowerBound..<Swift.min(upperBound, lowerBound + count) }
}
