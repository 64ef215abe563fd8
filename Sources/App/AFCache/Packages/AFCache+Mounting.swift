internal import AFCCache
internal import AFCText
public import Foundation

extension AFCache {
    /// Serves a package from its file, such as one in the app's bundle, without installing it.
    ///
    /// Its resources answer as those of an installed package do, for all caches of this process with this folder, until
    /// ``unmount(_:)`` or the end of the process. Nothing is extracted and nothing is written to the cache. A package
    /// that is installed under the same name, such as an update from a channel, takes its place, also if it is older;
    /// remove that one to use the mounted package again.
    ///
    /// Mounting reads and checks the whole package, unless an index of it is named: then only what is asked for is read.
    /// See docs/reference/mounting.md.
    ///
    /// - Parameters:
    ///   - file: The package, which must not be encrypted or a patch. The file must not change while it is mounted. If
    ///     it is mounted already, nothing happens.
    ///   - name: The name; nil for the one that the package states, or else its file's without extension. A mounted
    ///     package with the name is replaced.
    ///   - index: The package's index. It is believed, so it must come from where the app comes from.
    ///   - priority: The priority among packages with the same URL; among equal ones, the newest response counts.
    /// - Returns: The package.
    /// - Throws: ``Failure`` that names the file and the defect; what is mounted is then unchanged. With
    ///   ``Configuration/trustedPackageKeys``, a package that none of them signed is refused.
    @discardableResult
    public func mount(
        _ file: URL,
        name: String? = nil,
        index: URL? = nil,
        priority: Int = 0
    ) async throws -> CachedPackage {
        try await Failure.of {
            for url in [file, index].compactMap(\.self) where !url.isFileURL {
                let message = "only a file on this machine can be mounted; install the package from its URL"
                throw CacheError(.badPath, subject: PrintableText.quoted(url.absoluteString), message: message)
            }
            let package = try await blocking { cache in
                var options = MountedPackages.Options()
                options.indexes = index.map { [$0.path] } ?? []
                options.trust = cache.trust
                return CachedPackage(
                    try cache.store.mount(file.path, name: name, priority: priority, options: options, now: cache.now)
                )
            }
            forgetMemory()
            packageChanged.note(.mounted(package))
            return package
        }
    }

    /// Stops serving a package from its file; responses that are being read are completed.
    ///
    /// - Parameter name: The name of the mounted package.
    /// - Throws: ``Failure`` if no package with the name is mounted.
    public func unmount(_ name: String) async throws {
        try await Failure.of {
            try await blocking { try $0.store.unmount(name) }
            forgetMemory()
            packageChanged.note(.unmounted(name: name))
        }
    }

    /// Returns the packages that are served from their files, sorted by name, also those in whose place an installed
    /// one answers.
    public func mountedPackages() -> [CachedPackage] { store.mountedPackages().map { CachedPackage($0) } }
}
