/// A regular expression as a tree.
indirect enum RegexNode: Sendable {
    case empty
    case set(ByteSet)
    case assertion(LinearRegex.Assertion)
    case sequence([RegexNode])
    case choice([RegexNode])
    /// A node repeated at least `least` times, and at most `most` times or without limit.
    case repetition(RegexNode, least: Int, most: Int?)
}

/// Compiles a tree into a list of instructions.
struct LinearRegexCompiler {
    private var program: [LinearRegex.Instruction] = []

    mutating func program(for node: RegexNode) throws(LinearRegex.Malformation) -> [LinearRegex.Instruction] {
        try write(node)
        try append(.match)
        return program
    }

    private mutating func append(_ instruction: LinearRegex.Instruction) throws(LinearRegex.Malformation) {
        guard program.count < LinearRegex.programLimit else { throw .tooLarge }
        program.append(instruction)
    }

    private mutating func write(_ node: RegexNode) throws(LinearRegex.Malformation) {
        switch node {
        case .empty: return
        case .set(let set): try append(.byte(set))
        case .assertion(let assertion): try append(.assertion(assertion))
        case .sequence(let nodes): for node in nodes { try write(node) }
        case .choice(let nodes): try write(choice: nodes[...])
        case .repetition(let node, let least, let most):
            for _ in 0..<least { try write(counted: node) }
            if let most {
                try write(optional: node, times: most - least)
            } else {
                try write(any: node)
            }
        }
    }

    /// Writes a repeated node so that even an empty one counts as a step, which bounds the time for large counts.
    private mutating func write(counted node: RegexNode) throws(LinearRegex.Malformation) {
        let start = program.count
        try write(node)
        if program.count == start { try append(.split(start + 1, start + 1)) }
    }

    private mutating func write(choice nodes: ArraySlice<RegexNode>) throws(LinearRegex.Malformation) {
        guard let first = nodes.first else { return }
        guard nodes.count > 1 else { return try write(first) }
        var jumps: [Int] = []
        for node in nodes.dropLast() {
            let split = program.count
            try append(.split(split + 1, split + 1))
            try write(node)
            jumps.append(program.count)
            try append(.split(0, 0))
            program[split] = .split(split + 1, program.count)
        }
        if let last = nodes.last { try write(last) }
        for jump in jumps { program[jump] = .split(program.count, program.count) }
    }

    private mutating func write(any node: RegexNode) throws(LinearRegex.Malformation) {
        let split = program.count
        try append(.split(split + 1, split + 1))
        try write(node)
        try append(.split(split, split))
        program[split] = .split(split + 1, program.count)
    }

    private mutating func write(optional node: RegexNode, times: Int) throws(LinearRegex.Malformation) {
        var splits: [Int] = []
        for _ in 0..<times {
            splits.append(program.count)
            try append(.split(program.count + 1, program.count + 1))
            try write(node)
        }
        for split in splits { program[split] = .split(split + 1, program.count) }
    }
}
