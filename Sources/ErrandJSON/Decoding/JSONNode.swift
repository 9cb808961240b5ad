package import Foundation

package struct JSONNode {
  package enum Kind {
    case null, bool, number, string, array, object
  }

  private let document: JSONDocument
  private let index: Int

  private init(_ document: JSONDocument, at index: Int) { (self.document, self.index) = (document, index) }

  /// Parses a text.
  ///
  /// Numbers, UTF-8 and most escapes are checked later, when a value is read.
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

  /// The number as written; `nil` if invalid (RFC 8259 section 6).
  package var number: String? { NumberText.string(document.bytes + TapeWord.place(document.tape[index])) }

  /// A string, or a name before key conversion; `nil` if malformed.
  ///
  /// An escaped unpaired surrogate becomes U+FFFD.
  package var string: String? { document.writtenName(index, mendsSurrogates: true) }

  package var values: Values { Values(document, at: index) }

  package struct Values: IteratorProtocol {
    private let document: JSONDocument
    private var place: Int
    private let end: Int
    package let haveNames: Bool

    fileprivate init(_ document: JSONDocument, at index: Int) {
      self.document = document
      (place, end) = (index + 1, TapeWord.place(document.tape[index]))
      haveNames = document.kind(index) != TapeWord.array
    }

    package mutating func next() -> (name: JSONNode?, value: JSONNode)? {
      guard place < end else { return nil }
      let name = haveNames ? JSONNode(document, at: place) : nil
      let value = haveNames ? place + 2 : place
      place = Tape.next(after: value, on: document.tape)
      return (name, JSONNode(document, at: value))
    }
  }

  package var dropsNulls: Bool { document.settings.dropsNulls }

  package var position: JSONPosition {
    document.position(document.offset(of: index))
  }
}
