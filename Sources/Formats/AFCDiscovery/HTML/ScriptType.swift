/// Whether a `script` element is a script at all; HTML §4.12.1 "prepare the script element".
enum ScriptType {
    case classic, module, importMap

    private static let scripts: Set<String> = [
        "application/ecmascript", "application/javascript", "application/x-ecmascript", "application/x-javascript",
        "text/ecmascript", "text/javascript", "text/javascript1.0", "text/javascript1.1", "text/javascript1.2",
        "text/javascript1.3", "text/javascript1.4", "text/javascript1.5", "text/jscript", "text/livescript",
        "text/x-ecmascript", "text/x-javascript",
    ]

    /// What an element's attributes make of it, or nil for data, such as templates, which a browser neither loads nor runs.
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
        case "importmap": self = .importMap
        case _ where Self.isScript(name): self = .classic
        default: return nil
        }
    }

    /// Whether a media type is that of scripts; MIME Sniffing §4.6 "JavaScript MIME type".
    static func isScript(_ essence: String) -> Bool { scripts.contains(essence) }
}
