import ErrandJSON
import Foundation

enum JSONLinesReading<Element: Decodable & Sendable>: BodyReader {
  static var accept: String? { "application/x-ndjson, application/jsonl" }

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
  /// Decodes JSON Lines or NDJSON to an array.
  ///
  /// ```swift
  /// var responseSerializer: any ResponseSerializer<[User]> { .jsonLines() }
  /// ```
  ///
  /// Blank lines are skipped. For a streamed body, use ``StreamedResponse/jsonLines(of:limit:)``.
  public static func jsonLines<Element: Decodable>() -> StandardSerializer<[Element]>
  where Self == StandardSerializer<[Element]> {
    StandardSerializer(reader: JSONLinesReading<Element>.self)
  }
}

struct JSONLineDecoder {
  private static let recordSeparator: UInt8 = 0x1E

  private let reader: JSONReader
  private var number = 0

  init(_ reader: JSONReader) { self.reader = reader }

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

  /// `count` is the number of bytes before `text` in the line.
  private func refusal(_ error: any Error, of text: Data, after count: Int) -> Refusal {
    var (place, reason) = ("line \(number)", "\(error)")
    if let error = error as? DecodingError {
      if let column = error.jsonPosition?.column { place += ", column \(column + count)" }
      reason =
        error.jsonSyntaxError.map { "the line is not JSON: \(JSONSyntaxError($0.reason, at: nil))" }
        ?? error.explained(by: text, as: "the line", reader: reader).clauseWithoutPlace
    }
    return Refusal("\(place): \(reason)", kind: .decoding, cause: error)
  }
}
