package import ErrandJSON
public import Foundation

/// The body of a request.
public struct RequestBody: Sendable {
  /// Indirect, because requests are copied often.
  indirect enum Storage: Sendable {
    case automatic
    case none
    case data(Data, contentType: String?)
    case json(any Encodable & Sendable)
    case provided(any BodyProvider)
  }

  let storage: Storage

  /// The default of ``Request/body``: derived from ``Request/parameters`` and ``Request/requestSerializer``.
  ///
  /// In an ``HTTPRequest``, `automatic` means no body.
  public static let automatic = RequestBody(storage: .automatic)

  /// No body; any ``Request/parameters`` are sent in the query.
  public static let none = RequestBody(storage: .none)

  /// Returns a body of bytes in memory, sent unchanged.
  public static func data(_ data: Data, contentType: String? = nil) -> RequestBody {
    RequestBody(storage: .data(data, contentType: contentType))
  }

  /// Returns a body of text in UTF-8.
  public static func text(_ text: String, contentType: String = "text/plain; charset=utf-8") -> RequestBody {
    .data(Data(text.utf8), contentType: contentType)
  }

  /// Returns a body of a value, encoded as JSON by the dispatch.
  ///
  /// The request's ``Request/jsonEncoder`` or ``Request/jsonCoding`` encodes the value, or else the agent's
  /// coding. If the encoding fails, the error usually has the kind ``RequestError/Kind/encoding``.
  public static func json(_ value: some Encodable & Sendable) -> RequestBody {
    RequestBody(storage: .json(value))
  }

  /// The `Content-Type` to send if the headers have no such field; `nil` sends no field.
  public var contentType: String? {
    switch storage {
    case .automatic, .none: nil
    case .json: "application/json"
    case .data(_, let contentType): contentType
    case .provided(let provider): provider.contentType
    }
  }

  /// The content that a transport sends.
  public enum Content: Sendable {
    /// No body.
    case none
    /// Bytes in memory.
    case data(Data)
    /// A stream of chunks; the length in bytes is `nil` if unknown.
    case stream(BodyStream, length: Int64?)
  }

  /// The content to send; each access to a replayable stream or file starts at the first byte.
  public var content: Content {
    switch storage {
    case .automatic, .none, .json: .none
    case .data(let data, _): .data(data)
    case .provided(let provider): provider.content
    }
  }

  /// The bytes of a body in memory; `nil` for a stream, a file, and a multipart or gzip body.
  ///
  /// `nil` also for no body, and for a `.json` value not encoded yet.
  public var data: Data? { if case .data(let data, _) = storage { data } else { nil } }

  /// The number of bytes; 0 for no body, `nil` if unknown.
  public var length: Int64? {
    switch storage {
    case .automatic, .none: 0
    case .data(let data, _): Int64(data.count)
    case .json: nil
    case .provided(let provider): provider.length
    }
  }

  package var memorySize: Int {
    switch storage {
    case .automatic, .none, .json: 0
    case .data(let data, _): data.count
    case .provided(let provider): provider.memorySize
    }
  }

  /// True if the body can be sent a second time.
  public var isReplayable: Bool {
    if case .provided(let provider) = storage { provider.isReplayable } else { true }
  }

  /// True for no body and for empty data.
  package var isEmpty: Bool {
    switch storage {
    case .automatic, .none: true
    case .data(let data, _): data.isEmpty
    case .json, .provided: false
    }
  }

  package var isInMemory: Bool { isEmpty || data != nil }

  var provider: (any BodyProvider)? { if case .provided(let provider) = storage { provider } else { nil } }

  package var isProvided: Bool { provider != nil }

  package var isAutomatic: Bool { if case .automatic = storage { true } else { false } }

  /// A stream of the bytes; `nil` if the body cannot be sent twice.
  ///
  /// Empty for a `.json` value not encoded yet.
  public var replay: BodyStream? {
    guard isReplayable else { return nil }
    return switch content {
    case .none: BodyStream(Data())
    case .data(let data): BodyStream(data)
    case .stream(let stream, _): stream
    }
  }
}

extension RequestBody: PrintedByDescription {
  /// A summary of the body, such as `512 bytes`; never the bytes.
  public var description: String {
    switch storage {
    case .automatic: "automatic"
    case .none: "none"
    case .data(let data, _): "\(data.count) bytes"
    case .json: "JSON, not encoded yet"
    case .provided(let provider): provider.summary.printed
    }
  }
}

extension RequestBody {
  package func prepared(by coding: () -> JSONCoding) throws -> RequestBody {
    switch storage {
    case .automatic, .none, .data: self
    case .json(let value): .data(try coding().encode(value), contentType: contentType)
    case .provided(let provider): RequestBody(storage: .provided(try provider.prepared(by: coding)))
    }
  }

  /// The text fields of a multipart form, without files and values of more than 64 KiB.
  var fields: [(name: String, value: String)] {
    (provider?.formParts ?? []).compactMap { part in
      guard let data = part.body.data, data.count <= 65_536, part.filename == nil, let name = part.name,
        let text = Charset.utf8.decode(data)
      else { return nil }
      return (name, text)
    }
  }
}
