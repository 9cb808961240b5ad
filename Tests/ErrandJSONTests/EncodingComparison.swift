import Foundation
import Testing

@testable import ErrandJSON

/// The result of an encoding.
enum EncodingResult: Equatable, CustomStringConvertible {
  case text(String)
  case failure(String)

  init(_ encode: () throws -> Data) {
    do {
      self = .text(String(decoding: try encode(), as: UTF8.self))
    } catch EncodingError.invalidValue(let value, let context) {
      let path = context.codingPath.map { "\($0.stringValue)|\($0.intValue.map(String.init) ?? "-")" }
      // For a whole value, ErrandJSON reports the type.
      self = .failure("invalidValue \(value as? any Any.Type ?? type(of: value)) at \(path)")
    } catch {
      self = .failure("\(error)")
    }
  }

  /// The number of occurrences of each byte.
  ///
  /// The counts ignore the order of members.
  var bytes: [Int] {
    var counts = [Int](repeating: 0, count: 256)
    var text = description
    text.withUTF8 { for byte in $0 { counts[Int(byte)] &+= 1 } }
    return counts
  }

  var description: String {
    switch self {
    case .text(let text): text
    case .failure(let failure): failure
    }
  }
}

/// Encodes a value with both encoders and compares the texts, with and without sorted keys.
///
/// Without sorted keys, the test compares only the number of occurrences of each byte.
func expectFoundationsResult<Value: Encodable>(
  of value: Value, _ change: (JSONEncoder) -> Void = { _ in }, location: SourceLocation = #_sourceLocation
) {
  for options in [[], .prettyPrinted, .withoutEscapingSlashes, [.prettyPrinted, .withoutEscapingSlashes]]
    as [JSONEncoder.OutputFormatting]
  {
    let encoder = JSONEncoder()
    change(encoder)
    encoder.outputFormatting = options.union(.sortedKeys)
    let theirs = EncodingResult { try encoder.encode(value) }
    let ours = EncodingResult { try JSONCoding(decoder: nil, encoder: encoder).encode(value) }
    #expect(ours == theirs, sourceLocation: location)
    encoder.outputFormatting = options
    let unsorted = EncodingResult { try JSONCoding(decoder: nil, encoder: encoder).encode(value) }
    // The texts must consist of the same bytes in any order.
    #expect(unsorted.bytes == theirs.bytes, sourceLocation: location)
  }
}

/// Encodes a value with changed default settings.
func encodedText(_ value: some Encodable, _ change: (inout JSONCoding) -> Void = { _ in }) -> EncodingResult {
  var coding = JSONCoding()
  change(&coding)
  return EncodingResult { try coding.encode(value) }
}

/// A value whose encoding is a closure.
struct Encoding: Encodable {
  var body: (any Encoder) throws -> Void

  init(_ body: @escaping (any Encoder) throws -> Void) { self.body = body }

  func encode(to encoder: any Encoder) throws { try body(encoder) }
}
