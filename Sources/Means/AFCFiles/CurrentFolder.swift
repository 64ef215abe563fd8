import AFCPlatform

/// The folder at which relative paths begin.
package enum CurrentFolder {
    /// Makes a folder this process's own; only for a program that has nothing else to do in another one.
    ///
    /// - Parameter path: The folder.
    /// - Throws: ``FileError`` if it can't be entered.
    package static func enter(_ path: String) throws(FileError) {
        guard chdir(path) == 0 else { throw .system("cannot enter the folder", path) }
    }
}
