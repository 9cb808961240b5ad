public import Foundation

/// The body of a request: where its bytes come from, their type, and whether they can be sent twice.
public struct RequestBody: Sendable {
  /// Behind one reference, as a request is copied often.
  indirect enum Storage: Sendable {
    case automatic
    case none
    case data(Data, contentType: String?)
    case json(any Encodable & Sendable)
    case stream(length: Int64?, replayable: Bool, contentType: String?, @Sendable () -> BodyStream)
  }

  let storage: Storage

  /// The default of ``Request/body``: derived from ``Request/parameters`` and ``Request/requestSerializer``.
  ///
  /// In an ``HTTPRequest`` it means no body.
  public static let automatic = RequestBody(storage: .automatic)

  /// No body, whatever the parameters say.
  public static let none = RequestBody(storage: .none)

  /// Bytes in memory, sent as they are.
  public static func data(_ data: Data, contentType: String? = nil) -> RequestBody {
    RequestBody(storage: .data(data, contentType: contentType))
  }

  /// Text in UTF-8.
  public static func text(_ text: String, contentType: String = "text/plain; charset=utf-8") -> RequestBody {
    .data(Data(text.utf8), contentType: contentType)
  }

  /// A value encoded by the request's ``Request/jsonEncoder`` or ``Request/jsonCoding``, else the agent's, while the request is
  /// built, so that a failure is an error of the build stage, of kind ``RequestError/Kind/encoding``, and nothing is sent.
  public static func json(_ value: some Encodable & Sendable) -> RequestBody {
    RequestBody(storage: .json(value))
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
      storage: .stream(length: length, replayable: false, contentType: contentType) { source.open() })
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
      storage: .stream(length: length, replayable: true, contentType: contentType) {
        BodyStream(SequenceSource(restart()))
      })
  }
}
