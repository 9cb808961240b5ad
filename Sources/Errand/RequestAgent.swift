public import Foundation

/// Dispatches requests.
public final class RequestAgent: Sendable {
  init() {}
}
