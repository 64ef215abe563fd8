internal import AFCText

/// What there is, by kind: tables with a bar in each row.
extension ReportPage {
    private struct Row {
        var name: String
        var share: Tally<String>.Share
        var isStatus = false
        var status = 0
    }

    mutating func writeStatuses() {
        let rows = report.statuses.sorted.map { status, share in
            Row(name: String(status), share: .init(count: share.count), isStatus: true, status: status)
        }
        writeBars("Status codes", head: "status", rows + other(report.statuses.other.count, 0), by: \.count)
    }

    mutating func writeTypes() {
        let rows = report.types.largestFirst.map { Row(name: $0.key.isEmpty ? "none" : $0.key, share: $0.share) }
        writeBars("Media types", head: "type", rows + other(report.types.other), by: \.bytes)
    }

    mutating func writeHosts() {
        let rows = report.hosts.largestFirst.map { Row(name: $0.key, share: $0.share) }
        writeBars("Hosts", head: "host", rows + other(report.hosts.other), by: \.bytes)
    }

    mutating func writeDepths() {
        guard report.depths.count > 1 else { return }
        let rows = report.depths.enumerated().map { depth, count in
            let isLast = depth == CrawlReport.depthLimit - 1
            return Row(name: "\(depth)\(isLast ? " and more" : "")", share: .init(count: count))
        }
        writeBars("Links away from the start", head: "depth", rows, by: \.count)
    }

    private func other(_ share: Tally<String>.Share) -> [Row] { other(share.count, share.bytes) }

    private func other(_ count: Int, _ bytes: Int64) -> [Row] {
        count == 0 ? [] : [Row(name: "all other", share: .init(count: count, bytes: bytes))]
    }

    private mutating func writeBars(
        _ title: String,
        head: String,
        _ rows: [Row],
        by measure: KeyPath<Tally<String>.Share, some BinaryInteger & Sendable>
    ) {
        guard !rows.isEmpty else { return }
        let hasBytes = rows.contains { $0.share.bytes > 0 }
        let most = rows.reduce(1.0) { max($0, Double($1.share[keyPath: measure])) }
        beginSection(title)
        html.markup("<table>\n<thead><tr><th scope=\"col\">")
        html.text(head)
        html.markup("</th><th scope=\"col\" class=\"number\">count</th>")
        if hasBytes { html.markup("<th scope=\"col\" class=\"number\">bytes</th>") }
        html.markup("<td></td></tr></thead>\n<tbody>\n")
        for row in rows {
            html.markup("<tr><th scope=\"row\">")
            html.text(row.name)
            html.markup("</th><td class=\"number\">")
            html.text(Quantity.grouped(row.share.count))
            html.markup("</td>")
            if hasBytes {
                html.markup("<td class=\"number\">")
                html.text(Quantity.bytes(row.share.bytes, space: "\u{202F}"))
                html.markup("</td>")
            }
            writeBar(Double(row.share[keyPath: measure]) / most, of: row)
            html.markup("</tr>\n")
        }
        html.markup("</tbody>\n</table>\n</section>\n")
    }

    private mutating func writeBar(_ part: Double, of row: Row) {
        html.markup("<td class=\"bar\"><i")
        if row.isStatus {
            switch row.status {
            case 200...299: html.markup(" class=\"good\"")
            case 300...399: html.markup("")
            case 400...499: html.markup(" class=\"fair\"")
            default: html.markup(" class=\"bad\"")
            }
        }
        html.markup(" style=\"width:")
        let tenths = Int((part * 1000).rounded())
        html.number(tenths / 10)
        html.markup(".")
        html.number(tenths % 10)
        html.markup("%\"></i></td>")
    }
}
