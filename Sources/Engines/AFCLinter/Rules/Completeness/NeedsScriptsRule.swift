internal import AFCDiscovery
internal import AFCHTTP
internal import AFCPackageFile
internal import AFCPackageFormat
internal import AFCText
internal import AFCURL
internal import AFCZip

enum NeedsScriptsRule: PackageRule {
    static let id = "completeness.needs-scripts"
    static let severity = PackageProblem.Severity.warning
    static let summary = "a start page whose scripts load what the package probably lacks"
    static let explanation = """
        The scripts of a start page load something by an address that only a running script knows, and no URL of the \
        package fits. Or the start page shows nothing without scripts, as that of a single-page application does, and \
        the package has nothing that they name, although they load something. So the page is probably empty or in part broken offline. Open the \
        package in a browser without a network to see what is missing. To add it, pack the site again and let a \
        browser open its pages, or record what a browser loads while you use the site.
        """
    static let bad = LintExample.words(
        "a start page whose script has 'fetch(\"/api/\" + name)', without a URL in '/api/'"
    )
    static let good = LintExample.words("the same start page in a package that has '/api/news'")
    static let remedy: Remedy? = .findScripts

    /// The largest number of start pages that are looked at.
    private static let pageLimit = 3
    /// The largest number of scripts of one page that are read.
    private static let scriptLimit = 64
    /// The largest number of calls that are named.
    private static let callLimit = 20

    static func check(_ package: LintedPackage, _ findings: inout FindingCollector) {
        guard package.index.isUnderstood, !package.digests.isEmpty else { return }
        let seeds = (package.index.info?.seeds ?? []).prefix(pageLimit)
        let pages = Set(seeds.compactMap { resource(at: $0, in: package) })
        for page in pages.sorted() { check(page, in: package, &findings) }
    }

    private static func check(_ number: Int, in package: LintedPackage, _ findings: inout FindingCollector) {
        guard let page = body(of: number, in: package),
            ["text/html", "application/xhtml+xml"].contains(page.type?.essence)
        else { return }
        let named = Set(page.references.filter(\.reference.isScript).compactMap { resource(of: $0, in: package) })
        let scripts = named.sorted().prefix(scriptLimit).compactMap { body(of: $0, in: package) }
        let calls = ([page] + scripts).flatMap { body in
            // A page runs these scripts, in which only a worker could call `importScripts`.
            let calls = body.document.scriptTexts.calls.filter { !$0.isOfWorker }
            // A call without a literal part is no open question if the package has something else that the script names.
            let url = body.resource.url
            let isAnswered = calls.contains { CallPattern($0, in: url) == nil } && hasNamed(page, [body], in: package)
            return calls.filter { !isAnswered || CallPattern($0, in: url) != nil }.map { (body.resource, $0) }
        }
        let open = unanswered(calls, in: package)
        for (resource, call) in open.prefix(callLimit) {
            let code = PrintableText.escaped(call.code)
            let sentence =
                "the start page loads what only a running script knows (line \(call.line), column \(call.column): \(code)), "
                + "and no URL of the package fits"
            findings.add(sentence, Self.self, of: resource, in: package)
        }
        guard ScriptNeed.isLikely(page.bytes, page.references), open.count == calls.count,
            !hasNamed(page, scripts, in: package),
            !open.isEmpty || ([page] + scripts).contains(where: \.document.scriptTexts.loadsUnknown)
        else { return }
        let sentence = "the start page shows nothing without scripts, and the package has nothing that they name"
        findings.add(sentence, Self.self, of: page.resource, in: package)
    }

    /// Returns the calls that load nothing that the package has.
    private static func unanswered(
        _ calls: [(PackageIndex.Resource, UnreadCall)],
        in package: LintedPackage
    ) -> [(PackageIndex.Resource, UnreadCall)] {
        var open = calls.map { call in (call, CallPattern(call.1, in: call.0.url)) }
        for resource in package.index.resources where !open.isEmpty && resource.entry != nil {
            open.removeAll { $0.1?.fits(resource.url) ?? false }
        }
        return open.map(\.0)
    }

    /// Returns true if the package has something that scripts refer to, or that they or a recipe name.
    private static func hasNamed(_ page: LintedBody, _ scripts: [LintedBody], in package: LintedPackage) -> Bool {
        let guessed = page.document.references.filter {
            $0.reference.isGuess || $0.reference.recipe != nil || $0.reference.attribute == "data-main"
        }
        let references = guessed + scripts.flatMap(\.document.references)
        if references.contains(where: { resource(of: $0, in: package) != nil }) { return true }
        let texts = ([page] + scripts).flatMap(\.document.scriptTexts.texts)
        let names = Set(texts.map { $0.tail.split(separator: "/").last.map(String.init) ?? "" })
        return package.index.resources.contains { resource in
            resource.entry != nil && names.contains(resource.url.path.split(separator: "/").last.map(String.init) ?? "")
        }
    }

    private static func resource(at text: String, in package: LintedPackage) -> Int? {
        guard let url = try? WebURL(text), case .resource(let number) = package.target(of: url) else { return nil }
        return number
    }

    private static func resource(of reference: ResolvedReference, in package: LintedPackage) -> Int? {
        guard case .resource(let number) = package.target(of: reference.url) else { return nil }
        return number
    }

    /// Returns a resource's body, or nil if it is too large, or damaged, which other rules report.
    private static func body(of number: Int, in package: LintedPackage) -> LintedBody? {
        let resource = package.index.resources[number]
        guard let member = package.member(of: resource) else { return nil }
        let limit = Int(clamping: package.context.settings.bodyLimit)
        do throws(ZipError) {
            return LintedBody(try package.reader.archive.read(member, maxBytes: limit), isWhole: true, of: resource)
        } catch {
            return nil
        }
    }
}
