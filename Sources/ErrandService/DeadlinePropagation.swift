public import Errand

/// Passes the deadlines of dispatches on to nested dispatches and to servers.
///
/// ```swift
/// var configuration = AgentConfiguration(deadline: .seconds(5))
/// configuration.deadlinePropagation = DeadlinePropagation(header: .milliseconds("Request-Timeout"))
/// ```
///
/// A dispatch in a hook inherits the deadline of the outer dispatch. The earlier of the two deadlines counts.
/// Both agents must have a propagation. A request with `.with(\.deadline, nil)` also inherits the deadline.
///
/// Work for several dispatches inherits no deadline: a refresh of a ``/Errand/CredentialStore``, a shared
/// transfer, the refresh of a cached response, and a name lookup.
public struct DeadlinePropagation: Sendable, Hashable {
  /// The field with the remaining time; `nil`: the server is not told.
  ///
  /// Errand sets the field for each attempt and again for each redirect. The field is set after the wait for a
  /// slot and before the signature. If the request already has the field, the field stays unchanged.
  ///
  /// Untrusted origins do not get the field. After a redirect to a different origin, even a trusted origin
  /// does not get the field.
  ///
  /// A background transfer and the refresh of a cached response have no field, because both may outlive the
  /// deadline.
  public var header: Header?

  /// Creates a propagation.
  public init(header: Header? = nil) { self.header = header }

  /// A field with the remaining time of a request.
  public struct Header: Sendable, Hashable {
    private enum Format: Sendable, Hashable { case milliseconds, seconds, grpc }

    /// The name of the field.
    public let name: String
    private let format: Format

    /// Whole milliseconds, such as `Request-Timeout: 420`.
    public static func milliseconds(_ name: String) -> Header { Header(name: name, format: .milliseconds) }

    /// Seconds with up to three decimals, such as `X-Timeout-Seconds: 0.42`.
    public static func seconds(_ name: String) -> Header { Header(name: name, format: .seconds) }

    /// The field of gRPC, such as `grpc-timeout: 420m`.
    public static let grpc = Header(name: "grpc-timeout", format: .grpc)

    /// Returns the remaining time from the headers of an incoming request; `nil` without a valid field.
    ///
    /// The longest result is about 11 days.
    public func remainingTime(in headers: HTTPHeaders) -> Duration? {
      headers[name].map(Self.trimmed).flatMap(duration)
    }
  }

  /// Runs an operation with a deadline for the dispatches of agents with a propagation.
  ///
  /// An earlier deadline around the call stays in force. The operation is not interrupted. `Task.detached`
  /// does not inherit the deadline.
  ///
  /// ```swift
  /// let time = DeadlinePropagation.Header.milliseconds("Request-Timeout").remainingTime(in: incoming)
  /// let user = try await DeadlinePropagation.withDeadline(time) {
  ///   try await agent.send(.get("users/7", as: User.self))
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - time: The time from now; `nil`: no further deadline.
  ///   - clock: The clock of the deadline.
  ///   - isolation: The actor of the caller.
  ///   - operation: The work with the deadline.
  public static func withDeadline<Result>(
    _ time: Duration?, clock: AgentClock = .continuous, isolation: isolated (any Actor)? = #isolation,
    operation: () async throws -> Result
  ) async rethrows -> Result {
    let deadline = time.map { AmbientDeadline(after: $0, on: clock) } ?? AmbientDeadline.current
    return try await AmbientDeadline.$current.withValue(
      deadline, operation: operation, isolation: isolation)
  }

  /// Runs an operation without an inherited deadline, for work that may outlive the caller.
  public static func withoutDeadline<Result>(
    isolation: isolated (any Actor)? = #isolation, operation: () async throws -> Result
  ) async rethrows -> Result {
    try await AmbientDeadline.$current.withValue(nil, operation: operation, isolation: isolation)
  }
}

extension AgentConfiguration {
  /// Passes deadlines on to nested dispatches and to servers; `nil`, the default: no propagation.
  public var deadlinePropagation: DeadlinePropagation? {
    get { deadlinePropagator as? DeadlinePropagation }
    set { deadlinePropagator = newValue }
  }
}

extension DeadlinePropagation: DeadlinePropagator {
  @discardableResult
  package func write(_ remaining: Duration, to headers: inout HTTPHeaders) -> String? {
    guard let header, !headers.contains(header.name) else { return nil }
    headers[header.name] = header.text(of: remaining)
    return header.name
  }
}

extension DeadlinePropagation.Header {
  private static let longestTime: Int64 = 999_999_999

  /// Returns the value of the field, at least 1 ms.
  ///
  /// The value is rounded down, so that the server does not work longer than the client waits.
  fileprivate func text(of remaining: Duration) -> String {
    let milliseconds = min(max(Int64(remaining / .milliseconds(1)), 1), Self.longestTime)
    switch format {
    case .milliseconds: return "\(milliseconds)"
    case .grpc: return milliseconds > 99_999_999 ? "\(milliseconds / 1_000)S" : "\(milliseconds)m"
    case .seconds:
      let rest = milliseconds % 1_000
      guard rest > 0 else { return "\(milliseconds / 1_000)" }
      var decimals = "\(1_000 + rest)".dropFirst()
      while decimals.last == "0" { decimals.removeLast() }
      return "\(milliseconds / 1_000).\(decimals)"
    }
  }

  private static func trimmed(_ text: String) -> Substring {
    var rest = text.drop(while: isSpace)
    while let last = rest.last, isSpace(last) { rest.removeLast() }
    return rest
  }

  private static func isSpace(_ character: Character) -> Bool { character == " " || character == "\t" }

  private func duration(_ text: Substring) -> Duration? {
    switch format {
    case .milliseconds: return Self.count(text).map { .milliseconds($0) }
    case .grpc:
      let units: [Character: Duration] = [
        "H": .seconds(3_600), "M": .seconds(60), "S": .seconds(1), "m": .milliseconds(1),
        "u": .microseconds(1), "n": .nanoseconds(1),
      ]
      guard let unit = text.last.flatMap({ units[$0] }), let count = Self.count(text.dropLast()) else {
        return nil
      }
      return min(unit * Int(count), .milliseconds(Self.longestTime))
    case .seconds:
      let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
      guard let whole = parts.first.flatMap(Self.count) else { return nil }
      var decimals: Int64 = 0
      if parts.count > 1 {
        guard let digits = Self.count(parts[1].prefix(3)), parts[1].utf8.allSatisfy(Self.isDigit) else {
          return nil
        }
        decimals = [0, 100, 10, 1][min(parts[1].count, 3)] * digits
      }
      return min(.seconds(whole) + .milliseconds(decimals), .milliseconds(Self.longestTime))
    }
  }

  /// Parses digits; `nil` for other text.
  ///
  /// A larger number counts as ``longestTime``.
  private static func count(_ text: Substring) -> Int64? {
    guard !text.isEmpty, text.utf8.allSatisfy(isDigit) else { return nil }
    return min(Int64(text) ?? longestTime, longestTime)
  }

  // Compares bytes, because a `Character` may be a digit with a combining accent.
  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}
