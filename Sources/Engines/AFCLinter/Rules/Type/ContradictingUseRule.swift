internal import AFCDiscovery
internal import AFCHTTP
internal import AFCPackageFormat
internal import AFCText
internal import AFCURL

enum ContradictingUseRule: BodyRule {
    static let id = "type.contradicts-use"
    static let severity = PackageProblem.Severity.warning
    static let summary = "a resource whose type forbids the way a page uses it"
    static let explanation = """
        A page loads the resource as a style sheet, module or script, and browsers reject it because of its type \
        (Fetch §2.9, HTML §8.1.4). A style sheet must be 'text/css', a module must have a JavaScript type, and a \
        script must not be an image, audio, video or CSV. Often the server sent an error page instead. Fetch the \
        resource again, or correct the type.
        """
    static let bad = LintExample.words("'<script type=module src=a.js>' where a.js is 'text/plain'")
    static let good = LintExample.words("'<script src=a.js>' where a.js is 'text/plain'")

    private static func isRefused(_ essence: String, as use: Destination) -> Bool {
        switch use {
        case .style: essence != "text/css"
        case .module: !LintedType.isScript(essence) && !isData(essence)
        default: ["image/", "audio/", "video/"].contains(where: essence.hasPrefix) || essence == "text/csv"
        }
    }

    /// Returns true for types besides scripts that a module can import: JSON, CSS and WebAssembly.
    private static func isData(_ essence: String) -> Bool {
        essence == "application/json" || essence == "text/json" || essence.hasSuffix("+json") || essence == "text/css"
            || essence == "application/wasm"
    }

    static func check(_ body: LintedBody, in package: LintedPackage, _ findings: inout FindingCollector) {
        var seen: Set<WebURL> = []
        for reference in body.references where reference.kind == .requisite {
            let loads = reference.reference.loads
            guard loads == .style || loads == .module || loads == .script, seen.insert(reference.url).inserted,
                case .resource(let number) = package.target(of: reference.url),
                let type = LintedBody.type(of: package.index.resources[number])?.essence, isRefused(type, as: loads)
            else { continue }
            let use = loads == .style ? "a style sheet" : loads == .module ? "a module" : "a script"
            let url = PrintableText.quoted(reference.url.description)
            findings.add(
                "\(url) is used as \(use), but browsers reject it because of its type \(type)",
                Self.self,
                of: body.resource,
                in: package
            )
        }
    }
}
