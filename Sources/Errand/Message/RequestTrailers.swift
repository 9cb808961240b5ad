public import Foundation

/// Fields after the body of a request (RFC 9110 section 6.5).
///
///     var trailers: RequestTrailers { ["X-Batch": "7"] }
///     var trailers: RequestTrailers {
///       .computed(names: ["X-Length"], from: 0, adding: { $0 += $1.count }) { ["X-Length": "\($0)"] }
///     }
///
/// Fields such as `Host` and `Authorization` are refused with ``RequestError/Kind/invalidRequest`` (RFC 9110
/// section 6.5.1). If the transport lacks ``TransportCapabilities/sendsTrailers``, a request with trailers
/// fails with ``RequestError/Kind/unsupported``.
public struct RequestTrailers: Sendable {
  /// A reference, so that copies of requests are cheap.
  private let storage: Storage?

  private final class Storage: Sendable {
    let fields: HTTPHeaders
    let names: [String]
    let makeComputation: (@Sendable () -> any TrailerMaker)?

    init(_ fields: HTTPHeaders, names: [String], makeComputation: (@Sendable () -> any TrailerMaker)? = nil) {
      (self.fields, self.names, self.makeComputation) = (fields, names, makeComputation)
    }
  }

  private init(_ storage: Storage?) { self.storage = storage }

  /// No trailers.
  public static let none = RequestTrailers(Optional<Storage>.none)

  /// Creates trailers from known fields.
  public init(_ fields: HTTPHeaders) {
    var names: [String] = []
    for field in fields.fields where !names.contains(where: { HTTPHeaders.same($0, field.name) }) {
      names.append(field.name)
    }
    storage = fields.fields.isEmpty ? nil : Storage(fields, names: names)
  }

  /// Returns trailers computed after the last byte of the body.
  ///
  /// - Parameters:
  ///   - names: The names for the header `Trailer`; empty by default.
  ///   - fields: Returns the trailers. Runs off the main actor, unless marked with an actor. Runs again if
  ///     the body is sent again. A thrown error ends the attempt.
  public static func computed(
    names: [String] = [], _ fields: @escaping @Sendable () async throws -> HTTPHeaders
  ) -> RequestTrailers {
    RequestTrailers(Storage(HTTPHeaders(), names: names) { TrailerCall(fields) })
  }

  /// Returns trailers computed from the bytes of the body, such as a checksum.
  ///
  ///     .computed(names: ["X-SHA256"], from: SHA256(), adding: { $0.update(data: $1) }) { sum in
  ///       ["X-SHA256": hex(sum.finalize())]
  ///     }
  ///
  /// - Parameters:
  ///   - names: The names for the header `Trailer`; empty by default.
  ///   - start: The initial value, created each time the body is sent.
  ///   - add: Adds a chunk of the body, after compression. The chunks come in order. Runs off the main actor.
  ///   - fields: Returns the trailers for the final value; see ``computed(names:_:)``.
  public static func computed<Sum: Sendable>(
    names: [String] = [], from start: @autoclosure @escaping @Sendable () -> Sum,
    adding add: @escaping @Sendable (inout Sum, Data) -> Void,
    fields: @escaping @Sendable (Sum) async throws -> HTTPHeaders
  ) -> RequestTrailers {
    RequestTrailers(Storage(HTTPHeaders(), names: names) { TrailerSum(start(), adding: add, making: fields) })
  }

  /// Fields known in advance.
  public var fields: HTTPHeaders { storage?.fields ?? HTTPHeaders() }
  /// The names for the header `Trailer`.
  public var names: [String] { storage?.names ?? [] }
  /// True if there are no trailers.
  public var isEmpty: Bool { storage == nil }
  /// True for computed trailers.
  public var isComputed: Bool { storage?.makeComputation != nil }

  var announcement: String? { names.isEmpty ? nil : names.joined(separator: ", ") }

  func isIdentical(to other: RequestTrailers) -> Bool { storage === other.storage }

  func makeComputation() -> (any TrailerMaker)? {
    guard let storage else { return nil }
    return storage.makeComputation?() ?? TrailerCall { storage.fields }
  }

  func filtered(_ passes: @escaping @Sendable (HTTPHeaders.Field) -> Bool) -> RequestTrailers {
    guard let storage else { return self }
    guard let makeComputation = storage.makeComputation else {
      return RequestTrailers(HTTPHeaders(fields.fields.filter(passes)))
    }
    let names = names.filter { passes(HTTPHeaders.Field(name: $0, value: "")) }
    return RequestTrailers(
      Storage(HTTPHeaders(), names: names) { FilteredTrailers(makeComputation(), passes: passes) })
  }
}

extension RequestTrailers: ExpressibleByDictionaryLiteral {
  /// Creates trailers from a literal.
  public init(dictionaryLiteral elements: (String, String)...) {
    self.init(HTTPHeaders(elements.map { HTTPHeaders.Field(name: $0.0, value: $0.1) }))
  }
}

/// Makes the trailers for a single transmission of a body.
///
/// Calls never overlap.
protocol TrailerMaker: AnyObject, Sendable {
  func add(_ chunk: Data)
  func fields() async throws -> HTTPHeaders
}

private final class TrailerCall: TrailerMaker {
  private let make: @Sendable () async throws -> HTTPHeaders

  init(_ make: @escaping @Sendable () async throws -> HTTPHeaders) { self.make = make }

  func add(_ chunk: Data) {}
  func fields() async throws -> HTTPHeaders { try await make() }
}

private final class TrailerSum<Sum: Sendable>: TrailerMaker, @unchecked Sendable {
  // `sum` needs no lock, because calls never overlap.
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
  /// Sets the `Trailer` header to the names of the trailers.
  ///
  /// A present header stays unless the header lists the names of `before`.
  mutating func announceTrailers(inPlaceOf before: RequestTrailers) {
    let present = headers["Trailer"]
    guard present == nil || present == before.announcement, present != trailers.announcement else { return }
    headers["Trailer"] = trailers.announcement
  }
}
