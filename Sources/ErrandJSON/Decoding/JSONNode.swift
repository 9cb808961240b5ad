package import Foundation

/// A value of a JSON text, for those who read JSON without a type.
package struct JSONNode {
  /// What a value is.
  package enum Kind {
    case null, bool, number, string, array, object
  }

  private let document: JSONDocument
  private let index: Int

  private init(_ document: JSONDocument, at index: Int) { (self.document, self.index) = (document, index) }

  /// The value of a whole text, all of which is judged, with every digit; throws a ``JSONSyntaxError``.
  package static func parse(_ data: Data) throws(JSONSyntaxError) -> JSONNode {
    guard let text = JSONEncodings.utf8(data) else {
      throw JSONSyntaxError(.encoding, at: nil)
    }
    do {
      return JSONNode(try JSONDocument(text, settings: DecodingSettings()), at: 0)
    } catch {
      throw JSONSyntaxError(error, in: text)
    }
  }

  /// The value that a decoder of ``JSONCoding`` stands for; `nil` for other decoders.
  package init?(of decoder: any Decoder) {
    guard let place = decoder as? JSONPlace else { return nil }
    self.init(place.document, at: place.index)
  }

  package var kind: Kind {
    switch document.kind(index) {
    case TapeWord.null: .null
    case TapeWord.no, TapeWord.yes: .bool
    case TapeWord.integer, TapeWord.fraction: .number
    case TapeWord.array: .array
    case TapeWord.object, TapeWord.indexed: .object
    default: .string
    }
  }

  package var bool: Bool { document.kind(index) == TapeWord.yes }

  /// The number as it is written; `nil` where it is none (RFC 8259 section 6).
  package var number: String? { NumberText.string(document.bytes + TapeWord.place(document.tape[index])) }

  /// The text, of a name as it is written; half of a surrogate pair is U+FFFD, as the grammar allows it; `nil` where it cannot be read.
  package var string: String? { document.writtenName(index, mendsSurrogates: true) }

  /// The values of an array or object in their order.
  package var values: Values { Values(document, at: index) }

  /// Goes through the values of an array or object.
  package struct Values: IteratorProtocol {
    private let document: JSONDocument
    private var place: Int
    private let end: Int
    /// Whether they have names.
    package let haveNames: Bool

    fileprivate init(_ document: JSONDocument, at index: Int) {
      self.document = document
      (place, end) = (index + 1, TapeWord.place(document.tape[index]))
      haveNames = document.kind(index) != TapeWord.array
    }

    /// A value with the node of its name, which is of an object's only.
    package mutating func next() -> (name: JSONNode?, value: JSONNode)? {
      guard place < end else { return nil }
      let name = haveNames ? JSONNode(document, at: place) : nil
      let value = haveNames ? place + 2 : place
      place = Tape.next(after: value, on: document.tape)
      return (name, JSONNode(document, at: value))
    }
  }

  /// Whether members that are null are to be left out.
  package var dropsNulls: Bool { document.settings.dropsNulls }

  /// Where the value's text begins, for messages.
  package var position: JSONPosition {
    document.position(document.offset(of: index))
  }
}
