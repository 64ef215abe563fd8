import ArgumentParser
import Testing

@testable import AFCProgram

/// Which options of `pack` are for crawls.
struct CrawlArgumentsTests {
    @Test func `each option of a group is for crawls, except those of browsers, folders, packages and all commands`() {
        let others: Set<Substring> = ["USAGE", "ARGUMENTS", "OPTIONS", "BROWSER", "PACKING A FOLDER", "THE PACKAGE"]
        var section: Substring = "USAGE"
        var sections: Set<Substring> = []
        for line in PackCommand.helpMessage(includeHidden: true, columns: 200).split(separator: "\n") {
            if !line.hasPrefix(" "), line.hasSuffix(":") { section = line.dropLast() }
            guard let name = line.split(separator: " ").first(where: { $0.hasPrefix("--") }), line.hasPrefix("  -")
            else { continue }
            let option = String(name.prefix { $0 != "," && $0 != "/" })
            let isForCrawls = !others.contains(where: { $0 == section.uppercased() })
            #expect(CrawlArguments.firstOption(in: [option]) == (isForCrawls ? option : nil), "\(section): \(line)")
            if isForCrawls { sections.insert(section) }
        }
        #expect(sections.count == 8, "\(sections.sorted())")
    }
}
