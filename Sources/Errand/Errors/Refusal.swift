import Foundation

/// An error that your hooks, validators and other code may throw to choose the kind of the ``RequestError``.
public struct Refusal: Error, Sendable {
  /// The kind of failure.
  public var kind: RequestError.Kind
  /// The problem as a clause, such as `status 503 is not in 200..<300`.
  public var message: String
  /// The original error.
  public var cause: (any Error)?
  /// The advice in the error's description; usually replaces the standard advice of the kind.
  var advice: Advice?

  /// Creates a refusal.
  public init(
    _ message: String, kind: RequestError.Kind = .validation, cause: (any Error)? = nil
  ) {
    self.kind = kind
    self.message = message
    self.cause = cause
  }
}

extension Refusal: Advised {}

extension Refusal {
  init(_ message: String, kind: RequestError.Kind, notOfFile url: URL) {
    self.init(message, kind: kind)
    if url.scheme == nil { advice = .fileURL }
  }
}

extension Refusal: Hashable {
  /// Compares kind and message.
  public static func == (a: Refusal, b: Refusal) -> Bool { a.kind == b.kind && a.message == b.message }

  /// Hashes kind and message.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
    hasher.combine(message)
  }
}

extension Refusal: PrintedByDescription {
  /// The redacted message.
  public var description: String { Redaction.standard.text(message).printed }
  /// A redacted mirror.
  public var customMirror: Mirror { Mirror(self, children: ["kind": kind.name, "message": description]) }
}
