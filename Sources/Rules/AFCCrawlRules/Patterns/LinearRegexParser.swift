/// Parses the syntax that ``LinearRegex`` describes.
struct LinearRegexParser {
    private let scalars: [Unicode.Scalar]
    private var index = 0
    private var ignoresCase = false
    private var depth = 0

    private static let depthLimit = 100
    private static let countLimit = 1000

    init(_ pattern: String) { scalars = Array(pattern.unicodeScalars) }

    mutating func parse() throws(LinearRegex.Malformation) -> RegexNode {
        let node = try choice()
        guard index == scalars.count else { throw .malformed("unmatched ')'") }
        return node
    }

    private var next: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard next == scalar else { return false }
        index += 1
        return true
    }

    private mutating func choice() throws(LinearRegex.Malformation) -> RegexNode {
        var nodes = [try sequence()]
        while take("|") { nodes.append(try sequence()) }
        return nodes.count == 1 ? nodes[0] : .choice(nodes)
    }

    private mutating func sequence() throws(LinearRegex.Malformation) -> RegexNode {
        var nodes: [RegexNode] = []
        while let scalar = next, scalar != "|", scalar != ")" {
            guard let atom = try atom() else { continue }
            nodes.append(try repeated(atom))
        }
        return .sequence(nodes)
    }

    /// Parses one item that may be repeated; nil for flags that stand alone.
    private mutating func atom() throws(LinearRegex.Malformation) -> RegexNode? {
        guard let scalar = next else { return .empty }
        index += 1
        switch scalar {
        case ".": return .set(.all)
        case "^": return .assertion(.start)
        case "$": return .assertion(.end)
        case "[": return .set(cased(try set()))
        case "\\": return try escape()
        case "(": return try group()
        case "*", "+", "?": throw .malformed("there is nothing before '\(scalar)' to repeat")
        default: return literal(scalar)
        }
    }

    private func cased(_ set: ByteSet) -> ByteSet { ignoresCase ? set.ignoringCase : set }

    private func literal(_ scalar: Unicode.Scalar) -> RegexNode {
        if scalar.isASCII { return .set(cased(ByteSet(UInt8(ascii: scalar)))) }
        // A URL contains the letter percent-encoded.
        let digits = Array("0123456789ABCDEF".utf8)
        let escapes = String(scalar).utf8.flatMap { [UInt8(ascii: "%"), digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return .sequence(escapes.map { .set(ByteSet($0).ignoringCase) })
    }

    // MARK: Quantifiers

    private mutating func repeated(_ atom: RegexNode) throws(LinearRegex.Malformation) -> RegexNode {
        guard let (least, most) = try quantifier() else { return atom }
        // A lazy quantifier matches the same texts.
        if !take("?"), next == "+" { throw .unsupported("a possessive quantifier") }
        if try quantifier() != nil { throw .malformed("two quantifiers in a row") }
        return .repetition(atom, least: least, most: most)
    }

    private mutating func quantifier() throws(LinearRegex.Malformation) -> (least: Int, most: Int?)? {
        if take("*") { return (0, nil) }
        if take("+") { return (1, nil) }
        if take("?") { return (0, 1) }
        let start = index
        guard take("{") else { return nil }
        let least = number()
        var most = least
        if take(",") { most = number() }
        // A brace that starts no count is a literal.
        guard let least, take("}") else {
            index = start
            return nil
        }
        guard max(least, most ?? 0) <= Self.countLimit else { throw .tooLarge }
        guard most.map({ $0 >= least }) ?? true else { throw .malformed("a count's maximum is below its minimum") }
        return (least, most)
    }

    private mutating func number() -> Int? {
        let start = index
        while let scalar = next, ("0"..."9").contains(scalar), index - start < 9 { index += 1 }
        return Int(String(String.UnicodeScalarView(scalars[start..<index])))
    }

    // MARK: Groups

    private mutating func group() throws(LinearRegex.Malformation) -> RegexNode? {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.depthLimit else { throw .tooLarge }
        let outer = ignoresCase
        if take("?"), try flagsStandAlone() { return nil }
        let node = try choice()
        ignoresCase = outer
        guard take(")") else { throw .malformed("a '(' isn't closed") }
        return node
    }

    /// Parses the text after `(?`; returns true if the group consists of flags only.
    private mutating func flagsStandAlone() throws(LinearRegex.Malformation) -> Bool {
        if take(":") { return false }
        _ = take("P")
        if take("<") {
            guard let scalar = next, scalar != "=", scalar != "!" else { throw .unsupported("lookbehind") }
            while let scalar = next, scalar != ">" {
                guard scalar.properties.isAlphabetic || scalar == "_" || ("0"..."9").contains(scalar) else { break }
                index += 1
            }
            guard take(">") else { throw .malformed("a group's name isn't closed") }
            return false
        }
        let isOff = take("-")
        var hasFlag = false
        while let scalar = next, ["i", "s", "m"].contains(scalar) {
            // A URL has only one line, so the other flags have no effect.
            if scalar == "i" { ignoresCase = !isOff }
            hasFlag = true
            index += 1
        }
        if hasFlag, take(")") { return true }
        if hasFlag, take(":") { return false }
        switch next {
        case "=", "!": throw .unsupported("lookahead")
        case ">": throw .unsupported("an atomic group")
        default: throw .unsupported("the group '(?\(next.map { String($0) } ?? "")'")
        }
    }

    // MARK: Escapes and sets

    private mutating func escape() throws(LinearRegex.Malformation) -> RegexNode {
        switch next {
        case "b": index += 1; return .assertion(.wordBoundary)
        case "B": index += 1; return .assertion(.notWordBoundary)
        case "A": index += 1; return .assertion(.start)
        case "z", "Z": index += 1; return .assertion(.end)
        case let scalar? where ("1"..."9").contains(scalar): throw .unsupported("a backreference")
        case "k": throw .unsupported("a backreference")
        case let scalar? where !scalar.isASCII:
            index += 1
            return literal(scalar)
        default: return .set(cased(try escapedSet()))
        }
    }

    /// Parses the character after a backslash, inside a set or outside.
    private mutating func escapedSet() throws(LinearRegex.Malformation) -> ByteSet {
        guard let scalar = next else { throw .malformed("it ends with a backslash") }
        guard scalar.isASCII else { throw .unsupported("'\(scalar)' in a set") }
        index += 1
        switch scalar {
        case "d": return .digits
        case "D": return .digits.inverted
        case "w": return .word
        case "W": return .word.inverted
        case "s": return .space
        case "S": return .space.inverted
        case "t": return ByteSet(0x09)
        case "n": return ByteSet(0x0A)
        case "r": return ByteSet(0x0D)
        case "f": return ByteSet(0x0C)
        case "v": return ByteSet(0x0B)
        case "x":
            let digits = String(String.UnicodeScalarView(scalars[index...].prefix(2)))
            guard digits.unicodeScalars.count == 2, let value = UInt8(digits, radix: 16), value < 0x80 else {
                throw .unsupported("'\\x' without two hexadecimal digits below 80")
            }
            index += 2
            return ByteSet(value)
        case let scalar where ByteSet.word.contains(UInt8(ascii: scalar)): throw .unsupported("'\\\(scalar)'")
        default: return ByteSet(UInt8(ascii: scalar))
        }
    }

    private mutating func set() throws(LinearRegex.Malformation) -> ByteSet {
        var result = ByteSet()
        let isNegated = take("^")
        var isFirst = true
        while let scalar = next {
            // A bracket in first place is a member of the set.
            if scalar == "]", !isFirst {
                index += 1
                // Case is ignored before the set is negated, so that both cases are excluded.
                return isNegated ? cased(result).inverted : result
            }
            isFirst = false
            let (members, single) = try member()
            guard let single, next == "-", index + 1 < scalars.count, scalars[index + 1] != "]" else {
                result.formUnion(members)
                continue
            }
            index += 1
            guard case (_, let last?) = try member(), single <= last else { throw .malformed("invalid range in a set") }
            result.insert(single...last)
        }
        throw .malformed("a '[' isn't closed")
    }

    /// Parses one member of a set; also returns its byte if it is a single one.
    private mutating func member() throws(LinearRegex.Malformation) -> (ByteSet, UInt8?) {
        guard let scalar = next else { throw .malformed("a '[' isn't closed") }
        if scalar == "\\" {
            index += 1
            let isClass = next.map { ["d", "D", "w", "W", "s", "S"].contains($0) } ?? false
            if next == "b" { throw .unsupported("'\\b' in a set") }
            let set = try escapedSet()
            return (set, isClass ? nil : (0...127).first { set.contains($0) })
        }
        guard scalar.isASCII else { throw .unsupported("'\(scalar)' in a set") }
        index += 1
        if scalar == "[", let after = next, [":", ".", "="].contains(after) { throw .unsupported("'[\(after)'") }
        return (ByteSet(UInt8(ascii: scalar)), UInt8(ascii: scalar))
    }
}
