internal import AFCPackageFormat
internal import AFCText
public import AFCURL

/// The URLs of individual files: a JSON object from path below the folder to URL.
public enum FileURLMap {
    /// The reason that a text isn't such a map.
    public enum Malformation: Error, Equatable, Sendable {
        /// The text isn't a JSON object.
        case notAnObject
        /// The value isn't a string.
        case notAString(path: String)
        /// The value isn't a URL.
        case badURL(path: String, url: String)
        /// The path occurs twice.
        case duplicate(path: String)
    }

    /// Parses a map.
    ///
    /// - Parameters:
    ///   - bytes: The file.
    ///   - base: The base of relative URLs.
    /// - Returns: The URL of each path.
    /// - Throws: ``Malformation`` if it isn't valid.
    public static func parse(_ bytes: [UInt8], base: WebURL) throws(Malformation) -> [String: WebURL] {
        let json: JSONValue
        do throws(JSONValue.SyntaxError) {
            json = try JSONValue(parsing: bytes)
        } catch {
            throw .notAnObject
        }
        guard case .object(let members) = json else { throw .notAnObject }
        var map: [String: WebURL] = [:]
        for (path, value) in members {
            guard let text = value.string else { throw .notAString(path: path) }
            guard map[path] == nil else { throw .duplicate(path: path) }
            do throws(WebURL.ParseError) {
                map[path] = try WebURL(text, base: base)
            } catch {
                throw .badURL(path: path, url: text)
            }
        }
        return map
    }
}

extension FileURLMap.Malformation: CustomStringConvertible {
    /// The reason, as a part of a sentence; lower case, no full stop.
    public var description: String {
        switch self {
        case .notAnObject: "it is not a JSON object"
        case .notAString(let path): "the URL of \(PrintableText.quoted(path)) is not a string"
        case .badURL(let path, let url):
            "\(PrintableText.quoted(url)), the URL of \(PrintableText.quoted(path)), is not a URL"
        case .duplicate(let path): "the path \(PrintableText.quoted(path)) occurs twice"
        }
    }
}
