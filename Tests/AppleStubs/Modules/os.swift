// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The declarations of the module `os` that the sources use.
public struct OSLogPrivacy: Sendable {
  public static var `public`: OSLogPrivacy { OSLogPrivacy() }
}

public struct OSLogInterpolation: StringInterpolationProtocol, Sendable {
  public init(literalCapacity: Int, interpolationCount: Int) {}
  public mutating func appendLiteral(_ literal: String) {}
  public mutating func appendInterpolation(
    _ text: @autoclosure @escaping () -> String, privacy: OSLogPrivacy = .public
  ) {}
}

public struct OSLogMessage: ExpressibleByStringInterpolation, Sendable {
  public init(stringInterpolation: OSLogInterpolation) {}
  public init(stringLiteral value: String) {}
}

public struct OSLogType: Sendable {
  public static let info = OSLogType()
  public static let `default` = OSLogType()
  public static let error = OSLogType()
}

public struct Logger: Sendable {
  public init(subsystem: String, category: String) {}
  public func fault(_ message: OSLogMessage) {}
  public func log(level: OSLogType, _ message: OSLogMessage) {}
}
