package import ErrandJSON
public import Foundation

/// The body of a request.
public struct RequestBody: Sendable {
  /// Indirect, because requests are copied often, and a copy should be cheap.
  indirect enum Storage: Sendable {
    case automatic
    case none
    case data(Data, contentType: String?)
    case json(any Encodable & Sendable)
    case provided(any BodyProvider)
  }

  let storage: Storage

  /// The default: a body made of the parameters of the request and the agent.
  ///
  /// `GET`, `HEAD` and `DELETE` requests have no automatic body. In an ``HTTPRequest``, `automatic` means no
  /// body.
  public static let automatic = RequestBody(storage: .automatic)

  /// No body.
  public static let none = RequestBody(storage: .none)

  /// Returns a body of bytes in memory.
  public static func data(_ data: Data, contentType: String? = nil) -> RequestBody {
    RequestBody(storage: .data(data, contentType: contentType))
  }

  /// Returns a body of text in UTF-8.
  public static func text(_ text: String, contentType: String = "text/plain; charset=utf-8") -> RequestBody {
    .data(Data(text.utf8), contentType: contentType)
  }

  /// Returns a body that Errand encodes as JSON before sending.
  public static func json(_ value: some Encodable & Sendable) -> RequestBody {
    RequestBody(storage: .json(value))
  }

  /// The `Content-Type` to send by default.
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
    /// Chunks; the length is `nil` if unknown.
    case stream(BodyStream, length: Int64?)
  }

  /// The content to send; `.none` for a `.json` value that is not encoded yet.
  public var content: Content {
    switch storage {
    case .automatic, .none, .json: .none
    case .data(let data, _): .data(data)
    case .provided(let provider): provider.content
    }
  }

  /// The bytes of a body made of data or text; otherwise `nil`.
  public var data: Data? { if case .data(let data, _) = storage { data } else { nil } }

  /// The number of bytes; `nil` if unknown.
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

  /// True if the body can be sent again.
  public var isReplayable: Bool {
    if case .provided(let provider) = storage { provider.isReplayable } else { true }
  }

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

  /// A stream of the bytes; `nil` if the body cannot be sent again.
  ///
  /// The stream is empty for a `.json` value that is not encoded yet.
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
  /// A summary, such as `512 bytes`.
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

  /// The text fields of a multipart form: UTF-8 values of up to 64 KiB, without files.
  var fields: [(name: String, value: String)] {
    (provider?.formParts ?? []).compactMap { part in
      guard let data = part.body.data, data.count <= 65_536, part.filename == nil, let name = part.name,
        let text = Charset.utf8.decode(data)
      else { return nil }
      return (name, text)
    }
  }
}
