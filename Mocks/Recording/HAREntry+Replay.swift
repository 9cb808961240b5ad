import Errand
import ErrandHARFormat
import Foundation

extension HAREntry {
  func replayed(to request: HTTPRequest, from exchange: RecordedExchange) throws -> TransportResponse {
    guard response.status > 0 else { throw failure(of: exchange) }
    guard let body = response.content.bytes else {
      throw TransportError(.recording, "the body of \(exchange) is not base64")
    }
    let head = HTTPResponse(
      status: HTTPResponse.Status(response.status), headers: HTTPHeaders(har: response.headers),
      url: request.url)
    let summary = TransportSummary(trailers: HTTPHeaders(har: response.trailers ?? []))
    return TransportResponse(head: head, body: BodyStream(body, summary: summary))
  }

  private func failure(of exchange: RecordedExchange) -> TransportError {
    let reason = response.error ?? comment ?? "no reason was recorded"
    return TransportError(
      Self.kind(of: reason), "the exchange failed when it was recorded (\(exchange.line)): \(reason)")
  }

  private static func kind(of reason: String) -> RequestError.Kind {
    let reason = reason.uppercased()
    return kinds.first { words, _ in words.contains { reason.contains($0) } }?.kind ?? .transport
  }

  private static let kinds: [(words: [String], kind: RequestError.Kind)] = [
    (["NAME_NOT_RESOLVED", "NAME_RESOLUTION", "UNKNOWN_HOST"], .nameNotResolved),
    (["TIMED_OUT", "TIMEOUT"], .timedOut),
    (["SSL", "CERT", "SECURE"], .secureConnectionFailed),
    (["CONNECTION_RESET", "CONNECTION_CLOSED", "EMPTY_RESPONSE", "NET_RESET"], .connectionLost),
    (["CONNECTION_REFUSED", "CONNECTION_FAILED", "ADDRESS_UNREACHABLE"], .connectionFailed),
  ]
}

extension HARContent {
  /// The body; empty if not recorded, `nil` if not decodable.
  var bytes: Data? { HARText(text: text ?? "", encoding: encoding).bytes(type: mimeType) }
}
