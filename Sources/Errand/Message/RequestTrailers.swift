public import Foundation

/// Fields that follow the body of a request (RFC 9110 section 6.5): known before, or computed once the body has been sent.
///
///     var trailers: RequestTrailers { ["X-Batch": "7"] }
///     var trailers: RequestTrailers {
///       .computed(names: ["X-Length"], from: 0, adding: { $0 += $1.count }) { ["X-Length": "\($0)"] }
///     }
///
/// A request with trailers is sent over HTTP/1.1 in chunks, also where its body is empty or of known length, as nothing else
/// carries them there (RFC 9112 section 7.1.2). What is computed is computed anew for each sending: by retries, redirects
/// and signatures that follow. The header `Trailer` names them, where the names are known and the headers have none.
///
/// A field that frames, routes, controls or authenticates a request, or says what its body is, is refused with
/// ``RequestError/Kind/invalidRequest`` (RFC 9110 section 6.5.1): before anything is sent, and where it was computed by the end of the
/// attempt. A transport without ``TransportCapabilities/sendsTrailers`` fails with ``RequestError/Kind/unsupported`` before
/// anything is sent. Printing trailers hides secrets; see ``Redaction``.
public struct RequestTrailers: Sendable {
  /// Behind one reference, as a request is copied often; `nil` for none.
  private let storage: Storage?

  private final class Storage: Sendable {
    let fields: HTTPHeaders
    let names: [String]
    /// Begins to compute; `nil` where the fields are known.
    let begin: (@Sendable () -> any TrailerMaker)?

    init(_ fields: HTTPHeaders, names: [String], begin: (@Sendable () -> any TrailerMaker)? = nil) {
      (self.fields, self.names, self.begin) = (fields, names, begin)
    }
  }

  private init(_ storage: Storage?) { self.storage = storage }

  /// No trailers.
  public static let none = RequestTrailers(Optional<Storage>.none)

  /// Makes trailers of fields that are known before; of none where there are none.
  public init(_ fields: HTTPHeaders) {
    var names: [String] = []
    for field in fields.fields where !names.contains(where: { HTTPHeaders.same($0, field.name) }) {
      names.append(field.name)
    }
    storage = fields.fields.isEmpty ? nil : Storage(fields, names: names)
  }

  /// Trailers that are computed after the last byte of the body.
  ///
  /// - Parameters:
  ///   - names: what the header `Trailer` announces; nothing by default. Others may come.
  ///   - fields: called once for each time the body is sent, off the main actor, in a task that is cancelled with the transfer; the
  ///     request waits for it. What it throws ends the attempt, as what a body stream throws does.
  public static func computed(
    names: [String] = [], _ fields: @escaping @Sendable () async throws -> HTTPHeaders
  ) -> RequestTrailers {
    RequestTrailers(Storage(HTTPHeaders(), names: names) { TrailerCall(fields) })
  }

  /// Trailers that are computed of the bytes of the body, such as their checksum.
  ///
  ///     .computed(names: ["X-SHA256"], from: SHA256(), adding: { $0.update(data: $1) }) { sum in
  ///       ["X-SHA256": hex(sum.finalize())]
  ///     }
  ///
  /// - Parameters:
  ///   - names: what the header `Trailer` announces; nothing by default. Others may come.
  ///   - start: what a sending of the body begins with; made for each, so that several at once do not meet.
  ///   - add: gets each chunk as it is sent, after any compression, in order, off the main actor; the pieces may be of any size.
  ///   - fields: gets what came of it after the last byte, as in ``computed(names:_:)``.
  public static func computed<Sum: Sendable>(
    names: [String] = [], from start: @autoclosure @escaping @Sendable () -> Sum,
    adding add: @escaping @Sendable (inout Sum, Data) -> Void,
    fields: @escaping @Sendable (Sum) async throws -> HTTPHeaders
  ) -> RequestTrailers {
    RequestTrailers(Storage(HTTPHeaders(), names: names) { TrailerSum(start(), adding: add, making: fields) })
  }

