internal import AFCText
internal import AFCURL

extension TrialReport {
    /// Returns the report as JUnit's XML: a suite with a test case for each page, and one for faults seen elsewhere.
    ///
    /// - Returns: The document.
    package func junit() -> [UInt8] {
        let byPage = Dictionary(grouping: faults, by: \.page)
        let others = Set(byPage.keys).subtracting(pages.map(\.url)).sorted()
        let cases = pages.map(\.url) + others
        let failures = cases.count { byPage[$0]?.isEmpty == false }
        let name = XMLText.escaped(package)
        var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"afcache trial\">\n"
        text += " <testsuite name=\"\(name)\" tests=\"\(cases.count)\" failures=\"\(failures)\" errors=\"0\""
        text += " time=\"0\">\n"
        for page in cases {
            text += "  <testcase classname=\"\(name)\" name=\"\(XMLText.escaped(page.description))\" time=\"0\">\n"
            if let faults = byPage[page], let first = faults.first {
                text += "   <failure type=\"\(first.kind.rawValue)\" message=\"\(XMLText.escaped(first.sentence))\">"
                text += faults.map { XMLText.escaped($0.sentence) + "\n" }.joined() + "</failure>\n"
            }
            let hints = hints.filter { $0.page == page }
            if !hints.isEmpty {
                text += "   <system-out>"
                text += hints.map { XMLText.escaped($0.sentence) + "\n" }.joined() + "</system-out>\n"
            }
            text += "  </testcase>\n"
        }
        return Array((text + " </testsuite>\n</testsuites>\n").utf8)
    }
}

extension TrialFinding {
    /// The finding in one line.
    package var sentence: String {
        var sentence = "\(kind.words): \(subject)"
        if let detail { sentence += "; \(detail)" }
        return sentence
    }

    /// Where the finding was seen.
    package var place: String {
        let others = pages > 1 ? " and \(Quantity.count(pages - 1, "other page"))" : ""
        let verb = kind == .exception || kind == .console ? "in" : "asked for by"
        let asked = source.map { $0 == page.description ? "" : "\(verb) \($0) " } ?? ""
        return "\(asked)on \(page)\(others)"
    }
}
