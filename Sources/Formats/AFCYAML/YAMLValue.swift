internal import Yams

/// A value of a file, which knows its place: a text, a list, or a mapping.
package struct YAMLValue {
    let node: Node

    /// What is written there, without quotes; nil where it is no text.
    ///
    /// Numbers and flags are texts, too.
    package var text: String? { node.scalar?.string }

    /// Whether it is a text without quotes, which by itself may stand for no value.
    package var isPlain: Bool { node.scalar?.style == .plain }

    /// The values of a list, or nil where it is none.
    package var items: [YAMLValue]? { node.sequence.map { $0.map(YAMLValue.init) } }
}
