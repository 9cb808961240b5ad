// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The declarations of the Network framework that the sources use.
public import Dispatch

public struct NWPath: Equatable, Sendable {
  public enum Status: Sendable {
    case satisfied, unsatisfied, requiresConnection
  }

  public let status: Status
  public let isExpensive: Bool
  public let isConstrained: Bool
}

public final class NWPathMonitor: @unchecked Sendable {
  public init() {}
  public final var currentPath: NWPath {
    NWPath(status: .satisfied, isExpensive: false, isConstrained: false)
  }
  public final var pathUpdateHandler: (@Sendable (_ newPath: NWPath) -> Void)?
  public final func start(queue: DispatchQueue) {}
  public final func cancel() {}
}
