import Foundation

extension RequestError {
  /// A text for the user of the app, usually in English.
  ///
  /// If a hook or a validator threw a `LocalizedError`, usually the description of that error.
  ///
  /// ```swift
  /// Text(error.userDescription)   // The server could not be reached. Check the connection.
  /// ```
  public var userDescription: String {
    if let text = ownDescription { return text }
    // After a temporary failure of the renewal, the credentials may still be right.
    if kind == .authentication, let cause = cause as? RequestError, UserSentence.isTemporary(cause) {
      return cause.userDescription
    }
    return UserSentence.text(for: kind, status: status) ?? "The request failed."
  }

  private var ownDescription: String? {
    guard kind == .hook || kind == .validation || !UserSentence.isThere(for: kind), !(cause is RequestError),
      let text = (cause as? any LocalizedError)?.errorDescription, !text.isEmpty
    else { return nil }
    return shownRedaction.text(text).printed
  }
}

private enum UserSentence {
  static func text(for kind: RequestError.Kind, status: HTTPResponse.Status?) -> String? {
    if kind == .status, let status { return text(for: status) }
    return texts[kind]
  }

  static func isTemporary(_ error: RequestError) -> Bool {
    switch error.kind {
    case .nameNotResolved, .connectionFailed, .connectionLost, .secureConnectionFailed, .timedOut,
      .deadlineExceeded, .circuitOpen, .queueFull, .transport:
      true
    case .status: error.status.map { RetryableStatuses.ofRequest.contains($0.code) || $0.code >= 500 } == true
    case .authentication: (error.cause as? RequestError).map(isTemporary) == true
    default: false
    }
  }

  static func isThere(for kind: RequestError.Kind) -> Bool { texts[kind] != nil }

  private static func text(for status: HTTPResponse.Status) -> String {
    let clause =
      switch status.code {
      case 401, 407, 511: "A sign-in is needed"
      case 403, 451: "The action is not allowed"
      case 404, 410: "The requested data was not found"
      case let code where RetryableStatuses.ofRequest.contains(code): "The server asks to try again later"
      case 409, 412: "The data was changed meanwhile"
      case 413: "The data is too large for the server"
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
      .queueFull: "Too many requests are running. Try again later.", .drained: unmade,
      .transport: "The transfer failed. Try again.", .status: "The server refused the request.",
      .redirect: unreadable, .limitExceeded: unreadable, .invalidResponse: unreadable,
      .corruptBody: unreadable,
      .contentType: unreadable, .jsonShape: unreadable, .decoding: unreadable, .pagination: unreadable,
      .file: "A file could not be read or written.",
      .notCached: "No stored data is available.",
      .cancelled: "The request was cancelled.",
    ]
  }()
}
