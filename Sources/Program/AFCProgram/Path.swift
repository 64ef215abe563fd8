import AFCFiles
import AFCPlatform
import AFCText

/// The folder in which the program was started.
enum WorkingFolder {
    /// The absolute path, or `/` if the folder no longer exists.
    static let path: String = {
        guard let bytes = getcwd(nil, 0) else { return "/" }
        defer { free(bytes) }
        return String(cString: bytes)
    }()
}

/// Operations on paths as text, which follow no links.
enum Path {
    /// Standard output as a path.
    static let standardOutput = "/dev/stdout"

    /// Returns the path that an argument for an output means: `-` is standard output.
    static func output(_ argument: String) -> String { argument == "-" ? standardOutput : argument }

    /// Returns an output's path in quotes, or what it stands for.
    static func shown(_ output: String) -> String {
        output == standardOutput ? "standard output" : PrintableText.quoted(output)
    }

    /// Returns the path from the root, without `.` and `..`.
    static func absolute(_ path: String) -> String {
        "/" + parts(path.hasPrefix("/") ? path : WorkingFolder.path + "/" + path).joined(separator: "/")
    }

    /// Returns true if a folder is at the path, or a link to one.
    static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Returns true if a folder is a cache.
    static func isCache(_ path: String) -> Bool {
        isFolder(path) && Descriptor.allows(path + "/catalogue.json", F_OK) && isFolder(path + "/packages")
    }

    /// Returns true if a file begins as a zip does.
    static func isZip(_ path: String) -> Bool {
        guard let file = try? OpenFile(reading: path), let beginning = try? file.beginning(4) else { return false }
        return [[0x50, 0x4B, 0x03, 0x04], [0x50, 0x4B, 0x05, 0x06]].contains(beginning)
    }

    /// Returns true if two paths lead to one file, which is there.
    static func isSameFile(_ one: String, _ other: String) -> Bool {
        guard let state = try? OpenFile.State(path: one) else { return false }
        return state == (try? OpenFile.State(path: other))
    }

    /// Returns the folder that contains an absolute path.
    static func folder(of path: String) -> String { "/" + parts(path).dropLast().joined(separator: "/") }

    /// Returns the path relative to a folder that contains it, or else the absolute path.
    static func relative(_ path: String, to folder: String) -> String {
        let (parts, base) = (parts(absolute(path)), parts(folder))
        guard parts.starts(with: base), parts.count > base.count else { return "/" + parts.joined(separator: "/") }
        return parts.dropFirst(base.count).joined(separator: "/")
    }

    private static func parts(_ path: String) -> [Substring] {
        var parts: [Substring] = []
        for part in path.split(separator: "/") where part != "." {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        return parts
    }
}
