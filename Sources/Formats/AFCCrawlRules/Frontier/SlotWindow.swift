/// A queue whose elements keep their numbers, from which only the first is taken.
struct SlotWindow<Element> {
    private var elements: [Element?] = []
    private var head = 0
    /// The number of the first element.
    private(set) var first = 0

    /// How many elements there are.
    var count: Int { elements.count - head }

    /// The number of the element that comes next.
    var end: Int { first + count }

    /// Adds an element.
    ///
    /// - Returns: Its number.
    mutating func append(_ element: Element) -> Int {
        elements.append(element)
        return end - 1
    }

    /// Takes the first element away, if there is one.
    mutating func popFirst() -> Element? {
        guard head < elements.count else { return nil }
        let element = elements[head]
        elements[head] = nil
        head += 1
        first += 1
        if head >= 1024, head * 2 >= elements.count {
            elements.removeFirst(head)
            head = 0
        }
        return element
    }

    /// The element of a number, or nil where it was taken away or never came; only what is there can be set.
    subscript(number: Int) -> Element? {
        get { number >= first && number < end ? elements[head + number - first] : nil }
        set {
            precondition(number >= first && number < end, "no element has the number \(number)")
            elements[head + number - first] = newValue
        }
    }
}
