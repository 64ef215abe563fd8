internal import AFCPackageFormat
internal import AFCText
public import AFCURL

/// The URLs of single files: a JSON object from path below the folder to URL.
public enum FileURLMap {
    /// Why a text is no such map.
    public enum Malformation: Error, Equatable, Sendable {
        /// It is no JSON object.
        case notAnObject
        /// The value is no string.
        case notAString(path: String)
        /// The value is no URL.
        case badURL(path: String, url: String)
        /// The path comes twice.
        case duplicate(path: String)
    }

    /// Reads a map.
    ///
    /// - Parameters:
    ///   - bytes: The file.
    ///   - base: What relative URLs are relative to.
    /// - Returns: The URL of each path.
    /// - Throws: ``Malformation`` where it is none.
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
