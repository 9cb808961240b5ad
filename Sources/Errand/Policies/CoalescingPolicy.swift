/// Whether a request shares one transfer with identical ones that are in flight: one immutable value.
///
/// ```swift
/// struct ListCountries: Request {
///   typealias Response = [String]
///   let path = "countries"
///   let coalescing = CoalescingPolicy.whileInFlight
/// }
/// ```
///
/// Only `GET`, `HEAD` and `OPTIONS` are shared, in one agent, when all of this is the same: method, URL and body as they
/// are sent, ``Request/timeout`` and ``Request/limits``, and every header, that of the ``Authenticator`` included, but for
/// those that are made for each attempt: `Date`, `Idempotency-Key`, `X-Request-ID`, `traceparent`, `tracestate`. So
/// nothing is ever shared between two users.
///
/// Everything but the wire is each one's own: hooks, accessories, validators, decoding, retries, deadline, cancellation.
/// The last one who leaves ends the transfer. Its failure is everybody's, and each decides on another attempt for itself.
///
/// ## Choose when to share
///
/// An answer may have been on its way before you asked for it. Do not share what is read back after a change. The whole
/// body is read before the head is judged, and does not rest when one of those that share it is suspended. A stream is never shared, nor a
/// body of a request that comes as one.
public struct CoalescingPolicy: Sendable, Hashable {
  /// Names in small letters; `nil` shares nothing.
  let ignored: Set<String>?

  /// Every request has its own transfer.
  public static let none = CoalescingPolicy(ignored: nil)

  /// Identical requests in flight share one transfer.
  public static let whileInFlight = CoalescingPolicy(ignored: [])

  /// The same, where the named headers may differ too.
  ///
  /// Dangerous: each of those who share gets the answer to the headers of the first. They share with those only who
  /// ignore the same headers.
  public static func whileInFlight(ignoring headers: String...) -> CoalescingPolicy {
    CoalescingPolicy(ignored: Set(headers.map { $0.lowercased() }))
  }

  /// Made for each attempt.
  private static let fleeting: Set = ["date", "idempotency-key", "x-request-id", "traceparent", "tracestate"]

  /// Whether a header tells two requests apart.
  ///
  /// - Parameter name: in small letters.
  func counts(_ name: String) -> Bool { !Self.fleeting.contains(name) && ignored?.contains(name) != true }
}

extension CoalescingPolicy: CustomStringConvertible {
  /// `none`, or `while in flight` and what is ignored.
  public var description: String {
    guard let ignored else { return "none" }
    return ignored.isEmpty
      ? "while in flight" : "while in flight, ignoring \(ignored.sorted().joined(separator: ", "))"
  }
}
