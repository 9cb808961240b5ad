import ErrandJSON
import Foundation

/// Decodes lines of JSON, JSON Lines or NDJSON, to an array.
enum JSONLinesReading<Element: Decodable & Sendable>: BodyReader {
  static var accept: String? { "application/x-ndjson, application/jsonl" }

  /// Decodes every line of a body that is there as a whole.
  ///
  /// Throws a ``Refusal`` of kind ``RequestError/Kind/decoding`` for the first line that does not fit. The refusal says where: `line 3,
  /// column 14: id: expected Int, found a string`. The `DecodingError` is its ``Refusal/cause``.
  static func value(of response: HTTPResponse, context: RequestContext) throws -> [Element] {
    var splitter = LineSplitter(.lineFeed, limit: .max)
    var decoder = JSONLineDecoder(context.dispatched.jsonReader)
    var values: [Element] = []
    splitter.feed(response.body)
    while let line = try splitter.next() {
      if let value: Element = try decoder.value(of: line) { values.append(value) }
    }
    if let line = try splitter.last(), let value: Element = try decoder.value(of: line) {
      values.append(value)
    }
    return values
  }
}

extension ResponseSerializer {
  /// Decodes lines of JSON, JSON Lines or NDJSON, to an array.
  ///
  /// ```swift
  /// var responseSerializer: any ResponseSerializer<[User]> { .jsonLines() }
  /// ```
  ///
  /// Values are decoded by the request's ``Request/jsonDecoder`` or ``Request/jsonCoding``, else by the agent's. A line ends with LF or CR
  /// LF; blank lines are skipped, and so are the record separators of RFC 7464 (`application/json-seq`). An empty body is an empty
  /// array. ``StreamedResponse/jsonLines(of:limit:)`` reads a body as it comes, by the same rules. Lines are counted from 1 in errors, blank ones too, and columns in bytes.
  public static func jsonLines<Element: Decodable>() -> StandardSerializer<[Element]>
  where Self == StandardSerializer<[Element]> {
    StandardSerializer(reader: JSONLinesReading<Element>.self)
  }
}

/// Decodes the lines of a body, one after another, and counts them.
struct JSONLineDecoder {
  private static let recordSeparator: UInt8 = 0x1E

  private let reader: JSONReader
  private var number = 0

  init(_ reader: JSONReader) { self.reader = reader }

  /// The value of the next line; `nil` where it is blank.
  ///
  /// Throws a ``Refusal`` that says where in the body it is.
  mutating func value<Value: Decodable>(of line: ArraySlice<UInt8>) throws -> Value? {
    number += 1
    let text = Data(line.drop { $0 == Self.recordSeparator })
    if text.allSatisfy(ASCII.isWhitespace) { return nil }
    do {
      return try reader.decode(from: text)
    } catch {
      throw refusal(error, of: text, after: line.count - text.count)
    }
  }

  /// - Parameter count: of the bytes of the line that are before the text.
  private func refusal(_ error: any Error, of text: Data, after count: Int) -> Refusal {
    var (place, reason) = ("line \(number)", "\(error)")
    if let error = error as? DecodingError {
      if let column = error.jsonPosition?.column { place += ", column \(column + count)" }
      reason =
        error.jsonSyntaxError.map { "it is not JSON: \(JSONSyntaxError($0.reason, at: nil))" }
        ?? error.explained(by: text, as: "it", reader: reader).clauseWithoutPlace
    }
    return Refusal("\(place): \(reason)", kind: .decoding, cause: error)
  }
}
