import Foundation
import Testing

/// The entry point of all tests on Linux; scripts/test runs them.
///
/// The package manager generates an entry point only after it has read an index of the sources, to find tests of the older
/// library XCTest. There are none here, and the index costs a tenth of the build.
@main
struct Runner {
    static func main() async {
        // 'swift test' asks for the tests of XCTest, and would succeed without running any other.
        if CommandLine.arguments.contains("--dump-tests-json") {
            FileHandle.standardError.write(Data("run the tests with scripts/test\n".utf8))
            exit(1)
        }
        await Testing.__swiftPMEntryPoint() as Never
    }
}
