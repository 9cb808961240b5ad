import Errand
import Foundation

extension HARResponse {
  init(_ answer: RecordedAnswer, redaction: Redaction) {
    let head = answer.head
    status = head.status.code
    statusText = head.status.reasonPhrase ?? ""
    httpVersion = answer.summary.metrics?.httpVersion ?? ""
    headers = redaction.headers(head.headers).pairs.map(Self.escapingLocation)
    content = HARContent(answer.body, type: head.headers["Content-Type"], redaction: redaction)
    redirectURL = headers.first { $0.isLocation }?.value ?? ""
    let trailers = redaction.headers(answer.summary.trailers).pairs
    self.trailers = trailers.isEmpty ? nil : trailers
  }

  /// A replayed redirect has to lead somewhere.
  private static func escapingLocation(_ field: HARPair) -> HARPair {
    field.isLocation ? HARPair(name: field.name, value: Redaction.escapingMarker(field.value)) : field
  }
}

extension HARPair {
  fileprivate var isLocation: Bool { name.lowercased() == "location" }
}

extension HARContent {
  fileprivate init(_ body: Data, type: String?, redaction: Redaction) {
    mimeType = type ?? ""
    // Written even where it is empty: some readers cannot do without.
    let recorded = HARText(body, type: type, redaction: redaction)
    text = recorded.text
    encoding = recorded.encoding
    size = recorded.bytes(type: type)?.count ?? body.count
  }
}
