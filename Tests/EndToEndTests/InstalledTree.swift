import TestSupport
import Testing

/// What `make install` leaves below a folder, gone when the test is; there is a blank in its path.
struct InstalledTree {
    let scratch: Scratch
    var root: String { scratch.path("root folder") }

    /// Installs the program that the tests are run with, and builds nothing.
    init() throws {
        scratch = try Scratch()
        let result = try make("install", ["PROGRAM=\(Program.afcache)"])
        try #require(result.status == 0, "\(result.errors)")
    }

    /// Runs make in the sources.
    func make(_ target: String, _ variables: [String] = []) throws -> ProgramResult {
        // The tests may run below another make, whose variables aren't theirs.
        let environment = ["MAKEFLAGS": "", "SOURCE_DATE_EPOCH": "1700000000"]
        let arguments = [target, "PREFIX=/usr", "DESTDIR=\(root)"] + variables
        return try Program.run("make", ["-C", MainJobTests.root] + arguments, environment: environment)
    }

    /// The path of an installed file.
    func path(_ file: String) -> String { root + "/usr/" + file }
}
