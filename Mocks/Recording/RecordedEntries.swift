import ErrandJSON
public import Errand
import ErrandHARFormat
public import Foundation

struct RecordedEntries: Sendable {
  let file: URL
  let entries: [HAREntry]
  let redaction: Redaction
  let matching: RecordingMatching
  private let indices: [RecordingKey: [Int]]
  private let keys: [RecordingKey?]
  private let bodies: RecordedBodies

  init(
    _ entries: [HAREntry], file: URL, redaction: Redaction, matching: RecordingMatching = RecordingMatching()
  ) {
    self.file = file
    self.matching = matching
    self.entries = entries
    self.redaction = redaction
    keys = entries.map {
      RecordingKey(
        method: $0.request.method, url: $0.request.url, headers: HTTPHeaders(har: $0.request.headers),
        redaction: redaction,
        matching: matching)
    }
    var indices: [RecordingKey: [Int]] = [:]
    for (index, key) in keys.enumerated() {
      if let key { indices[key, default: []].append(index) }
    }
    self.indices = indices
    bodies = RecordedBodies(entries, redaction: redaction)
  }

  /// Returns the indices of the matching entries.
  ///
  /// Usually, bodies are compared only if the entries that match otherwise have different bodies.
  func matches(_ request: HTTPRequest, body: Data, comparingBodies: Bool = false) -> [Int] {
    let found = self.found(request)
    if matching.ignoresBody { return found }
    let comparingBodies = comparingBodies || matching.alwaysComparesBody
    guard found.count > 1 || comparingBodies else { return found }
    let groups = bodies.groups(of: found)
    guard comparingBodies || groups.count > 1 else { return found }
    let own = RecordingBody(
      body, type: request.headers["Content-Type"], redaction: redaction.hidingCredentials(of: request))
    return groups[own] ?? []
  }

  func found(_ request: HTTPRequest) -> [Int] {
    if let found = key(of: request).flatMap({ indices[$0] }) { return found }
    // In a recorded path, the request's credentials are hidden too.
    return key(of: request, redaction.hidingCredentials(of: request)).flatMap { indices[$0] } ?? []
  }

  private func key(of request: HTTPRequest, _ redaction: Redaction) -> RecordingKey? {
    RecordingKey(
      method: request.method.token, url: request.url.absoluteString, headers: request.headers,
      redaction: redaction,
      matching: matching)
  }

  private func key(of request: HTTPRequest) -> RecordingKey? {
    key(of: request, redaction)
  }

  func exchange(at index: Int) -> RecordedExchange {
    RecordedExchange(entries[index], number: index + 1, file: file, redaction: redaction)
  }

  func nearest(to request: HTTPRequest) -> [String] {
    guard let own = key(of: request) else { return [] }
    let weights = keys.map { $0.map { own.difference(from: $0).weight } }
    guard let least = weights.compactMap(\.self).min() else { return [] }
    var (lines, nearest) = (Set<String>(), [String]())
    for (index, key) in keys.enumerated() where weights[index] == least && nearest.count < 3 {
      let request = entries[index].request
      guard least == 0 || lines.insert("\(request.method) \(request.url)").inserted else { continue }
      let parts = key.map { own.difference(from: $0).parts } ?? []
      let others = (parts.isEmpty ? ["body"] : parts).joined(separator: ", another ")
      nearest.append("\(exchange(at: index).line) (another \(others))")
    }
    return nearest
  }

  init(
    reading file: URL, redaction: Redaction, matching: RecordingMatching = RecordingMatching()
  ) throws {
    let data: Data
    do {
      data = try Data(contentsOf: file)
    } catch {
      throw TransportError(.recording, "the recording \(file.path) cannot be read: \(Self.reason(error))")
    }
    do {
      let log = try JSONCoding().decode(HARFile.self, from: data.droppingByteOrderMark).log
      self.init(log.entries, file: file, redaction: redaction, matching: matching)
    } catch let error as DecodingError {
      let clause = error.explained(by: data, as: "the file").clause
      throw TransportError(.recording, "\(file.lastPathComponent) is not a HAR 1.2 file: \(clause)")
    }
  }

  init(readingIfThere file: URL, redaction: Redaction, matching: RecordingMatching) throws {
    if FileManager.default.fileExists(atPath: file.path) {
      try self.init(reading: file, redaction: redaction, matching: matching)
    } else {
      self.init([], file: file, redaction: redaction, matching: matching)
    }
  }

  static func write(_ entries: [HAREntry], to file: URL) throws {
    var entries = entries
    for index in entries.indices { entries[index].setPlace(index) }
    do {
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try ReplacedFile.write(HARFile(entries: entries).encoded(), to: file.path)
    } catch {
      throw TransportError(.recording, "the recording \(file.path) cannot be written: \(reason(error))")
    }
  }

  private static func reason(_ error: any Error) -> String {
    if !(error is CocoaError) { return "\(error)" }
    return (error as? CocoaError)?.code == .fileReadNoSuchFile
      ? "there is no such file" : error.localizedDescription
  }

  func unmatched(_ request: HTTPRequest, used: [Int]) -> TransportError {
    let name = file.lastPathComponent
    let line = "\(request.method) \(redaction.hidingCredentials(of: request).url(request.url))"
    let clause =
      if !used.isEmpty {
        "every entry of \(name) for \(line) was used: \(listed(used.map { "entry \($0 + 1)" }))"
      } else if entries.isEmpty {
        "no entry of \(name) answers \(line); the file has no entries"
      } else {
        "no entry of \(name) answers \(line); nearest: \(listed(nearest(to: request)))"
      }
    return TransportError(.unmatchedStub, "\(clause). Record the request once with the mode recordMissing")
  }

  private func listed(_ texts: [String]) -> String { texts.joined(separator: "; ") }
}

extension Data {
  fileprivate var droppingByteOrderMark: Data { starts(with: [0xEF, 0xBB, 0xBF]) ? dropFirst(3) : self }
}

/// A reference to an entry of a recording, by file and number.
public struct RecordedExchange: Sendable, Hashable, CustomStringConvertible {
  /// The HAR file.
  public let file: URL
  /// The number of the entry in the file, starting at 1.
  public let number: Int
  /// The method of the request.
  public let method: HTTPMethod
  /// The URL of the request, with secrets hidden by the recording's redaction.
  public let url: String
  /// The status of the response; 0 without a response.
  public let status: HTTPResponse.Status

  init(_ entry: HAREntry, number: Int, file: URL, redaction: Redaction) {
    self.file = file
    self.number = number
    method = HTTPMethod(redaction.text(entry.request.method))
    url = URL(string: entry.request.url).map(redaction.url) ?? redaction.text(entry.request.url)
    status = HTTPResponse.Status(max(entry.response.status, 0))
  }

  /// A text such as `users.har, entry 3, GET https://api.example.com/users/7, 200 OK`.
  public var description: String { "\(file.lastPathComponent), \(line), \(status)".printed }

  var line: String { "entry \(number), \(method) \(url)" }
}

extension RequestError.Kind {
  /// A recording cannot be read or written, a recorded body is invalid, or some entries were not used.
  public static let recording = RequestError.Kind("recording")
}
