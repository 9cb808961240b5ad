import Errand
import Foundation

/// The entries of a HAR file, to be found by a request.
struct RecordedEntries: Sendable {
  let file: URL
  let entries: [HAREntry]
  let redaction: Redaction
  private let indices: [RecordingKey: [Int]]
  /// The key of each entry; `nil` where its URL is none.
  private let keys: [RecordingKey?]
  private let bodies: RecordedBodies

  init(_ entries: [HAREntry], file: URL, redaction: Redaction) {
    self.file = file
    self.entries = entries
    self.redaction = redaction
    keys = entries.map { RecordingKey($0.request.method, $0.request.url, redaction: redaction) }
    var indices: [RecordingKey: [Int]] = [:]
    for (index, key) in keys.enumerated() {
      if let key { indices[key, default: []].append(index) }
    }
    self.indices = indices
    bodies = RecordedBodies(entries, redaction: redaction)
  }

  /// The entries for a method and a URL, and among those with different bodies the ones with this body.
  ///
  /// - Parameter comparingBodies: whether the bodies count also where all entries have the same.
  func matches(_ request: HTTPRequest, body: Data, comparingBodies: Bool = false) -> [Int] {
    let found = self.found(request)
    guard found.count > 1 || comparingBodies else { return found }
    let groups = bodies.groups(of: found)
    guard comparingBodies || groups.count > 1 else { return found }
    let own = RecordingBody(
      body, type: request.headers["Content-Type"], redaction: redaction.hidingCredentials(of: request))
    return groups[own] ?? []
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
    let weights = keys.map { $0.map { own.difference(from: $0).weight } }
    guard let least = weights.compactMap(\.self).min() else { return [] }
    var (lines, nearest) = (Set<String>(), [String]())
    for (index, key) in keys.enumerated() where weights[index] == least && nearest.count < 3 {
      let request = entries[index].request
      // Of entries that differ in the same way from the request and not from each other, one is enough.
      guard least == 0 || lines.insert("\(request.method) \(request.url)").inserted else { continue }
      let parts = key.map { own.difference(from: $0).parts } ?? []
      let others = (parts.isEmpty ? ["body"] : parts).joined(separator: ", another ")
      nearest.append("\(exchange(at: index).line) (another \(others))")
    }
    return nearest
  }
}
