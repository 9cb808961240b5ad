/// The rule for sharing a transfer with identical requests in flight.
///
/// ```swift
/// struct ListCountries: Request {
///   typealias Response = [String]
///   let path = "countries"
///   let coalescing = CoalescingPolicy.whileInFlight
/// }
/// ```
///
/// Only `GET`, `HEAD` and `OPTIONS` requests of the same agent share a transfer. Identical requests have the
/// same method, URL, body, headers, ``Request/timeout``, ``Request/limits`` and policy. The headers include
/// the credentials set by the ``Authenticator``. If the authenticator calls
/// ``Authentication/Context/identify(as:)``, the identity and the unsigned request are compared instead. The
/// headers `Date`, `Idempotency-Key`, `X-Request-ID`, `traceparent` and `tracestate` are not compared.
///
/// Each request has its own hooks, accessories, validators, decoding, retries, deadline and cancellation. The
/// transfer ends early when every sharing request was cancelled or has timed out.
///
/// ## Choose when to share
///
/// A shared transfer may have started before the request. So do not share a request that checks the result of
/// a change. The transfer reads the body into memory, even for a download or if a validator refuses the head.
///
/// The following requests are not shared:
///
/// - streams, and requests with trailers, or with a body other than bytes in memory
/// - requests with a restricted ``Request/networkAccess``
/// - requests with ``Request/cookies`` different from the agent's
/// - requests of an agent that refuses private addresses
public struct CoalescingPolicy: Sendable, Hashable {
  /// The names of the ignored headers, in lower case; `nil` for ``none``.
  let ignored: Set<String>?

  /// Every request has its own transfer.
  public static let none = CoalescingPolicy(ignored: nil)

  /// Identical requests in flight share a transfer.
  public static let whileInFlight = CoalescingPolicy(ignored: [])

  /// Requests in flight share a transfer if the requests are identical except for the named headers.
  ///
  /// Dangerous: every sharing request receives the response to the headers of the first request.
  public static func whileInFlight(ignoring headers: String...) -> CoalescingPolicy {
    CoalescingPolicy(ignored: Set(headers.map { $0.lowercased() }))
  }

  /// The headers that are never compared.
  private static let fleeting: Set = ["date", "idempotency-key", "x-request-id", "traceparent", "tracestate"]

  /// Returns true if different values of a header prevent sharing.
  ///
  /// - Parameter name: The name of the header, in lower case.
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
