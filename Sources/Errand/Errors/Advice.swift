import ErrandJSON

package enum Advice: Sendable, Hashable {
  /// A member has the expected name in snake case.
  case snakeCase(String)
  /// A member exists under a similar name that `.snakeCase` does not convert to the expected name.
  case otherSpelling(String)
  /// A member has the expected or a similar name, but `.snakeCase` converts that name.
  case converted(String)
  case notJSON
  case beyondExcerpt
  /// A text like a date in place of a number.
  case dates
  case emptyBody
  /// A prefix of the body against cross-site script inclusion (XSSI).
  case prefix
  case charset
  case plainPort
  case closedHandshake
  case securePort
  case fileURL
  case privateAuthority
  case alert
  case clientCertificate
  case proxy
  case fileDescriptors
  case pin
  case ownCertificate
  case authorities
  case openedByHand

  var text: String {
    switch self {
    case .snakeCase:
      "The server writes names with underscores: set jsonCoding to .snakeCase, on the request or in the agent's configuration."
    case .otherSpelling(let name): "Rename the property, or give the property the CodingKey \"\(name)\"."
    case .converted(let name):
      ".snakeCase converts \"\(name)\" to \"\(JSONCoding.camelCased(name))\": give the property the converted name, or a CodingKey with that name."
    case .notJSON:
      "The server sent no JSON, or incomplete JSON. Check the body and the Content-Type of the response."
    case .beyondExcerpt: "Compare the decoded type with the server's data at the position above."
    case .dates:
      "If the string is a date, set jsonCoding to .iso8601 on the request or in the agent's configuration. Otherwise compare the types."
    case .emptyBody:
      "If the server sometimes sends an empty body, make Response an Optional. If the body is always empty, make Response Void."
    case .prefix:
      "The body starts with a prefix against script inclusion. Decode the body with .json().droppingXSSIPrefix()."
    case .charset:
      "Set the charset with .text(charset:), or with .text(undeclared:) if the server declares no charset."
    case .plainPort:
      "The server does not use TLS on this port. Change the scheme to http, or use the server's https port."
    case .closedHandshake:
      "Check the scheme first: a server without TLS ends the handshake by closing the connection. Change the scheme to http, "
        + "or use the server's https port. If the server does use TLS, the server and the system share no TLS version."
    case .securePort:
      "The server does not use plain HTTP on this port, but probably TLS. Change the scheme to https, or use the server's http port."
    case .fileURL:
      "Create the URL with URL(fileURLWithPath:). URL(string:) treats a path as a part of a web address."
    case .privateAuthority:
      "If your own authority issued the certificate, trust the authority: CurlTransport(certificateAuthorities: file). "
        + "Otherwise the server may not send the whole certificate chain."
    case .alert:
      "See the server's reason above: the server may require a client certificate, or another TLS version."
    case .clientCertificate:
      "Set a client certificate for the host in ConnectionSettings.tls.clientCertificates."
    case .pin:
      "The server has a new key, or another machine intercepts the connection. Compare ConnectionSettings.tls.pins with the keys published by the server's operator."
    case .ownCertificate:
      "Check the certificate, the key and the passphrase in ConnectionSettings.tls.clientCertificates."
    case .fileDescriptors:
      "Raise the limit of the process (ulimit -n), close unused files and connections, or send to fewer hosts at once."
    case .openedByHand: "The app opened the circuit. Close the circuit with agent.circuit(of:key:)?.close()."
    case .authorities:
      "Check the file of certificateAuthorities. The file must contain certificates in PEM format."
    case .proxy:
      "Check the proxy in ConnectionSettings.proxies, or in the environment variables https_proxy, http_proxy and all_proxy."
    }
  }
}

protocol Advised: Error {
  var advice: Advice? { get }
}

extension Advice {
  static let proxyCredentials = "Set the credentials of the Proxy in ConnectionSettings.proxies."

  static let standard: [RequestError.Kind: String] = [
    .invalidURL: "Check baseURL of the request and of the agent, and the path.",
    .destination:
      "Check where the URL came from. AgentConfiguration.destinations sets the allowed destinations.",
    .invalidRequest: "Check the part of the request named above, and the filterRequest hooks.",
    .encoding: "Check the parameters and the body of the request.",
    .unsupported: "Choose another transport, or change the request.",
    .authentication: "Check the credentials, and the request named above that renews the credentials.",
    .nameNotResolved: "Check the host name and the network.",
    .connectionFailed: "Check that the server runs and that the host and port are right.",
    .connectionLost: "A retryPolicy such as .upTo(2) tries an idempotent request again.",
    .secureConnectionFailed: "Check the server's certificate, its host name, and the system's authorities.",
    .redirect:
      "Check the redirects of the server. With the redirectPolicy .none, Errand follows no redirect.",
    .timedOut: "Raise timeout, or the limit named above, or check why the server is silent.",
    .deadlineExceeded: "Raise deadline, or shorten the attempts and the waits between attempts.",
    .circuitOpen:
      "Send the request again after the time named above. Until then the circuit breaker blocks requests, because the server failed too often.",
    .queueFull:
      "Send the request again later, or raise its priority, maxRequestsPerOrigin, or maxWaitingPerOrigin.",
    .drained: "Send the request with another agent. A drained agent sends no more requests.",
    .limitExceeded: "If you trust the server, raise the limit named above.",
    .invalidResponse: "Check that the server speaks HTTP on this port.",
    .corruptBody:
      "The server or a proxy damaged the body. Compare the Content-Encoding with the bytes of the body.",
    .contentType:
      "Check the Content-Type that the server sends. Other validators accept other types, and an Accept header requests a type.",
    .jsonShape: "Compare the shape with the body shown above.",
    .notCached: "Send the request once with another cachePolicy, or use .cacheElseNetwork.",
    .file: "Check the path above, the write permission, and the free disk space.",
    .pagination: "Check the link to the next page in the response, and the pagination of the request.",
    .decoding: "Compare the Response type with the body shown above.",
  ]
}
