import Errand
import Foundation

/// The entries of a HAR file, to be found by a request.
struct RecordedEntries: Sendable {
  let file: URL
  let entries: [HAREntry]
  let redaction: Redaction
  private let indices: [RecordingKey: [Int]]

  init(_ entries: [HAREntry], file: URL, redaction: Redaction) {
    self.file = file
    self.entries = entries
    self.redaction = redaction
    var indices: [RecordingKey: [Int]] = [:]
    for (index, entry) in entries.enumerated() {
      guard let key = RecordingKey(entry.request.method, entry.request.url, redaction: redaction) else {
        continue
      }
      indices[key, default: []].append(index)
    }
    self.indices = indices
  }

  /// The entries for a method and a URL, and among those with different bodies the ones with this body.
  ///
  /// - Parameter comparingBodies: whether the bodies count also where all entries have the same.
  func matches(_ request: HTTPRequest, body: Data, comparingBodies: Bool = false) -> [Int] {
    let found = self.found(request)
    guard found.count > 1 || comparingBodies else { return found }
    let bodies = found.map { RecordingBody(entries[$0].request.postData, redaction: redaction) }
    guard comparingBodies || Set(bodies).count > 1 else { return found }
    let own = RecordingBody(
      body, type: request.headers["Content-Type"], redaction: redaction.hidingCredentials(of: request))
    return zip(found, bodies).filter { $0.1 == own }.map(\.0)
  }

  /// The entries for a method and a URL, whatever their bodies.
  func found(_ request: HTTPRequest) -> [Int] {
    if let found = key(of: request).flatMap({ indices[$0] }) { return found }
    // One that was recorded here has the request's own secrets hidden in its path too.
    return key(of: request, redaction.hidingCredentials(of: request)).flatMap { indices[$0] } ?? []
  }

  private func key(of request: HTTPRequest, _ redaction: Redaction) -> RecordingKey? {
    RecordingKey(request.method.token, request.url.absoluteString, redaction: redaction)
  }

  private func key(of request: HTTPRequest) -> RecordingKey? {
    key(of: request, redaction)
  }

  func exchange(at index: Int) -> RecordedExchange {
    RecordedExchange(entries[index], number: index + 1, file: file, redaction: redaction)
  }

  /// Up to three entries that differ least from a request, each with the parts that differ.
  func nearest(to request: HTTPRequest) -> [String] {
    guard let own = key(of: request) else { return [] }
    let rated = entries.indices.compactMap { index -> (index: Int, parts: [String], weight: Int)? in
      let request = entries[index].request
      guard let key = RecordingKey(request.method, request.url, redaction: redaction) else { return nil }
      let (parts, weight) = own.difference(from: key)
      return (index, parts, weight)
    }
    guard let least = rated.map(\.weight).min() else { return [] }
    var lines: Set<String> = []
    // Of entries that differ in the same way from the request and not from each other, one is enough.
    let different = rated.filter { rated in
      let request = entries[rated.index].request
      return rated.weight == least
        && (least == 0 || lines.insert("\(request.method) \(request.url)").inserted)
    }
    return different.prefix(3).map { rated in
      let parts = rated.parts.isEmpty ? ["body"] : rated.parts
      return "\(exchange(at: rated.index).line) (another \(parts.joined(separator: ", another ")))"
    }
  }
}
