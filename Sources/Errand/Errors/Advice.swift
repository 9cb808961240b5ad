import ErrandJSON

/// The advice for failures with a specific remedy; all its texts are in this file.
enum Advice: Sendable, Hashable {
  /// The body has the missing member under a name with underscores.
  case snakeCase(String)
  /// The body has the missing member under a similar name that no decoding strategy produces.
  case otherSpelling(String)
  /// The body has the missing member, but `.snakeCase` changed the name during decoding.
  case converted(String)
  /// The body is not JSON.
  case notJSON
  /// The mismatch lies beyond the excerpt of the body in the error text.
  case furtherOn
  /// The body has a date-like string where the type expects a number.
  case dates
  /// The body is empty where JSON is expected.
  case emptyBody
  /// A prefix against script inclusion (XSSI) precedes the JSON.
  case prefix
  /// The declared charset is wrong or unknown.
  case charset
  /// An https request reached a server without TLS.
  case plainPort
  /// The server closed the connection during the TLS handshake.
  case closedHandshake
  /// An http request reached a server that speaks TLS.
  case securePort
  /// A file URL has no scheme.
  case fileURL
  /// The issuer of the certificate is not trusted.
  case privateAuthority
  /// The server ended the TLS handshake with an alert message.
  case alert
  /// The server requires a client certificate.
  case clientCertificate
  /// The proxy failed.
  case proxy
  /// The process has no free file descriptor.
  case fileDescriptors
  /// The public key of the server matches no certificate pin.
  case pin
  /// The client certificate, its key and the passphrase do not belong together.
  case ownCertificate
  /// The file of trusted certificate authorities is invalid.
  case authorities

  /// The advice in one or two sentences.
  var text: String {
    switch self {
    case .snakeCase:
      "The server writes names with underscores: set jsonCoding to .snakeCase, on the request or the agent's configuration."
    case .otherSpelling(let name): "Name the property so, or give it a CodingKey of \"\(name)\"."
    case .converted(let name):
      ".snakeCase makes \"\(JSONCoding.camelCased(name))\" of \"\(name)\": give the property that name, or a CodingKey of it."
    case .notJSON:
      "The server sent something else than JSON, or a part of it: look at what came, and at its Content-Type."
    case .furtherOn: "Compare the Response type with what the server sends at that place."
    case .dates:
      "If it is a date: set jsonCoding to .iso8601, on the request or the agent's configuration; else compare the types."
    case .emptyBody:
      "Where the server may answer nothing, let Response be Optional; where it always does, Void."
    case .prefix:
      "A prefix that keeps scripts out stands before the JSON: read it by .json().droppingXSSIPrefix()."
    case .charset:
      "Name the charset that the server means: .text(charset:), or .text(undeclared:) where it declares none."
    case .plainPort: "Nobody speaks TLS on that port: write http, or the port of https."
    case .closedHandshake:
      "First check the scheme: a server without TLS on that port ends the handshake so. Write http, or the port of https; "
        + "otherwise the server and the system share no version of TLS."
    case .securePort:
      "Something other than http speaks on that port, most often TLS: write https, or the port of http."
    case .fileURL:
      "A path becomes the URL of a file by URL(fileURLWithPath:); URL(string:) takes it for a part of a web address."
    case .privateAuthority:
      "If its authority is your own, trust it: CurlTransport(certificateAuthorities: file). Otherwise the server may "
        + "not send its whole chain."
    case .alert:
      "The server's reason stands above: often it wants a client certificate, or another version of TLS."
    case .clientCertificate:
      "Give one for that host: ConnectionSettings.tls.clientCertificates."
    case .pin:
      "The key of ConnectionSettings.tls.pins was replaced at the server, or somebody is between: compare it with what its owner says."
    case .ownCertificate:
      "Check the certificate, its key and the passphrase: ConnectionSettings.tls.clientCertificates."
    case .fileDescriptors:
      "Raise its limit (ulimit -n), close what it holds open, or send to fewer places at once."
    case .authorities: "Check the file of certificateAuthorities: certificates in PEM form."
    case .proxy:
      "Check the proxy: ConnectionSettings.proxies names it, or https_proxy, http_proxy or all_proxy of the environment."
    }
  }
}

/// An error that carries advice.
protocol Advised: Error {
  var advice: Advice? { get }
}

extension Advice {
  static let proxyCredentials = "Give the Proxy its credentials, in ConnectionSettings.proxies."

  /// The advice for each kind of failure, unless the failure has more specific advice.
  static let standard: [RequestError.Kind: String] = [
    .invalidURL: "Check baseURL of the request and of the agent, and the path.",
    .destination:
      "Check where the URL came from; AgentConfiguration.destinations says what may be asked.",
    .invalidRequest: "Check what is named above, in the request and in what filterRequest hooks add.",
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
    .notCached: "Load it once under another cachePolicy, or send it with .cacheElseNetwork.",
    .file: "Check the path above, who may write there, and the space that is left.",
    .pagination: "Check what the page says of the next one, and the pagination of the request.",
    .decoding: "Compare the Response type with what the server sends, shown above.",
  ]
}
