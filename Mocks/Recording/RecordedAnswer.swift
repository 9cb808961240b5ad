import Errand
import Foundation

/// One exchange as a transport carried it, before its secrets are hidden.
struct RecordedAnswer: Sendable {
  var request: HTTPRequest
  /// The body of the request, a stream drained.
  var requestBody: Data
  var head: HTTPResponse
  var body: Data
  var summary: TransportSummary
  /// Whether the body was read to its end.
  var isWhole: Bool
  /// When it was sent and how long it took, where times are kept.
  var times: Times?

  struct Times: Sendable {
    var started: Date
    var elapsed: Duration
  }

  /// Lets the test change it; whether it is kept.
  mutating func change(by edit: RecordingTransport.Edit) -> Bool {
    request.body =
      requestBody.isEmpty ? .none : .data(requestBody, contentType: request.headers["Content-Type"])
    head.body = body
    let isKept = edit(&request, &head)
    body = head.body
    head.body = Data()
    switch request.body.content {
    case .none: requestBody = Data()
    case .data(let data): requestBody = data
    // One that the edit put there would have to be waited for.
    case .stream: break
    }
    return isKept
  }
}

extension HAREntry {
  /// What is written of an exchange; what the request has under the names of secrets is hidden wherever it comes back.
  init(_ answer: RecordedAnswer, redaction: Redaction) {
    let redaction = redaction.hidingCredentials(of: answer.request)
    request = HARRequest(answer, redaction: redaction)
    response = HARResponse(answer, redaction: redaction)
    if !answer.isWhole { comment = "The body was given up after \(answer.body.count) bytes." }
    guard let times = answer.times else { return }
    startedDateTime = Self.dateTime(times.started)
    timings = answer.summary.metrics.map(HARTimings.init) ?? HARTimings(elapsed: times.elapsed)
    time = timings.total
  }

  /// Without times of its own, an entry is dated by its place, so that readers that sort by time keep the order.
  mutating func setPlace(_ index: Int) {
    guard startedDateTime.isEmpty else { return }
    startedDateTime = Self.dateTime(Date(timeIntervalSince1970: Double(index) / 1000))
  }

  private static func dateTime(_ date: Date) -> String {
    date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
  }
}

extension HARTimings {
  /// Of a transport that measures nothing.
  fileprivate init(elapsed: Duration) { wait = elapsed / .milliseconds(1) }
}

/// The bodies of recorded requests, made comparable once, when they are first asked for.
final class RecordedBodies: Sendable {
  private let entries: [HAREntry]
  private let redaction: Redaction
  /// By the first of the entries that were asked for together.
  private let known = Locked<[Int: [RecordingBody: [Int]]]>([:])

  init(_ entries: [HAREntry], redaction: Redaction) {
    self.entries = entries
    self.redaction = redaction
  }

  /// The entries of one method and URL by their bodies, each list in order.
  func groups(of indices: [Int]) -> [RecordingBody: [Int]] {
    guard let first = indices.first else { return [:] }
    if let groups = known.withLock({ $0[first] }) { return groups }
    let groups = Dictionary(grouping: indices) { index in
      RecordingBody(entries[index].request.postData, redaction: redaction)
    }
    known.withLock { $0[first] = groups }
    return groups
  }
}
