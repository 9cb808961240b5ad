import Foundation

struct StatusAdvice {
  let status: HTTPResponse.Status
  let request: HTTPRequest?
  let response: HTTPResponse?
  let challenges: [HTTPResponse.Challenge]
  let attempts: Int
  let lacksTrust: Bool
  let locationFault: String?
  let redaction: Redaction

  var text: String? {
    switch status.code {
    case 301, 302, 303, 307, 308:
      missingLocation ?? locationFault
        ?? "The redirect was not followed. Check the Location, the redirectPolicy and the redirectDecision hooks."
    case 401 where lacksTrust, 403 where lacksTrust:
      "The credentials were not sent, because the origin is not trusted. Set the origin as a baseURL, or add the origin to trustedOrigins."
    case 401 where request?.headers.contains("Authorization") == true:
      "The server refused the Authorization header. Check the credentials and their expiry."
    case 401 where !challenges.isEmpty:
      "The server asks for \(asked). Send these credentials with an Authorization header or an authenticator."
    case 401: "Send credentials with an Authorization header or an authenticator."
    case 407: Advice.proxyCredentials
    case 403: "The server denies access. Check the permissions of the credentials."
    case 404: "Check the base URL and the path above."
    case let code where attempts > 1 && RetryableStatuses.all.contains(code):
      Self.afterRetries(attempts)
    case let code where RetryableStatuses.ofRequest.contains(code):
      "The server asks for a later retry. A retryPolicy such as .upTo(2) waits as long as the server asks\(forMethod)."
    case 500..<600: serverText(for: status.code)
    default: plainRequestAdvice
    }
  }

  static func afterRetries(_ attempts: Int) -> String {
    "\(attempts) attempts were not enough; wait longer between them, or come back later."
  }

  private func serverText(for code: Int) -> String {
    let retry = "A retryPolicy such as .upTo(2) tries again\(forMethod)."
    return switch code {
    case _ where RetryableStatuses.ofOverload.contains(code): "The server is overloaded or failing. \(retry)"
    case _ where RetryableStatuses.ofProxyWait.contains(code):
      "A proxy waited too long for the server behind it. \(retry)"
    case _ where RetryableStatuses.ofProxyConnection.contains(code):
      "A proxy could not reach the server behind it, or got no whole answer. \(retry)"
    case 525, 526:
      "The TLS handshake between a proxy and the server behind it failed. Only the server's operator can fix the problem."
    case 507:
      "The server has no space left for the data of the request. Free space on the server, or send less data."
    case 508:
      "The server found an infinite loop while processing the request. Only the server's operator can fix the problem."
    case 511:
      "The network requires a sign-in. Open a web page, sign in, and send the request again."
    case 501, 505, 506, 510: "The server does not support the request, so a retry would fail too."
    default: "The status \(code) has no standard meaning. Check the response of the server."
    }
  }

  /// The advice after a 400 from a server that expects TLS; otherwise `nil`.
  private var plainRequestAdvice: String? {
    guard status == 400, request?.url.scheme == "http", let body = response?.body.prefix(1024) else {
      return nil
    }
    let text = String(decoding: body, as: UTF8.self).lowercased()
    let phrases = [
      "http request was sent to https port", "http request to an https server", "ssl-enabled server port",
    ]
    return phrases.contains { text.contains($0) } ? Advice.securePort.text : nil
  }

  private var missingLocation: String? {
    guard request != nil, let response, !response.headers.contains("Location") else { return nil }
    return "The redirect has no Location header."
  }

  private var asked: String {
    challenges.prefix(3).map { challenge in
      let realm = challenge.realm.map { ", realm \($0.prefix(40).debugDescription)" } ?? ""
      // Without TLS, others could read Basic credentials.
      let isOpen = challenge.isScheme("basic") && request.flatMap { Origin($0.url) }?.isConfidential == false
      return redaction.text(
        "\(challenge.scheme.prefix(40))\(realm)\(isOpen ? ", over an unencrypted connection" : "")")
    }.joined(separator: "; ")
  }

  private var forMethod: String { Self.condition(ofRetrying: request) }

  static func condition(ofRetrying request: HTTPRequest?) -> String {
    guard let method = request?.method, !method.isIdempotent else { return "" }
    return "; for \(method) the retry needs an idempotencyKey or retriesUnsafeMethods"
  }
}
