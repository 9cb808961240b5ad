import Errand
import Foundation

extension TransportRequest {
  /// The method and the URL; secrets hidden.
  var line: String {
    "\(request.method) \(Redaction.standard.hidingCredentials(of: request).url(request.url))"
  }

  /// The same with a body that can be read twice.
  func keepingBody() async throws -> TransportRequest {
    guard case .stream(let stream, _) = request.body.content else { return self }
    var copy = self
    copy.request.body = .data(
      try await cancellation.cancelling {
        var bytes = Data()
        for try await chunk in stream { bytes.append(chunk) }
        return bytes
      })
    return copy
  }
}
