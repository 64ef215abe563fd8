/// The type of a `script` element that is a script; HTML §4.12.1 "prepare the script element".
enum ScriptType {
    case classic, module, importMap

    private static let scripts: Set<String> = [
        "application/ecmascript", "application/javascript", "application/x-ecmascript", "application/x-javascript",
        "text/ecmascript", "text/javascript", "text/javascript1.0", "text/javascript1.1", "text/javascript1.2",
        "text/javascript1.3", "text/javascript1.4", "text/javascript1.5", "text/jscript", "text/livescript",
        "text/x-ecmascript", "text/x-javascript",
    ]

    /// Creates the type from an element's attributes.
    ///
    /// The result is nil for data, such as templates, which browsers neither load nor run.
    init?(type: String?, language: String?) {
        let name: String
        if let type, !type.isEmpty {
            name = type.trimmedASCII.lowercased()
        } else if type == nil, let language, !language.isEmpty {
            name = "text/" + language.lowercased()
        } else {
            name = "text/javascript"
        }
        switch name {
        case "module": self = .module
        // Those for libraries that stand in for the browser's own.
        case "importmap", "importmap-shim", "systemjs-importmap": self = .importMap
        case "module-shim": self = .module
        case _ where Self.isScript(name): self = .classic
        default: return nil
        }
    }

    /// Returns true if a media type is a script's; MIME Sniffing §4.6 "JavaScript MIME type".
    static func isScript(_ essence: String) -> Bool { scripts.contains(essence) }
}
