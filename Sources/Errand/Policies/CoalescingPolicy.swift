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
/// `GET`, `HEAD` and `OPTIONS` requests of an agent may share a transfer if method, URL, body, headers,
/// timeout, limits and coalescing policy are equal. Headers such as `Date` and `Idempotency-Key` are not
/// compared. Requests with limited ``Request/networkAccess`` or with another cookie store than the agent's are
/// not shared, nor are requests of an agent that refuses private addresses.
///
/// A shared transfer may have started before the request. Do not share a request that checks the result of a
/// change. A shared transfer reads the body into memory, even for a download.
public struct CoalescingPolicy: Sendable, Hashable {
  let ignored: Set<String>?

  /// Each request has its own transfer.
  public static let none = CoalescingPolicy(ignored: nil)

  /// Identical requests in flight may share a transfer.
  public static let whileInFlight = CoalescingPolicy(ignored: [])

  /// Requests in flight may share a transfer if the requests differ only in the named headers.
  ///
  /// Dangerous: every sharing request receives the response that the server made for the first request's
  /// headers.
  public static func whileInFlight(ignoring headers: String...) -> CoalescingPolicy {
    CoalescingPolicy(ignored: Set(headers.map { $0.lowercased() }))
  }

  private static let fleeting: Set = ["date", "idempotency-key", "x-request-id", "traceparent", "tracestate"]

  /// `name` must be in lower case.
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
