import Testing

@testable import AFCDiscovery

/// What addresses became on other pages of a folder.
struct AddressMemoryTests {
    private static func address(_ text: String) -> AddressRewriting.Address {
        AddressRewriting.Address(text: text, resolution: .address, precedesBase: false)
    }

    private static func context(_ name: String) -> AddressMemory.Context {
        AddressMemory.Context(folders: [name], encoding: .utf8)
    }

    @Test func `addresses are known in their context only`() throws {
        let memory = AddressMemory()
        let one = try #require(memory.number(of: Self.context("a")))
        let two = try #require(memory.number(of: Self.context("b")))
        memory.note("new", for: Self.address("x"), in: one)
        memory.note(nil, for: Self.address("y"), in: one)
        #expect(memory.known(Self.address("x"), in: one) == .some("new"))
        #expect(memory.known(Self.address("y"), in: one) == .some(nil))
        #expect(memory.known(Self.address("z"), in: one) == nil)
        #expect(memory.known(Self.address("x"), in: two) == nil)
        #expect(memory.number(of: Self.context("a")) == one)
    }

    @Test func `long addresses, and all if there are too many, are forgotten`() throws {
        let memory = AddressMemory()
        let number = try #require(memory.number(of: Self.context("a")))
        let long = String(repeating: "x", count: 300)
        memory.note("new", for: Self.address(long), in: number)
        memory.note(long, for: Self.address("x"), in: number)
        #expect(memory.known(Self.address(long), in: number) == nil)
        #expect(memory.known(Self.address("x"), in: number) == nil)
        for index in 0...50_000 { memory.note("new", for: Self.address(String(index)), in: number) }
        #expect(memory.known(Self.address("0"), in: number) == nil)
        #expect(memory.known(Self.address("50000"), in: number) == .some("new"))
    }

    @Test func `a context that was forgotten gets another number`() throws {
        let memory = AddressMemory()
        #expect(memory.number(of: Self.context(String(repeating: "x", count: 2_000))) == nil)
        let number = try #require(memory.number(of: Self.context("a")))
        memory.note("old", for: Self.address("x"), in: number)
        for index in 0...1_000 { _ = memory.number(of: Self.context(String(index))) }
        #expect(memory.known(Self.address("x"), in: number) == nil)
        #expect(memory.number(of: Self.context("a")) != number)
    }
}
