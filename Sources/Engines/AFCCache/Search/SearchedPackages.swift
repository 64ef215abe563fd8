/// Packages whose text can be searched: those in a cache, or those that are mounted.
package protocol SearchedPackages: OfflineAnswering {
    /// Returns the current generation of each package, in the order in which a look-up tries them.
    ///
    /// - Throws: ``CacheError`` if the packages can't be read.
    func currentGenerations() throws(CacheError) -> [CurrentGeneration]

    /// Returns the generation that a package had before the current one; nil if it isn't kept.
    ///
    /// - Parameter package: The name of the package.
    /// - Returns: The generation.
    /// - Throws: ``CacheError`` if the packages can't be read.
    func previousGeneration(of package: String) throws(CacheError) -> CurrentGeneration?
}

extension DiskCache: SearchedPackages {}
extension MountedPackages: SearchedPackages {}
