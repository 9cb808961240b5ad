package import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension TransportError {
  struct Place {
    let received: Int64
    let expected: Int64?
    let coding: String?
  }

  /// `peer` names the server; `place` is `nil` if unknown.
  init(_ error: any Error, peer: String, in place: Place?) {
    if let error = error as? TransportError {
      self = error
      return
    }
    guard let error = error as? URLError else {
      self.init(.transport, "the transfer failed: \(error.localizedDescription)")
      return
    }
    let entry =
      Self.entry(for: error.code) ?? Self.entry(forText: error.localizedDescription)
      ?? (.transport, "the transfer failed: \(error.localizedDescription)")
    self.init(
      entry.kind,
      (place.flatMap { Self.clause(for: entry, in: $0) } ?? entry.clause)
        .replacingOccurrences(of: "{peer}", with: peer),
      code: error.errorCode)
    if error.code == .secureConnectionFailed { advice = .closedHandshake }
  }

  package init(background error: any Error, url: URL?) {
    self.init(error, peer: url.map(WebScheme.peer) ?? "the server", in: nil)
  }

  private static func clause(for entry: Entry, in place: Place) -> String? {
    switch entry.clause {
    case cutBody:
      place.expected.map {
        "the connection was closed after \(place.received) of the \($0) bytes of the body"
      }
        ?? "the connection was closed inside the body, after \(place.received) bytes"
    case brokenConnection: "\(brokenConnection) while the response was received"
    case brokenCoding:
      place.coding.flatMap { HTTPMethod($0).isToken ? "the \($0.lowercased()) body is corrupt" : nil }
    default: nil
    }
  }

  private static let cutBody = "the connection to {peer} was closed inside the body"
  private static let brokenConnection = "the connection to {peer} broke"
  private static let brokenChunks = "the chunks of the body are malformed"
  private static let noField = "a line of the head of the response is not a header field"
  private static let brokenCoding = "the content coding of the body is broken"

  static func certificateRefused(by peer: String) -> TransportError {
    TransportError(
      .secureConnectionFailed,
      "the app refused the certificate of \(peer), or provided no client certificate for \(peer)")
  }

  static func bodyWasBegun(_ peer: String, method: HTTPMethod) -> TransportError {
    guard method.isIdempotent else { return mayHaveArrived(method) }
    return TransportError(.connectionLost, bodyWasBegunText.replacingOccurrences(of: "{peer}", with: peer))
  }

  private static let bodyWasBegunText =
    "{peer} closed a reused connection, and the body of the request cannot be sent again"

  private typealias Entry = (kind: RequestError.Kind, clause: String)

  private static func entry(for code: URLError.Code) -> Entry? {
    switch code {
    case .cancelled, .userCancelledAuthentication: (.cancelled, cancelled.message)
    case .cannotFindHost, .dnsLookupFailed:
      (.nameNotResolved, "the host name of {peer} could not be resolved")
    case .cannotConnectToHost: (.connectionFailed, "the connection to {peer} was refused")
    case .notConnectedToInternet:
      (.connectionFailed, "there is no network route to {peer}")
    case .internationalRoamingOff, .callIsActive, .dataNotAllowed:
      (.connectionFailed, "the system allows no connection to {peer} now")
    case .networkConnectionLost: (.connectionLost, brokenConnection)
    // The code for an empty response in Foundation on Linux.
    case .badServerResponse: (.connectionLost, "{peer} closed the connection without an answer")
    case .timedOut: (.timedOut, "the system gave up waiting for {peer}")
    // Unsupported URLs are refused before the transfer, so both codes concern the response.
    case .cannotParseResponse, .unsupportedURL: (.invalidResponse, "{peer} did not answer in HTTP")
    case .cannotDecodeRawData, .cannotDecodeContentData:
      (.corruptBody, brokenCoding)
    case .badURL: (.invalidURL, "the URL cannot be sent")
    case .dataLengthExceedsMaximum: (.invalidRequest, "the system sends no body with this method")
    case .requestBodyStreamExhausted: (.connectionLost, bodyWasBegunText)
    default: secureEntry(for: code)
    }
  }

  private static func secureEntry(for code: URLError.Code) -> Entry? {
    switch code {
    case .secureConnectionFailed: (.secureConnectionFailed, "the TLS handshake with {peer} failed")
    case .serverCertificateHasBadDate, .serverCertificateNotYetValid, .serverCertificateUntrusted,
      .serverCertificateHasUnknownRoot:
      (.secureConnectionFailed, "the certificate of {peer} was refused")
    case .clientCertificateRequired:
      (.secureConnectionFailed, "{peer} asks for a client certificate")
    case .clientCertificateRejected:
      (.secureConnectionFailed, "the client certificate could not be used")
    case .appTransportSecurityRequiresSecureConnection:
      (.secureConnectionFailed, "App Transport Security allows no connection to {peer} without TLS")
    default: nil
    }
  }

  /// Parts of libcurl's error texts, which Foundation on Linux reports.
  private static let texts: [(part: String, entry: Entry)] = [
    ("certificate", (.secureConnectionFailed, "the certificate of {peer} was refused")),
    ("SSL", (.secureConnectionFailed, "the TLS handshake with {peer} failed")),
    ("content encoding", (.corruptBody, brokenCoding)),
    ("content unencoding", (.corruptBody, brokenCoding)),
    ("ransferred a partial file", (.connectionLost, cutBody)),
    ("end of response with", (.connectionLost, cutBody)),
    ("transfer closed", (.connectionLost, cutBody)),
    ("Connection died", (.connectionLost, "{peer} closed the connection without an answer")),
    ("chunked-encoding", (.invalidResponse, brokenChunks)),
    ("Too long hexadecimal number", (.invalidResponse, brokenChunks)),
    ("Malformed encoding found", (.invalidResponse, brokenChunks)),
    ("Too large response headers", (.limitExceeded, "the head of the response is longer than libcurl takes")),
    ("Content-Length", (.invalidResponse, "the response's Content-Length is not a length")),
    ("Nul byte in header", (.invalidResponse, noField)),
    ("Header without colon", (.invalidResponse, noField)),
    ("Weird server reply", (.invalidResponse, "{peer} did not answer in HTTP")),
    ("Failed writing header", (.invalidResponse, noField)),
    ("Out of memory", (.invalidResponse, "a line of the head of the response is longer than libcurl takes")),
  ]

  private static func entry(forText text: String) -> Entry? {
    texts.first { text.contains($0.part) }?.entry
  }
}
