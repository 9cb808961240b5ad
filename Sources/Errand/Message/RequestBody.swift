package import ErrandJSON
public import Foundation

/// The body of a request: the source of its bytes, their type, and whether the bytes can be sent twice.
public struct RequestBody: Sendable {
  /// The storage behind a single reference, because requests are copied often.
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
  /// In an ``HTTPRequest``, the value means no body.
  public static let automatic = RequestBody(storage: .automatic)

  /// No body, regardless of the parameters.
  public static let none = RequestBody(storage: .none)

  /// Returns a body of bytes in memory, sent unchanged.
  public static func data(_ data: Data, contentType: String? = nil) -> RequestBody {
    RequestBody(storage: .data(data, contentType: contentType))
  }

  /// Returns a body of UTF-8 text.
  public static func text(_ text: String, contentType: String = "text/plain; charset=utf-8") -> RequestBody {
    .data(Data(text.utf8), contentType: contentType)
  }

  /// Returns a body with a JSON value.
  ///
  /// The request's ``Request/jsonEncoder`` or ``Request/jsonCoding`` encodes the value, or else the agent's
  /// coding, while the request is built. A failure is an error of the build stage, of kind
  /// ``RequestError/Kind/encoding``.
  public static func json(_ value: some Encodable & Sendable) -> RequestBody {
    RequestBody(storage: .json(value))
  }

  /// The `Content-Type` sent unless the headers have one; `nil` sends none.
  public var contentType: String? {
    switch storage {
    case .automatic, .none: nil
    case .json: "application/json"
    case .data(_, let contentType): contentType
    case .provided(let provider): provider.contentType
    }
  }

  /// The content for a transport.
  public enum Content: Sendable {
    /// No body.
    case none
    /// Bytes in memory.
    case data(Data)
    /// Chunks to be pulled one after another; the length is `nil` when it is not known.
    case stream(BodyStream, length: Int64?)
  }

  /// The bytes to send now; a replayable stream or file starts anew at each call.
  public var content: Content {
    switch storage {
    case .automatic, .none, .json: .none
    case .data(let data, _): .data(data)
    case .provided(let provider): provider.content
    }
  }

  /// The bytes, when they are in memory as one piece; `nil` for a stream, a file, a document of parts, and for no body.
  ///
  /// A hook that signs a request reads them here; a `.json` value has been encoded by then.
  public var data: Data? { if case .data(let data, _) = storage { data } else { nil } }

  /// The number of bytes: 0 for no body, `nil` for a stream that does not know it and a file that cannot be read.
  public var length: Int64? {
    switch storage {
    case .automatic, .none: 0
    case .data(let data, _): Int64(data.count)
    case .json: nil
    case .provided(let provider): provider.length
    }
  }

  /// The bytes that it keeps in memory; none of a stream and a file.
  package var memorySize: Int {
    switch storage {
    case .automatic, .none, .json: 0
    case .data(let data, _): data.count
    case .provided(let provider): provider.memorySize
    }
  }

  /// Whether the same bytes can be sent a second time.
  public var isReplayable: Bool {
    if case .provided(let provider) = storage { provider.isReplayable } else { true }
  }

  /// Whether there is anything to send.
  package var isEmpty: Bool {
    switch storage {
    case .automatic, .none: true
    case .data(let data, _): data.isEmpty
    case .json, .provided: false
    }
  }

  /// What makes the bytes, where they are not one piece of memory.
  var provider: (any BodyProvider)? { if case .provided(let provider) = storage { provider } else { nil } }

  /// Whether the bytes are not one piece of memory: a stream, a file, a document of parts.
  package var isProvided: Bool { provider != nil }

  /// Whether the parameters make the body.
  var isAutomatic: Bool { if case .automatic = storage { true } else { false } }

  /// The bytes for one who reads them before they are sent, such as a signature's digest; `nil` for a body that can be
  /// produced only once.
  ///
  /// A body in memory is one chunk; a replayable stream is produced anew. Errand has no digest of its own: take the one of
  /// your platform's cryptography.
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
  /// What it is and how long, never the bytes.
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
  /// The body with a pending JSON value encoded, and with its files looked at.
  package func prepared(by coding: () -> JSONCoding) throws -> RequestBody {
    switch storage {
    case .automatic, .none, .data: self
    case .json(let value): .data(try coding().encode(value), contentType: contentType)
    case .provided(let provider): RequestBody(storage: .provided(try provider.prepared(by: coding)))
    }
  }

  /// The fields of a form of parts that are short text, and no files.
  var fields: [(name: String, value: String)] {
    (provider?.formParts ?? []).compactMap { part in
      guard let data = part.body.data, data.count <= 65_536, part.filename == nil, let name = part.name,
        let text = Charset.utf8.decode(data)
      else { return nil }
      return (name, text)
    }
  }
}
