/// The rule for sharing a transfer with identical requests in flight, as an immutable value.
///
/// ```swift
/// struct ListCountries: Request {
///   typealias Response = [String]
///   let path = "countries"
///   let coalescing = CoalescingPolicy.whileInFlight
/// }
/// ```
///
/// Only `GET`, `HEAD` and `OPTIONS` requests of the same agent share a transfer. The following must be equal:
/// method, URL and body as sent, ``Request/timeout``, ``Request/limits``, and every header field, including
/// the fields of the ``Authenticator``. If the authenticator calls ``Authentication/Context/identify(as:)``,
/// the identity and the unsigned request are compared. So requests of two users never share a transfer.
/// Fields made for each attempt are ignored: `Date`, `Idempotency-Key`, `X-Request-ID`, `traceparent`,
/// `tracestate`.
///
/// Each request has its own hooks, accessories, validators, decoding, retries, deadline and cancellation. The
/// transfer ends early when every sharing request was cancelled or has timed out. A failure of the transfer
/// fails each request, and each request decides on its own retry.
///
/// ## Choose when to share
///
/// A shared transfer may have started before the request. Do not share requests that read back a change. The
/// transfer reads the complete body before any validator judges the head, even while a sharing request is
/// suspended. Streams, requests with trailers and requests with streamed bodies are never shared. A
/// restricted ``Request/networkAccess``, a separate cookie store of the request, and an agent that refuses
/// private addresses also prevent sharing.
public struct CoalescingPolicy: Sendable, Hashable {
  /// Ignored field names in lower case; `nil` shares nothing.
  let ignored: Set<String>?

  /// Every request has its own transfer.
  public static let none = CoalescingPolicy(ignored: nil)

  /// Identical requests in flight share a transfer.
  public static let whileInFlight = CoalescingPolicy(ignored: [])

  /// Identical requests in flight share a transfer, whatever the values of the named header fields.
  ///
  /// Dangerous: each sharing request receives the response to the fields of the first request. Only requests
  /// that ignore the same field names share.
  public static func whileInFlight(ignoring headers: String...) -> CoalescingPolicy {
    CoalescingPolicy(ignored: Set(headers.map { $0.lowercased() }))
  }

  /// Fields made for each attempt.
  private static let fleeting: Set = ["date", "idempotency-key", "x-request-id", "traceparent", "tracestate"]

  /// Returns true if a header field distinguishes two requests.
  ///
  /// - Parameter name: The name in lower case.
  func counts(_ name: String) -> Bool { !Self.fleeting.contains(name) && ignored?.contains(name) != true }
}

extension CoalescingPolicy: CustomStringConvertible {
  /// `none`, or `while in flight` with the ignored fields.
  public var description: String {
    guard let ignored else { return "none" }
    return ignored.isEmpty
      ? "while in flight" : "while in flight, ignoring \(ignored.sorted().joined(separator: ", "))"
  }
}
