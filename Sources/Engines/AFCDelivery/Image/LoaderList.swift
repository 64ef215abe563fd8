/// What the loader of a program prints about its libraries, as `ldd` does.
///
/// Pure.
struct LoaderList: Equatable {
    /// A library: the name by which it is loaded, and the file that has it.
    struct Library: Equatable {
        var name: String
        var path: String
    }

    /// The libraries that were found, in the order of their names.
    var libraries: [Library] = []
    /// The names of those that weren't.
    var missing: [String] = []

    /// Reads the list.
    ///
    /// - Parameters:
    ///   - text: What the loader printed.
    ///   - loader: The loader's path, which is in the list, too.
    init(_ text: String, loader: String) {
        var found: [String: String] = [:]
        for line in text.split(whereSeparator: \.isNewline) {
            // NAME => PATH (ADDRESS), PATH (ADDRESS), or NAME (ADDRESS) for what the kernel provides.
            var words = line.split(whereSeparator: { $0 == " " || $0 == "\t" }).map(String.init)
            if let last = words.last, last.hasPrefix("(0x") { words.removeLast() }
            guard let name = words.first, name != loader else { continue }
            if words.count >= 3, words[1] == "=>" {
                let path = words[2...].joined(separator: " ")
                guard path != loader else { continue }
                if path.hasPrefix("/") { found[name] = path } else { missing.append(name) }
            } else if words.count == 1, name.hasPrefix("/") {
                found[name] = name
            }
        }
        libraries = found.sorted { $0.key < $1.key }.map { Library(name: $0.key, path: $0.value) }
        missing.sort()
    }

    /// The path of the C library, beside which the loader looks for others.
    var cLibrary: String? { libraries.first { $0.name.hasPrefix("libc.so") }?.path }
}
