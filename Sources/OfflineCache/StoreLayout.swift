/// Where things lie in the store's folder; see docs/store.md.
struct StoreLayout: Sendable {
    /// The store's folder, without a slash at its end.
    let root: String

    init(root: String) {
        var path = root[...]
        while path.count > 1, path.last == "/" { path = path.dropLast() }
        self.root = path.isEmpty ? "." : String(path)
    }

    /// The index: SQLite in WAL mode.
    var index: String { root + "/index.sqlite" }
    /// What the one writer holds locked.
    var lock: String { root + "/writer.lock" }
    /// The installed packages, each in a folder of its own.
    var packages: String { root + "/packages" }
    /// Packages that are being extracted; whatever lies here while nobody holds the lock is left over.
    var staging: String { root + "/staging" }

    /// The folder of an installed package.
    func package(_ folder: String) -> String { packages + "/" + folder }
    /// The folder in which a package is being extracted.
    func staging(_ folder: String) -> String { staging + "/" + folder }
}
