extension RequestError {
  /// What to try, in a sentence or two; `nil` where there is nothing to say.
  var hint: String? {
    if isOverRetryBudget {
      return "Too many requests to this server fail for more retries to help; come back later."
    }
    return switch kind {
    case .status: status.flatMap(hint(for:))
    case .deadlineExceeded where stage == .hostSlot:
      "It waited for other requests to its host: raise maxRequestsPerOrigin, its priority, or deadline."
    case .deadlineExceeded where stage == .serialGate:
      "It waited for other serial requests: raise deadline, or give those one too."
    case .connectionFailed where reason.contains(TransportError.outOfDescriptors):
      "Raise its limit (ulimit -n), close what it holds open, or send to fewer places at once."
    case .decoding where response?.body.allSatisfy(ASCII.isWhitespace) == true: Advice.emptyBody.text
    default: (cause as? any Advised)?.advice?.text ?? Self.hints[kind]
    }
  }

  private func hint(for status: HTTPStatus) -> String? {
    switch status.code {
    case 301, 302, 303, 307, 308:
      "It was not followed: check its Location, the redirectPolicy, and redirectDecision hooks."
    case 401 where lacksTrust, 403 where lacksTrust:
      "Credentials were kept from this origin: name it by a baseURL, or list it in trustedOrigins."
    case 401, 407: "Send credentials: an Authorization header, or an authenticator that adds one."
    case 403: "The server knows the caller and refuses; check the permissions of the credentials."
    case 404: "Check the base URL and the path above."
    case let code where attempts > 1 && Self.passing.contains(code):
      "\(attempts) attempts were not enough; wait longer between them, or come back later."
    case 408, 425, 429:
      "The server asks to come back later. A retryPolicy such as .upTo(2) waits as long as it asks\(forMethod)."
    case 500, 502, 503, 504:
      "The server is overloaded or failing. A retryPolicy such as .upTo(2) tries again\(forMethod)."
    case 500..<600: "The server failed for good; it would not do better the next time."
    default: nil
    }
  }

  /// The statuses that may pass.
  private static let passing: Set = [408, 425, 429, 500, 502, 503, 504]

  /// What a retry needs besides, as policies leave methods alone that are not idempotent.
  private var forMethod: String {
    guard let method = request?.method, !method.isIdempotent else { return "" }
    return "; for \(method) it needs an idempotencyKey, or retriesUnsafeMethods"
  }

  private static let hints: [Kind: String] = [
    .invalidURL: "Check baseURL of the request and of the agent, and the path.",
    .invalidRequest: "Check the method and the headers of the request, and what filterRequest hooks add.",
    .encoding: "Check the parameters and the body of the request.",
    .unsupported: "Choose another transport, or change the request.",
    .authentication: "Check the credentials, and the request that renews them, named above.",
    .nameNotResolved: "Check the host name and the network.",
    .connectionFailed: "Check that the server runs and that the host and port are right.",
    .connectionLost: "A retryPolicy such as .upTo(2) tries an idempotent request again.",
    .secureConnectionFailed: "Check the server's certificate, its host name, and the system's authorities.",
    .redirect: "Check where the server leads. A redirectPolicy of .none gives you the 3xx itself.",
    .timedOut: "Raise timeout, or the limit named above, or check why the server is silent.",
    .deadlineExceeded: "Raise deadline, or let attempts and their waits take less of it.",
    .circuitOpen: "Come back after the time named above; the server failed too often to be asked before.",
    .limitExceeded: "Raise the limit named above if the server is to be trusted.",
    .invalidResponse: "Check that the server speaks HTTP on this port.",
    .corruptBody: "The server or a proxy broke the body; compare its Content-Encoding with the bytes.",
    .contentType: "Check what the server sends; an Accept header may ask for another type.",
    .jsonShape: "Compare the shape with what the server sends, shown above.",
    .pagination: "Check what the page says of the next one, and the pagination of the request.",
    .decoding: "Compare the Response type with what the server sends, shown above.",
  ]
}
