/// Packages whose text can be searched: those in a cache, or those that are mounted.
package protocol SearchedPackages: OfflineAnswering {
    /// Returns the current generation of each package, in the order in which a look-up tries them.
    ///
    /// - Throws: ``CacheError`` if the packages can't be read.
    func currentGenerations() throws(CacheError) -> [CurrentGeneration]

    /// Returns the generations that a package had before the current one and that are kept, that to which a rollback
    /// returns first.
    ///
    /// - Parameter package: The name of the package.
    /// - Returns: The generations.
    /// - Throws: ``CacheError`` if the packages can't be read.
    func earlierGenerations(of package: String) throws(CacheError) -> [CurrentGeneration]
}

extension DiskCache: SearchedPackages {}
extension MountedPackages: SearchedPackages {}
