import ErrandJSON
import Foundation

/// Sequences that read the body of a streamed response. Use a single sequence per response.
extension StreamedResponse {
  /// The body as lines of text.
  ///
  /// A line may have up to 4 MiB; see ``lines(limit:)``.
  public var lines: Streamed<String> { lines(limit: 4_194_304) }

  /// Returns the body as lines of text.
  ///
  /// The charset comes from `Content-Type`. The default is UTF-8. UTF-16, UTF-32 and unknown charsets are
  /// errors of kind ``RequestError/Kind/decoding``.
  ///
  /// - Parameter limit: The maximum number of bytes in a line. A longer line is an error of kind
  ///   ``RequestError/Kind/limitExceeded``.
  public func lines(limit: Int) -> Streamed<String> {
    Streamed { TextLines(BodyLines(self, ending: .any, limit: limit)) }
  }

  /// Returns the values of JSON Lines, also called NDJSON.
  ///
  /// ```swift
  /// let response = try await agent.stream(.get("users.ndjson"))
  /// for try await user in response.jsonLines(of: User.self) { print(user.name) }
  /// ```
  ///
  /// Values are decoded off the main actor. Blank lines are skipped. A decoding error states the line number.
  ///
  /// - Parameters:
  ///   - type: The type of the values.
  ///   - limit: The largest number of bytes in a line; 4 MiB by default.
  public func jsonLines<Value: Decodable & Sendable>(
    of type: Value.Type = Value.self, limit: Int = 4_194_304
  ) -> Streamed<Value> {
    Streamed { JSONLines(BodyLines(self, ending: .lineFeed, limit: limit)) }
  }
}

final class BodyLines {
  let response: StreamedResponse
  private var chunks: BodyStream.Iterator
  private var splitter: LineSplitter

  init(_ response: StreamedResponse, ending: LineSplitter.Ending, limit: Int) {
    self.response = response
    chunks = response.body.makeAsyncIterator()
    splitter = LineSplitter(ending, limit: limit)
  }

  func next() async throws -> ArraySlice<UInt8>? {
    while true {
      do {
        if let line = try splitter.next() { return line }
      } catch {
        throw response.error(error)
      }
      guard let chunk = try await chunks.next() else { return try splitter.last() }
      splitter.feed(chunk)
    }
  }
}

private final class TextLines: ElementSource {
  private let lines: BodyLines
  /// `nil`: UTF-8.
  private let charset: Result<Charset, Refusal>?

  init(_ lines: BodyLines) {
    self.lines = lines
    charset = MediaType(of: lines.response.head.headers)?["charset"].flatMap(Self.charset)
  }

  private static func charset(named name: String) -> Result<Charset, Refusal>? {
    let refused = "the charset \(name.debugDescription)"
    switch name.isEmpty ? .utf8 : Charset(name) {
    case .utf8: return nil
    case .foundation(let encoding): return .success(.foundation(encoding))
    case nil: return .failure(Refusal("\(refused) is not known", kind: .decoding))
    default: return .failure(Refusal("\(refused) cannot be read line by line", kind: .decoding))
    }
  }

  func next() async throws -> String? {
    guard let charset else {
      return try await lines.next().map { String(decoding: $0, as: UTF8.self) }
    }
    do {
      let charset = try charset.get()
      guard let line = try await lines.next() else { return nil }
      guard let text = charset.decode(Data(line)) else {
        throw Refusal("a line is not valid in the declared charset", kind: .decoding)
      }
      return text
    } catch let refusal as Refusal {
      throw lines.response.error(refusal)
    }
  }
}

private final class JSONLines<Value: Decodable & Sendable>: ElementSource {
  private let lines: BodyLines
  private var decoder: JSONLineDecoder

  init(_ lines: BodyLines) {
    self.lines = lines
    decoder = JSONLineDecoder(lines.response.head.link.jsonReader)
  }

  func next() async throws -> Value? {
    while let line = try await lines.next() {
      do {
        if let value: Value = try decoder.value(of: line) { return value }
      } catch {
        throw lines.response.error(error)
      }
    }
    return nil
  }
}

extension StreamedResponse {
  /// Converts an error to a ``RequestError``, if possible.
  func error(_ thrown: any Error) -> any Error {
    if let error = body.error(of: thrown) { return error }
    guard let refusal = thrown as? Refusal else { return thrown }
    var error = RequestError(
      refusal.kind, refusal.message, stage: .decode, response: head, cause: refusal.cause ?? refusal)
    error.isElementFailure = true
    if let dispatched = head.link.dispatched as? RequestContext.Dispatched { error.belong(to: dispatched) }
    return error
  }
}

extension RedactionSource {
  var jsonReader: JSONReader {
    (dispatched as? RequestContext.Dispatched)?.jsonReader ?? JSONCoding().reader
  }
}
