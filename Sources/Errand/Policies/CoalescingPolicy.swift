/// The rule for sharing a transfer with identical requests in flight; an immutable value.
///
/// ```swift
/// struct ListCountries: Request {
///   typealias Response = [String]
///   let path = "countries"
///   let coalescing = CoalescingPolicy.whileInFlight
/// }
/// ```
///
/// Only `GET`, `HEAD` and `OPTIONS` requests of the same agent share a transfer. Two requests are identical
/// if the following are equal: method, URL and body as sent, ``Request/timeout``, ``Request/limits``, and
/// every header, including the headers set by the ``Authenticator``. If the authenticator calls
/// ``Authentication/Context/identify(as:)``, the identity and the unsigned request are compared instead. So
/// requests with the credentials of two users share no transfer, unless ``whileInFlight(ignoring:)``
/// ignores the header with the credentials. Errand ignores headers with a new value in each attempt:
/// `Date`, `Idempotency-Key`, `X-Request-ID`, `traceparent`, `tracestate`.
///
/// Each request has its own hooks, accessories, validators, decoding, retries, deadline and
/// cancellation. The transfer ends early when every sharing request was cancelled or has timed out.
/// A failed transfer fails an attempt of every sharing request, and each request decides on its own
/// retry.
///
/// ## Choose when to share
///
/// A shared transfer may have started before the request. So do not share a request that checks the
/// result of a change. The transfer reads the complete body before any validator sees the head,
/// even while a sharing request is suspended.
///
/// The following requests are never shared: streams, requests with trailers or streamed bodies,
/// requests with a restricted ``Request/networkAccess``, requests with a separate cookie store, and
/// requests of an agent that refuses private addresses.
public struct CoalescingPolicy: Sendable, Hashable {
  /// The names of the ignored headers, in lower case; `nil` for ``none``.
  let ignored: Set<String>?

  /// Every request has its own transfer.
  public static let none = CoalescingPolicy(ignored: nil)

  /// Identical requests in flight share a transfer.
  public static let whileInFlight = CoalescingPolicy(ignored: [])

  /// Identical requests in flight share a transfer, even if the named headers differ.
  ///
  /// Dangerous: every sharing request receives the response to the headers of the first request.
  /// Only requests with the same ignored names share a transfer.
  public static func whileInFlight(ignoring headers: String...) -> CoalescingPolicy {
    CoalescingPolicy(ignored: Set(headers.map { $0.lowercased() }))
  }

  /// The headers that differ in each attempt.
  private static let fleeting: Set = ["date", "idempotency-key", "x-request-id", "traceparent", "tracestate"]

  /// Returns true if two requests with different values of a header are not identical.
  ///
  /// - Parameter name: The name in lower case.
  func counts(_ name: String) -> Bool { !Self.fleeting.contains(name) && ignored?.contains(name) != true }
}

extension CoalescingPolicy: CustomStringConvertible {
  /// `none`, or `while in flight` with the names of the ignored headers.
  public var description: String {
    guard let ignored else { return "none" }
    return ignored.isEmpty
      ? "while in flight" : "while in flight, ignoring \(ignored.sorted().joined(separator: ", "))"
  }
}
