import Foundation

/// A refusal with a kind and a sentence of its own; thrown by validators and by the building of a request.
///
/// A hook may throw one too, to choose the kind of the ``RequestError`` made of it.
public struct Refusal: Error, Sendable {
  /// The kind of the ``RequestError`` made of it.
  public var kind: RequestError.Kind
  /// What was wrong, as a clause without a full stop: `status 503 is not in 200..<300`.
  public var message: String
  /// What ``RequestError/cause`` is in its place; `nil`, the default, for itself.
  public var cause: (any Error)?
  /// What to try, where the kind does not say.
  var advice: Advice?

  /// Makes a refusal.
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
  /// Refuses a URL that was to be one of a file; where it has no scheme, the advice names what makes such a URL of a path.
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
  /// The message; secrets hidden by ``Redaction/standard``, and control characters written out.
  public var description: String { Redaction.standard.text(message).printed }
  /// Shows `dump` redacted text only.
  public var customMirror: Mirror { Mirror(self, children: ["kind": kind.name, "message": description]) }
}
