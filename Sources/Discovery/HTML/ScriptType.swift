/// Whether a `script` element is a script at all; HTML §4.12.1 "prepare the script element".
enum ScriptType {
    private static let scripts: Set<String> = [
        "application/ecmascript", "application/javascript", "application/x-ecmascript", "application/x-javascript",
        "text/ecmascript", "text/javascript", "text/javascript1.0", "text/javascript1.1", "text/javascript1.2",
        "text/javascript1.3", "text/javascript1.4", "text/javascript1.5", "text/jscript", "text/livescript",
        "text/x-ecmascript", "text/x-javascript", "module",
    ]

    /// Whether a browser loads the element's `src`; data blocks, such as templates, it doesn't load.
    static func isLoaded(type: String?, language: String?) -> Bool {
        if let type { return type.isEmpty || scripts.contains(type.trimmedASCII.lowercased()) }
        guard let language, !language.isEmpty else { return true }
        return scripts.contains("text/" + language.lowercased())
    }
}
