import Foundation
import Testing

/// The entry point of all tests on Linux.
///
/// The package manager generates an entry point only after it has read an index of the sources, to find tests of the older
/// library XCTest. There are none here, and the index costs a tenth of the build.
@main
struct Runner {
    static func main() async {
        // 'swift test' alone asks for the tests of XCTest, and would succeed without running any other.
        if CommandLine.arguments.contains("--dump-tests-json") {
            let remedy = "run 'scripts/test', or 'swift test --enable-swift-testing --disable-xctest'\n"
            FileHandle.standardError.write(Data(remedy.utf8))
            exit(1)
        }
        await Testing.__swiftPMEntryPoint() as Never
    }
}
