import AFCPlatform

/// The folder that the program was started in.
enum WorkingFolder {
    /// The absolute path, or `/` where the folder is gone.
    static let path: String = {
        guard let bytes = getcwd(nil, 0) else { return "/" }
        defer { free(bytes) }
        return String(cString: bytes)
    }()
}

/// Paths as texts; links aren't followed.
enum Path {
    /// The path from the root, without `.` and `..`.
    static func absolute(_ path: String) -> String {
        "/" + parts(path.hasPrefix("/") ? path : WorkingFolder.path + "/" + path).joined(separator: "/")
    }

    /// The folder that an absolute path lies in.
    static func folder(of path: String) -> String { "/" + parts(path).dropLast().joined(separator: "/") }

    /// The path from a folder on where it lies below, else from the root.
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
