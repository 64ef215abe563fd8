extension JavaScriptTokenizer {
    /// Notes what a punctuator opens, closes or announces; false where it is none.
    @inline(__always)
    mutating func punctuator(_ byte: UInt8, at start: Int) -> Bool {
        switch byte {
        case UInt8(ascii: "("):
            push(previous == .name && isBeforeCondition(previousRange) ? .condition : .parenthesis)
            previous = .operation
        case UInt8(ascii: "["):
            push(.bracket)
            previous = .operation
        case UInt8(ascii: "{"):
            let isObject = opensObject()
            push(isObject ? .object : .block)
            previous = isObject ? .operation : .statementEnd
        case UInt8(ascii: ")"):
            previous = frames.popLast() == .condition ? .statementEnd : .closeParenthesis
        case UInt8(ascii: "]"):
            _ = frames.popLast()
            previous = .value
        case UInt8(ascii: "}"):
            switch frames.popLast() {
            case .substitution:
                // The template goes on.
                if skipTemplate() { previous = .value }
            case .object: previous = .value
            default: previous = .statementEnd
            }
        case UInt8(ascii: "."): dot(at: start)
        case UInt8(ascii: "?"): questionMark()
        case UInt8(ascii: ":"): colon()
        case UInt8(ascii: ";"):
            conditions.count = 0
            previous = .statementEnd
        case UInt8(ascii: ">"): return greater(at: start)
        case UInt8(ascii: "<"):
            if hasHTMLComments, bytes.hasPrefix("<!--", at: start), start + 4 <= end {
                skipLine()
                return false
            }
            previous = .operation
        case UInt8(ascii: "+"), UInt8(ascii: "-"):
            // Behind an operand, a doubled sign leaves it an operand.
            if at(position) == byte {
                position &+= 1
                let isOperand = previous == .value || previous == .name || previous == .closeParenthesis
                previous = isOperand ? .value : .operation
            } else {
                previous = .operation
            }
        default: previous = .operation
        }
        return true
    }

    mutating func questionMark() {
        previous = .operation
        // In `a?.b` and `a ?? b` none waits.
        if at(position) == UInt8(ascii: "?") {
            position &+= 1
        } else if at(position) != UInt8(ascii: ".") {
            conditions = (conditions.depth == depth ? conditions.count + 1 : 1, depth)
        }
    }

    mutating func colon() {
        if conditions.count > 0, conditions.depth == depth {
            conditions.count -= 1
            previous = .operation
        } else {
            previous = .colon
        }
    }

    mutating func dot(at start: Int) {
        if let next = at(position), next.isDigit {
            skipNumber()
        } else if at(position) == UInt8(ascii: "."), at(position + 1) == UInt8(ascii: ".") {
            position += 2
            previous = .operation
        } else {
            previous = .dot
        }
    }

    mutating func greater(at start: Int) -> Bool {
        let before = start > 0 ? bytes[start - 1] : 0
        if hasHTMLComments, before == UInt8(ascii: "-"), start > 1, bytes[start - 2] == UInt8(ascii: "-"),
            isFirstInLine(start - 2)
        {
            skipLine()
            return false
        }
        previous = before == UInt8(ascii: "=") ? .arrow : .operation
        return true
    }

    /// Whether only a little white space stands before an index in its line.
    func isFirstInLine(_ index: Int) -> Bool {
        var index = index
        let lowest = max(0, index - 64)
        while index > lowest {
            index -= 1
            if bytes[index] == 0x0A || bytes[index] == 0x0D { return true }
            if !bytes[index].isSpace { return false }
        }
        return index == 0
    }

    mutating func push(_ frame: Frame) {
        guard frames.count < Self.maxDepth else {
            position = end
            return
        }
        frames.append(frame)
    }

    /// Whether a brace opens an object rather than a block.
    func opensObject() -> Bool {
        switch previous {
        case .operation: true
        // Behind a label or `case` it is a block.
        case .colon: frames.last != nil && frames.last != .block
        case .name: isBeforeOperand(previousRange) && !isBeforeBlock(previousRange)
        default: false
        }
    }

    func isWord(_ range: Range<Int>, _ word: StaticString) -> Bool {
        for offset in 0..<range.count where bytes[range.lowerBound &+ offset] != word.utf8Start[offset] { return false }
        return true
    }

    /// Whether a name is a keyword whose parentheses hold a condition, so that a statement follows them.
    func isBeforeCondition(_ range: Range<Int>) -> Bool {
        switch range.count {
        case 2: isWord(range, "if")
        case 3: isWord(range, "for")
        case 4: isWord(range, "with")
        case 5: isWord(range, "while")
        default: false
        }
    }

    /// Whether a name is a keyword that an operand follows, so that a slash behind it begins a regular expression.
    func isBeforeOperand(_ range: Range<Int>) -> Bool {
        switch range.count {
        case 2: isWord(range, "in") || isWord(range, "of") || isBeforeBlock(range)
        case 3: isWord(range, "new")
        case 4: isWord(range, "case") || isWord(range, "void") || isBeforeBlock(range)
        case 5: isWord(range, "throw") || isWord(range, "await") || isWord(range, "yield")
        case 6: isWord(range, "return") || isWord(range, "typeof") || isWord(range, "delete")
        case 7: isWord(range, "default") || isWord(range, "extends")
        case 10: isWord(range, "instanceof")
        default: false
        }
    }

    func isBeforeBlock(_ range: Range<Int>) -> Bool {
        switch range.count {
        case 2: isWord(range, "do")
        case 4: isWord(range, "else")
        default: false
        }
    }
}
