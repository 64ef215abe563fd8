import TestSite

guard CommandLine.arguments.count == 2 else { fatalError("usage: makesite PACKAGE") }
try await TestSite.write(to: CommandLine.arguments[1])
