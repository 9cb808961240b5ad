#if os(Linux)
import CCurl
import Foundation

extension CurlTransfer {
  func end(_ outcome: Result<Void, any Error>) {
    if exchange.request.listener != nil { steps.ended(self) }
    var metrics = TransportSummary.Metrics(handle)
    route.note(in: &metrics)
    if let waitForHead { metrics.firstByte = min(max(waitForHead, metrics.firstByte), metrics.total) }
    metrics.resends = max(sending.count - 1, 0)
    report(outcome, with: TransportSummary(trailers: parser.trailers, metrics: metrics))
  }

  var peer: String { WebScheme.peer(of: exchange.request.request.url) }
}
#endif
