public import Foundation

/// The body of a request: where its bytes come from, their type, and whether they can be sent twice.
public struct RequestBody: Sendable {
  enum Storage: Sendable {
    case automatic
    case none
    case data(Data)
    case json(any Encodable & Sendable)
    case stream(length: Int64?, replayable: Bool, @Sendable () -> BodyStream)
  }

  let storage: Storage
  /// The `Content-Type` sent unless the headers have one; `nil` sends none.
  public let contentType: String?

  /// The default of ``Request/body``: derived from ``Request/parameters`` and ``Request/requestSerializer``.
  ///
  /// In an ``HTTPRequest`` it means no body.
  public static let automatic = RequestBody(storage: .automatic, contentType: nil)

  /// No body, whatever the parameters say.
  public static let none = RequestBody(storage: .none, contentType: nil)

  /// Bytes in memory, sent as they are.
  public static func data(_ data: Data, contentType: String? = nil) -> RequestBody {
    RequestBody(storage: .data(data), contentType: contentType)
  }

  /// Text in UTF-8.
  public static func text(_ text: String, contentType: String = "text/plain; charset=utf-8") -> RequestBody {
    RequestBody(storage: .data(Data(text.utf8)), contentType: contentType)
  }

  /// A value encoded by the agent's `JSONEncoder` while the request is built, so that a failure is an error of the
  /// build stage, of kind ``RequestError/Kind/encoding``, and nothing is sent.
  public static func json(_ value: some Encodable & Sendable) -> RequestBody {
    RequestBody(storage: .json(value), contentType: "application/json")
  }

  /// Chunks that can be produced once: such a request is never sent a second time, so it is not retried.
  ///
  /// A second dispatch of the same value fails with ``RequestError/Kind/encoding``; it never sends an empty body.
  ///
  /// - Parameters:
  ///   - chunks: the body; iterated once.
  ///   - length: the number of bytes; `nil` when it is not known, which sends the body in chunks.
  ///   - contentType: the media type; `nil` sends none.
  public static func stream<Chunks: AsyncSequence & Sendable>(
    _ chunks: Chunks, length: Int64? = nil, contentType: String? = nil
  ) -> RequestBody where Chunks.Element == Data {
    let source = SingleUseSource(SequenceSource(chunks))
    return RequestBody(
      storage: .stream(length: length, replayable: false) { source.open() }, contentType: contentType)
  }

  /// Chunks that can be produced again.
  ///
  /// - Parameters:
  ///   - length: the number of bytes; `nil` when it is not known, which sends the body in chunks.
  ///   - contentType: the media type; `nil` sends none.
  ///   - restart: gives the body from its beginning; called for each attempt.
  public static func stream<Chunks: AsyncSequence & Sendable>(
    length: Int64? = nil, contentType: String? = nil, restart: @escaping @Sendable () -> Chunks
  ) -> RequestBody where Chunks.Element == Data {
    RequestBody(
      storage: .stream(length: length, replayable: true) { BodyStream(SequenceSource(restart())) },
      contentType: contentType)
  }
}
