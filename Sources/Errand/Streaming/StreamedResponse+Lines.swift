import ErrandJSON
import Foundation

/// The body as what it means; each reads it, so one of them is for each response.
extension StreamedResponse {
  /// The body as lines of text, of up to 4,194,304 bytes (4 MiB) each; see ``lines(limit:)``.
  public var lines: Streamed<String> { lines(limit: 4_194_304) }

  /// The body as lines of text, wherever its chunks begin and end.
  ///
  /// A line ends with LF, CR LF or CR, which are no part of it, and nothing else ends one: U+2028 and U+0085 are characters of
  /// the text. What follows the last end is a line too, unless it is empty. Text is UTF-8, where bytes that are not valid become
  /// U+FFFD; or in the charset that the `Content-Type` declares, and then such a line is an error of kind
  /// ``RequestError/Kind/decoding``, as are charsets that are not known and UTF-16 and UTF-32, which are not cut at bytes. A byte
  /// order mark at the beginning is dropped.
  ///
  /// - Parameter limit: how many bytes a line may have without its end. A longer one is an error of kind
  ///   ``RequestError/Kind/limitExceeded``, as soon as so many have come.
  public func lines(limit: Int) -> Streamed<String> {
    Streamed { TextLines(BodyLines(self, ending: .any, limit: limit)) }
  }

  /// The body as lines of JSON, each decoded to a value: JSON Lines, also called NDJSON.
  ///
  /// ```swift
  /// for try await user in try await agent.stream(.get("users.ndjson")).jsonLines(of: User.self) { print(user.name) }
  /// ```
  ///
  /// Values are decoded off the main actor, by the request's ``Request/jsonDecoder`` or ``Request/jsonCoding``, else the agent's. A
  /// line ends with LF or CR LF; blank lines are skipped. The record separators of RFC 7464 (`application/json-seq`) are
  /// skipped, too: each record is then on a line of its own.
  ///
  /// A line that does not fit ends the loop with an error of kind ``RequestError/Kind/decoding``, which says where: `line 3,
  /// column 14: id: expected Int, found a string`. Lines are counted from 1, blank ones too, and columns in bytes. The
  /// `DecodingError` is its ``RequestError/cause``.
  ///
  /// - Parameters:
  ///   - type: what a line is.
  ///   - limit: how many bytes a line may have; 4,194,304 (4 MiB) by default. A longer one is an error of kind
  ///     ``RequestError/Kind/limitExceeded``.
  public func jsonLines<Value: Decodable & Sendable>(
    of type: Value.Type = Value.self, limit: Int = 4_194_304
  ) -> Streamed<Value> {
    Streamed { JSONLines(BodyLines(self, ending: .lineFeed, limit: limit)) }
  }
}

/// The lines of a body as bytes.
final class BodyLines {
  let response: StreamedResponse
  private var chunks: BodyStream.Iterator
  private var splitter: LineSplitter

  init(_ response: StreamedResponse, ending: LineSplitter.Ending, limit: Int) {
    self.response = response
    chunks = response.body.makeAsyncIterator()
    splitter = LineSplitter(ending, limit: limit)
  }

  /// The next line without its end; `nil` when the body has no more.
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

/// Lines as text.
private final class TextLines: ElementSource {
  private let lines: BodyLines
  /// `nil` for UTF-8, in which no byte is invalid.
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
        throw Refusal("a line is not valid in its charset", kind: .decoding)
      }
      return text
    } catch let refusal as Refusal {
      throw lines.response.error(refusal)
    }
  }
}

/// Lines as values.
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
  /// The error of the dispatch, for what its reader made of the bytes.
  func error(_ thrown: any Error) -> any Error {
    if let error = body.error(of: thrown) { return error }
    guard let refusal = thrown as? Refusal else { return thrown }
    var error = RequestError(
      refusal.kind, refusal.message, stage: .decode, response: head, cause: refusal.cause ?? refusal)
    error.isOfElement = true
    if let dispatched = head.link.dispatched as? RequestContext.Dispatched { error.belong(to: dispatched) }
    return error
  }
}

extension RedactionSource {
  /// What decodes JSON for its dispatch; one without settings where it is of none.
  var jsonReader: JSONReader {
    (dispatched as? RequestContext.Dispatched)?.jsonReader ?? JSONCoding().reader
  }
}
