extension MarkdownWriter {
    /// The most columns of a table; wider ones are written as text.
    private static let maxColumns = 64

    /// Writes a table; one that only arranges blocks is written as these.
    mutating func writeTable(_ number: Int) {
        let rows = rows(of: number)
        let columns = rows.map { $0.reduce(0) { $0 + span($1) } }.max() ?? 0
        writeCaption(of: number)
        guard !isLayout(number, rows), (1...Self.maxColumns).contains(columns) else { return writeCells(of: number) }
        var isBegun = false
        for (index, row) in rows.enumerated() {
            guard !lines.isFull else {
                isCut = true
                break
            }
            var cells = row.map { cell in (text: line(of: cell, .cell), span: span(cell)) }
            if index == 0 {
                if !isHeader(row) {
                    if cells.allSatisfy({ $0.text.isEmpty }) { continue }
                    beginTable(Self.row([], columns), columns, &isBegun)
                }
            } else if cells.allSatisfy({ $0.text.isEmpty }) {
                continue
            }
            if cells.isEmpty { cells = [([], 1)] }
            if isBegun {
                lines.add(Self.row(cells, 0))
            } else {
                beginTable(Self.row(cells, columns), columns, &isBegun)
            }
        }
        if isBegun { lines.end() }
    }

    /// Writes the head of a table.
    private mutating func beginTable(_ head: [UInt8], _ columns: Int, _ isBegun: inout Bool) {
        lines.begin(isTight: isTight)
        (isTight, isBegun) = (false, true)
        lines.add(head)
        lines.add(Self.rule(columns))
    }

    private mutating func writeCaption(of number: Int) {
        guard let caption = tree.firstChild(of: number, where: { tree[$0].element == .caption }) else { return }
        writeChildren(of: caption)
        endParagraph()
    }

    /// Writes the cells of a table one after the other.
    private mutating func writeCells(of number: Int) {
        var child = number + 1
        let end = Int(tree[number].end)
        while child < end {
            let node = tree[child]
            switch node.element {
            case .caption: break
            case .tbody, .thead, .tfoot, .colgroup: writeCells(of: child)
            case .tr: writeRow(child)
            default:
                if !node.traits.contains(.lineNumbers) { visit(child) }
            }
            child = Int(node.end)
        }
        endParagraph()
    }

    private mutating func writeRow(_ number: Int) {
        endParagraph()
        var child = number + 1
        while child < Int(tree[number].end) {
            let node = tree[child]
            if node.element == .td || node.element == .th {
                // Short cells stay in a line.
                if !node.traits.contains(.lineNumbers), !content.isLeftOut[child] { writeChildren(of: child) }
                inline.space()
            } else {
                visit(child)
            }
            child = Int(node.end)
        }
        endParagraph()
    }

    // MARK: Cells

    /// Returns the cells of each row.
    private func rows(of number: Int) -> [[Int]] {
        var rows: [[Int]] = []
        tree.forEachChild(of: number) { child in
            switch tree[child].element {
            case .tr: if !content.isLeftOut[child] { rows.append(cells(of: child)) }
            case .thead, .tbody, .tfoot:
                tree.forEachChild(of: child) { row in
                    if tree[row].element == .tr, !content.isLeftOut[row] { rows.append(cells(of: row)) }
                }
            default: break
            }
        }
        return rows
    }

    private func cells(of row: Int) -> [Int] {
        var cells: [Int] = []
        tree.forEachChild(of: row) { child in
            let node = tree[child]
            if node.element == .td || node.element == .th, !content.isLeftOut[child],
                !node.traits.contains(.lineNumbers)
            {
                cells.append(child)
            }
        }
        return cells
    }

    private func span(_ cell: Int) -> Int {
        min(max(tree.value(.colspan, of: cell, limit: 8).flatMap { Int($0) } ?? 1, 1), Self.maxColumns)
    }

    private func isHeader(_ row: [Int]) -> Bool {
        guard let first = row.first else { return false }
        let isInHead = tree[Int(tree[Int(tree[first].parent)].parent)].element == .thead
        return isInHead || row.allSatisfy { tree[$0].element == .th }
    }

    /// Returns true for a table that arranges blocks: a cell has one that doesn't fit into a line, or there is one column.
    private func isLayout(_ number: Int, _ rows: [[Int]]) -> Bool {
        if tree[number].traits.contains(.layout) { return true }
        let hasHeader = rows.first.map(isHeader) ?? false
        if !hasHeader, rows.count == 1 || rows.allSatisfy({ $0.count <= 1 }) { return true }
        for node in number + 1..<max(number + 1, Int(tree[number].end)) {
            switch tree[node].element {
            case .table, .h1, .h2, .h3, .h4, .blockquote, .dl: return true
            case .pre: if hasLines(node) { return true }
            case .div where tree[node].traits.contains(.fragment): return true
            default: break
            }
        }
        return false
    }

    /// Returns true for code of more than one line.
    private func hasLines(_ pre: Int) -> Bool {
        guard !tree[pre].traits.contains(.lineNumbers) else { return false }
        let code = code(of: pre).drop { $0 == 0x0A }
        let end = code.firstIndex(of: 0x0A) ?? code.endIndex
        return code[end...].contains { $0 != 0x0A }
    }

    // MARK: Rows

    private static func row(_ cells: [(text: [UInt8], span: Int)], _ columns: Int) -> [UInt8] {
        var line: [UInt8] = [UInt8(ascii: "|")]
        var count = 0
        for cell in cells {
            line += [0x20] + cell.text + (cell.text.isEmpty ? [] : [0x20]) + [UInt8(ascii: "|")]
            for _ in 1..<max(cell.span, 1) { line += [0x20, UInt8(ascii: "|")] }
            count += cell.span
        }
        for _ in 0..<max(0, columns - count) { line += [0x20, UInt8(ascii: "|")] }
        return line
    }

    private static func rule(_ columns: Int) -> [UInt8] {
        [UInt8(ascii: "|")] + [[UInt8]](repeating: Array(" --- |".utf8), count: columns).flatMap { $0 }
    }
}
