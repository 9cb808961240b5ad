import Errand
import Foundation

extension MockAnswer {
  /// The headers with the field that frames the body (RFC 9112 section 6), unless one is there.
  var framedHeaders: HTTPHeaders {
    guard !forbidsBody, !wire.isUnframed, !headers.contains("Content-Length"),
      !headers.contains("Transfer-Encoding")
    else { return headers }
    var framed = HTTPHeaders()
    framed.fields.reserveCapacity(headers.fields.count + 1)
    framed.fields += headers.fields
    if sendsChunks {
      framed.add("Transfer-Encoding", "chunked")
    } else if case .data(let data) = content {
      framed.add("Content-Length", String(data.count))
    }
    return framed
  }

  /// Whether the body has the framing of chunks, for a client that knows it.
  ///
  /// An answer with a length of its own has none, unless it says that it has (RFC 9112 section 6.3).
  var sendsChunks: Bool {
    guard !wire.isUnframed, !headers.contains("Content-Length") || headers.contains("Transfer-Encoding")
    else { return false }
    if case .chunks = content { return true }
    return !wire.trailers.fields.isEmpty
  }

  /// Whether the body follows the head (RFC 9112 section 6.3).
  func sendsBody(to method: HTTPMethod) -> Bool { method != .head && !forbidsBody }

  private var forbidsBody: Bool { status.isInformational || status == 204 || status == 304 }
}
