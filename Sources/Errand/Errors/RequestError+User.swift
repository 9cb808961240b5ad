import Foundation

extension RequestError {
  /// A sentence for the person who uses the app: without a URL, without anything the server sent, and without advice for developers.
  ///
  /// `localizedDescription` gives the same. The sentence is English; an app in other languages makes its own of ``kind`` and ``status``.
  /// An error that a hook or a validator has thrown speaks for itself where it is a `LocalizedError`; secrets are hidden in its text.
  ///
  /// ```swift
  /// Text(error.userDescription)   // The server could not be reached. Check the connection.
  /// ```
  public var userDescription: String {
    if let text = ownDescription { return text }
    return UserSentence.text(for: kind, status: status) ?? "The request failed."
  }

  /// What an error of the app's own says of itself.
  private var ownDescription: String? {
    guard kind == .hook || kind == .validation || !UserSentence.isThere(for: kind), !(cause is RequestError),
      let text = (cause as? any LocalizedError)?.errorDescription, !text.isEmpty
    else { return nil }
    return shownRedaction.text(text).printed
  }
}

/// The sentences for the person who uses the app.
private enum UserSentence {
  /// The sentence of a kind of failure, or of the status that was refused; `nil` for a kind that Errand does not know.
  static func text(for kind: RequestError.Kind, status: HTTPResponse.Status?) -> String? {
    if kind == .status, let status { return text(for: status) }
    return texts[kind]
  }

  /// Whether Errand knows the kind.
  static func isThere(for kind: RequestError.Kind) -> Bool { texts[kind] != nil }

  private static func text(for status: HTTPResponse.Status) -> String {
    let clause =
      switch status.code {
      case 401, 407, 511: "A sign-in is needed"
      case 403, 451: "This is not allowed"
      case 404, 410: "This was not found"
      case let code where RetryableStatuses.ofRequest.contains(code): "The server asks to try again later"
      case 409, 412: "This was changed meanwhile"
      case 413: "This is too large for the server"
      case 500..<600: "The server has a problem. Try again later"
      default: "The server refused the request"
      }
    return "\(clause) (status \(status.code))."
  }

  private static let texts: [RequestError.Kind: String] = {
    let unreadable = "The server's answer could not be read."
    let unmade = "The request could not be made."
    let unreached = "The server could not be reached. Check the connection."
    let late = "The server took too long. Try again later."
    return [
      .invalidURL: unmade, .destination: unmade, .invalidRequest: unmade, .encoding: unmade,
      .unsupported: unmade,
      .hook: "The request failed.", .validation: unreadable, .authentication: "The sign-in failed.",
      .nameNotResolved: unreached, .connectionFailed: unreached,
      .connectionLost: "The connection was lost. Try again.",
      .secureConnectionFailed: "No secure connection to the server could be made.",
      .timedOut: late, .deadlineExceeded: late, .circuitOpen: "The server has a problem. Try again later.",
      .transport: "The transfer failed. Try again.", .status: "The server refused the request.",
      .redirect: unreadable, .limitExceeded: unreadable, .invalidResponse: unreadable,
      .corruptBody: unreadable,
      .contentType: unreadable, .jsonShape: unreadable, .decoding: unreadable, .pagination: unreadable,
      .file: "A file could not be read or written.",
      .notCached: "Nothing is stored to show without a connection.",
      .cancelled: "The request was cancelled.",
    ]
  }()
}