  /// Those that are known before; empty where they are computed.
  public var fields: HTTPHeaders { storage?.fields ?? HTTPHeaders() }
  /// The names that the header `Trailer` announces.
  public var names: [String] { storage?.names ?? [] }
  /// Whether there are none, known or computed.
  public var isEmpty: Bool { storage == nil }
  /// Whether they are known only once the body has been sent.
  public var isComputed: Bool { storage?.begin != nil }

  /// What the header `Trailer` says; `nil` where no names are known.
  var announcement: String? { names.isEmpty ? nil : names.joined(separator: ", ") }

  /// Whether both are the same value, not only equal.
  func isIdentical(to other: RequestTrailers) -> Bool { storage === other.storage }

  /// Begins to compute them for one sending of the body; `nil` where there are none.
  func begin() -> (any TrailerMaker)? {
    guard let storage else { return nil }
    return storage.begin?() ?? TrailerCall { storage.fields }
  }

  /// The same without the fields that do not pass, also of those that are computed later.
  func filtered(_ passes: @escaping @Sendable (HTTPHeaders.Field) -> Bool) -> RequestTrailers {
    guard let storage else { return self }
    guard let begin = storage.begin else { return RequestTrailers(HTTPHeaders(fields.fields.filter(passes))) }
    let names = names.filter { passes(HTTPHeaders.Field(name: $0, value: "")) }
    return RequestTrailers(Storage(HTTPHeaders(), names: names) { FilteredTrailers(begin(), passes: passes) })
  }
}

extension RequestTrailers: ExpressibleByDictionaryLiteral {
  /// Makes trailers of a literal; a name written twice stays twice.
  public init(dictionaryLiteral elements: (String, String)...) {
    self.init(HTTPHeaders(elements.map { HTTPHeaders.Field(name: $0.0, value: $0.1) }))
  }
}

/// Computes the trailers of one sending of a body; has one user, one call at a time.
protocol TrailerMaker: AnyObject, Sendable {
  /// Takes the next bytes of the body.
  func add(_ chunk: Data)
  /// The trailers, after the last byte.
  func fields() async throws -> HTTPHeaders
}

/// Trailers that have nothing to do with the bytes.
private final class TrailerCall: TrailerMaker {
  private let make: @Sendable () async throws -> HTTPHeaders

  init(_ make: @escaping @Sendable () async throws -> HTTPHeaders) { self.make = make }

  func add(_ chunk: Data) {}
  func fields() async throws -> HTTPHeaders { try await make() }
}

/// Trailers that are computed of the bytes.
private final class TrailerSum<Sum: Sendable>: TrailerMaker, @unchecked Sendable {
  // Guard of `sum`: it has one user, one call at a time.
  private var sum: Sum
  private let adding: @Sendable (inout Sum, Data) -> Void
  private let make: @Sendable (Sum) async throws -> HTTPHeaders

  init(
    _ sum: Sum, adding: @escaping @Sendable (inout Sum, Data) -> Void,
    making make: @escaping @Sendable (Sum) async throws -> HTTPHeaders
  ) {
    (self.sum, self.adding, self.make) = (sum, adding, make)
  }

  func add(_ chunk: Data) { adding(&sum, chunk) }
  func fields() async throws -> HTTPHeaders { try await make(sum) }
}

/// Trailers of which some are left out.
private final class FilteredTrailers: TrailerMaker {
  private let whole: any TrailerMaker
  private let passes: @Sendable (HTTPHeaders.Field) -> Bool

  init(_ whole: any TrailerMaker, passes: @escaping @Sendable (HTTPHeaders.Field) -> Bool) {
    (self.whole, self.passes) = (whole, passes)
  }

  func add(_ chunk: Data) { whole.add(chunk) }
  func fields() async throws -> HTTPHeaders {
    HTTPHeaders(try await whole.fields().fields.filter(passes))
  }
}

extension HTTPRequest {
  /// Names the trailers in the header `Trailer`, unless it says something else than was said of those of before.
  mutating func announceTrailers(inPlaceOf before: RequestTrailers) {
    let present = headers["Trailer"]
    guard present == nil || present == before.announcement, present != trailers.announcement else { return }
    headers["Trailer"] = trailers.announcement
  }
}
