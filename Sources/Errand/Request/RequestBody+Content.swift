public import Foundation

extension RequestBody {
  /// The `Content-Type` sent unless the headers have one; `nil` sends none.
  public var contentType: String? {
    switch storage {
    case .automatic, .none: nil
    case .json: "application/json"
    case .data(_, let contentType), .stream(_, _, let contentType, _): contentType
    }
  }

  /// What a transport sends.
  public enum Content: Sendable {
    /// No body.
    case none
    /// Bytes in memory.
    case data(Data)
    /// Chunks to be pulled one after another; the length is `nil` when it is not known.
    case stream(BodyStream, length: Int64?)
  }

  /// The bytes to send now; a replayable stream starts anew at each call.
  public var content: Content {
    switch storage {
    case .automatic, .none, .json: .none
    case .data(let data, _): .data(data)
    case .stream(let length, _, _, let open): .stream(open(), length: length)
    }
  }

  /// The bytes, when they are in memory; `nil` for a stream and for no body.
  ///
  /// A hook that signs a request reads them here; a `.json` value has been encoded by then.
  public var data: Data? { if case .data(let data, _) = storage { data } else { nil } }

  /// The number of bytes: 0 for no body, `nil` for a stream that does not know it.
  public var length: Int64? {
    switch storage {
    case .automatic, .none: 0
    case .data(let data, _): Int64(data.count)
    case .json: nil
    case .stream(let length, _, _, _): length
    }
  }

  /// Whether the same bytes can be sent a second time.
  public var isReplayable: Bool {
    if case .stream(_, let replayable, _, _) = storage { replayable } else { true }
  }

  /// Whether there is anything to send.
  var isEmpty: Bool {
    switch storage {
    case .automatic, .none: true
    case .data(let data, _): data.isEmpty
    case .json, .stream: false
    }
  }

  /// Whether the parameters make the body.
  var isAutomatic: Bool { if case .automatic = storage { true } else { false } }

  /// The body with a pending JSON value encoded.
  func encoded(by coding: @autoclosure () -> JSONCoding) throws -> RequestBody {
    guard case .json(let value) = storage else { return self }
    return .data(try coding().encode(value), contentType: contentType)
  }
}

extension RequestBody: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// What it is and how long, never the bytes.
  public var description: String {
    switch storage {
    case .automatic: "automatic"
    case .none: "none"
    case .data(let data, _): "\(data.count) bytes"
    case .json: "JSON, not encoded yet"
    case .stream(let length, _, _, _): length.map { "stream of \($0) bytes" } ?? "stream of unknown length"
    }
  }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// Shows `dump` no bytes.
  public var customMirror: Mirror { Mirror(self, unlabeledChildren: [description]) }
}
