/// A reference, and the place where it can be replaced.
struct PlacedReference {
    var reference: Reference
    var place: ReferencePlace
}

/// The place of a reference in a document.
struct ReferencePlace {
    /// The text that holds a reference.
    enum Content {
        /// An attribute's value.
        case attribute
        /// Text in which character references count.
        case text
        /// Text in which they don't, such as that of an HTML `style` element.
        case rawText
    }

    /// The form in which a reference is written.
    enum Notation {
        /// The address alone.
        case address
        /// The address of a module, without its suffix `.js`.
        case module
        /// A string or `url()` in CSS.
        case css
        /// The address of a `base` element.
        case base
        /// A document in an attribute.
        case document
        /// An attribute with the digest of what the reference loads.
        case integrity
        /// An attribute that is left out.
        case removed
        /// The policies of a `meta` element.
        case policy
    }

    /// The attribute's value, or the part of an element's text, that holds the reference.
    var holder: Range<Int>
    /// The reference in the document, or in the holder's decoded text.
    var range: Range<Int>
    /// True if the range belongs to the holder's decoded text.
    var isDecoded = false
    var content = Content.attribute
    var notation = Notation.address

    /// Creates the place of an attribute's whole value.
    init(_ value: Range<Int>, _ notation: Notation = .address) {
        holder = value
        range = value
        self.notation = notation
    }
}

/// The relation of a text that is searched to the document.
enum ReferenceSource {
    /// A part of an element's text, at a position of a text made of such parts.
    struct Piece {
        var position: Int
        var range: Range<Int>
        var isDecoded: Bool
        var content: ReferencePlace.Content
    }

    /// A part of the document, which begins at `shift`.
    case document(Range<Int>, shift: Int, ReferencePlace.Content)
    /// The decoded value of an attribute.
    case attribute(Range<Int>)
    /// The text of an element that begins at an offset.
    case pieces([Piece], start: Int)

    /// Returns the offset in the document of a position in the text; for text that was decoded, its start.
    func offset(of position: Int) -> Int {
        switch self {
        case .document(_, let shift, _): position + shift
        case .attribute(let range): range.lowerBound
        case .pieces(_, let start): start
        }
    }

    /// Returns the place of a reference; nil if it extends over several pieces.
    func place(of range: Range<Int>, _ notation: ReferencePlace.Notation = .address) -> ReferencePlace? {
        var place = ReferencePlace(range, notation)
        var shift = 0
        switch self {
        case .document(let holder, let distance, let content):
            (place.holder, place.content, shift) = (holder, content, distance)
        case .attribute(let holder): (place.holder, place.isDecoded) = (holder, true)
        case .pieces(let pieces, _):
            // The last piece that begins at the reference or before it.
            var (low, high) = (0, pieces.count)
            while low < high {
                let middle = (low + high) / 2
                if pieces[middle].position <= range.lowerBound { low = middle + 1 } else { high = middle }
            }
            guard low > 0, low == pieces.count || range.upperBound <= pieces[low].position else { return nil }
            let piece = pieces[low - 1]
            (place.holder, place.isDecoded, place.content) = (piece.range, piece.isDecoded, piece.content)
            shift = (piece.isDecoded ? 0 : piece.range.lowerBound) - piece.position
        }
        place.range = range.lowerBound + shift..<range.upperBound + shift
        return place
    }
}
