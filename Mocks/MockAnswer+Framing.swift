import Errand
import Foundation

extension MockAnswer {
  /// The headers with the field that frames the body (RFC 9112 section 6), unless one is there.
  var framedHeaders: HTTPHeaders {
    guard !forbidsBody, !headers.contains("Content-Length"), !headers.contains("Transfer-Encoding") else {
      return headers
    }
    var framed = headers
    switch content {
    case .data(let data): framed.add("Content-Length", String(data.count))
    case .chunks: framed.add("Transfer-Encoding", "chunked")
    case .failure: break
    }
    return framed
  }

  /// Whether the body follows the head (RFC 9112 section 6.3).
  func sendsBody(to method: HTTPMethod) -> Bool { method != .head && !forbidsBody }

  private var forbidsBody: Bool { status.isInformational || status == 204 || status == 304 }
}
