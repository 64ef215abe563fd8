import AFCFiles
import AFCText
import ArgumentParser

/// The folder with the packages of a crawl in shards, as `crawl publish` makes it, and its list of the hosts of each.
struct PublishedCrawl {
    /// The name of the list.
    static let listName = "crawl.json"
    private static let byteLimit = 256 << 20

    private let folder: String
    private let packages: [(file: String, hosts: Set<String>)]

    /// Reads the list.
    ///
    /// - Parameter folder: The folder.
    /// - Throws: `ValidationError` if it isn't such a folder, `CacheError` if the list can't be read.
    init(in folder: String) throws {
        let path = "\(folder)/\(Self.listName)"
        guard OpenFile.isRegularFile(path) else {
            throw ValidationError(
                "\(PrintableText.quoted(folder)) has no \(Self.listName); 'afcache crawl publish ROOT -o DIR' makes a folder "
                    + "with it"
            )
        }
        let bytes = try SmallFile.read(path, limit: Self.byteLimit)
        guard let json = try? JSONValue(parsing: bytes), let list = json["packages"]?.array
        else {
            throw ValidationError("\(PrintableText.quoted(path)) is not a list that 'afcache crawl publish' makes")
        }
        self.folder = folder
        packages = list.compactMap { package in
            // A list from elsewhere names files in its own folder only.
            guard let file = package["file"]?.string, !file.contains("/"), !file.hasPrefix("."), file.hasSuffix(".zip")
            else { return nil }
            return (file, Set(package["hosts"]?.array?.compactMap(\.string) ?? []))
        }
    }

    /// Returns the packages that have hosts.
    ///
    /// - Parameter hosts: The names of the hosts.
    /// - Returns: The paths, each once, in the order of the list.
    /// - Throws: `ValidationError` if a host is in none.
    func paths(of hosts: [String]) throws -> [String] {
        let wanted = hosts.map { $0.lowercased() }
        for host in wanted where !packages.contains(where: { $0.hosts.contains(host) }) {
            throw ValidationError(
                "no package in \(PrintableText.quoted(folder)) has the host \(PrintableText.quoted(host)); "
                    + "\(Self.listName) there lists the hosts of each"
            )
        }
        return packages.filter { !$0.hosts.isDisjoint(with: wanted) }.map { "\(folder)/\($0.file)" }
    }
}
