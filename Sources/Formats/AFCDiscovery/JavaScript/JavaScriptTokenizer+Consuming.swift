extension JavaScriptTokenizer {
    @inline(__always)
    static func isNameByte(_ byte: UInt8) -> Bool {
        byte.isLetter || byte.isDigit || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$") || byte >= 0x80
            || byte == UInt8(ascii: "\\")
    }

    @inline(__always)
    mutating func skipName() {
        while position < end, Self.isNameByte(bytes[position]) {
            if bytes[position] >= 0x80, spaceLength(at: position) != nil { return }
            position &+= 1
        }
    }

    /// How many bytes white space beyond ASCII has, or nil where there is none; ECMA-262 §12.2, §12.3.
    func spaceLength(at index: Int) -> Int? {
        guard let second = at(index &+ 1) else { return nil }
        if bytes[index] == 0xC2 { return second == 0xA0 ? 2 : nil }
        guard let third = at(index &+ 2) else { return nil }
        switch (bytes[index], second, third) {
        case (0xE1, 0x9A, 0x80), (0xE2, 0x80, 0x80...0x8A), (0xE2, 0x80, 0xA8...0xA9), (0xE2, 0x80, 0xAF),
            (0xE2, 0x81, 0x9F), (0xE3, 0x80, 0x80), (0xEF, 0xBB, 0xBF):
            return 3
        default: return nil
        }
    }

    /// A number with its point; the sign of an exponent is left to be an operator.
    mutating func skipNumber() {
        while position < end, Self.isNameByte(bytes[position]) || bytes[position] == UInt8(ascii: ".") {
            position &+= 1
        }
        previous = .value
    }

    mutating func skipLine() {
        while position < end, bytes[position] != 0x0A, bytes[position] != 0x0D { position &+= 1 }
    }

    mutating func skipComment() {
        var index = position &+ 1
        while true {
            index = bytes.find(UInt8(ascii: "*"), from: min(index, end), to: end)
            guard index < end else { break }
            index &+= 1
            if at(index) == UInt8(ascii: "/") { break }
        }
        position = min(index &+ 1, end)
    }

    /// A string, which its line's end cuts off.
    mutating func skipString(quote: UInt8) {
        let start = position
        previous = .value
        while position < end {
            let byte = bytes[position]
            if byte == quote {
                range = start..<position
                position &+= 1
                return
            }
            if byte == 0x0A || byte == 0x0D { break }
            if byte == UInt8(ascii: "\\") {
                position &+= at(position &+ 1) == 0x0D && at(position &+ 2) == 0x0A ? 3 : 2
            } else {
                position &+= 1
            }
        }
        position = min(position, end)
        range = start..<start
    }

    /// A template up to its end or to the next substitution; whether it ended.
    mutating func skipTemplate() -> Bool {
        let start = position
        while position < end {
            let byte = bytes[position]
            position &+= 1
            if byte == UInt8(ascii: "`") {
                range = start..<position - 1
                previous = .value
                return true
            }
            if byte == UInt8(ascii: "\\") {
                position = min(position &+ 1, end)
            } else if byte == UInt8(ascii: "$"), at(position) == UInt8(ascii: "{") {
                position &+= 1
                push(.substitution)
                previous = .operation
                return false
            }
        }
        return false
    }

    /// A division or a regular expression.
    mutating func slash() {
        let isExpression =
            switch previous {
            case .operation, .colon, .arrow, .statementEnd: true
            case .value, .closeParenthesis, .dot: false
            case .name: isBeforeOperand(previousRange)
            }
        guard isExpression, mistakes < Self.maxMistakes else {
            previous = .operation
            return
        }
        if let close = endOfExpression() {
            position = close
            skipName()
            previous = .value
        } else {
            mistakes += 1
            previous = .operation
        }
    }

    /// Behind the slash that ends a regular expression, or nil where its line ends before.
    func endOfExpression() -> Int? {
        var index = position
        var isInClass = false
        while index < end {
            switch bytes[index] {
            case UInt8(ascii: "\\"): index &+= 1
            case UInt8(ascii: "["): isInClass = true
            case UInt8(ascii: "]"): isInClass = false
            case UInt8(ascii: "/") where !isInClass: return index &+ 1
            case 0x0A, 0x0D: return nil
            default: break
            }
            index &+= 1
        }
        return nil
    }
}
