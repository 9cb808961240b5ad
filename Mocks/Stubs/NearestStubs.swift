public import Errand

enum NearestStubs {
  private static let limit = 3

  static func redaction(of sent: HTTPRequest?, among stubs: [Stub]) -> Redaction {
    let redaction = Redaction.standard.hiding(secrets: stubs.flatMap(\.secrets))
    return sent.map(redaction.hidingCredentials) ?? redaction
  }

  static func message(
    _ noun: String, of request: ReceivedRequest, to target: String, among stubs: [Stub],
    in scenarios: [String: String], hiding redaction: Redaction, beginsWithNearest: Bool = false
  ) -> String {
    let problem = "no \(noun) answers \(request.method) \(MessageText.shortenedPlace(target))"
    guard !stubs.isEmpty else { return "\(problem); there are no \(noun)s" }
    var place = request.place
    // Because of the offset, stubs with equal distances stay in the order of matching.
    let ranked = stubs.map {
      (stub: $0, mismatch: Mismatch(of: $0, with: request, at: &place, in: scenarios, hiding: redaction))
    }
    .enumerated()
    .sorted {
      ($0.element.mismatch.distance, $0.offset) < ($1.element.mismatch.distance, $1.offset)
    }
    let lines = ranked.prefix(limit).enumerated().map { number, row in
      let differences = row.element.mismatch.differences.joined(separator: "; ")
      return "\n\(number + 1). \(row.element.stub.description(hiding: redaction)): \(differences)"
    }
    let message = "\(problem); \(heading(noun, count: stubs.count)):\(lines.joined())"
    guard beginsWithNearest, let nearest = ranked.first?.element,
      let difference = nearest.mismatch.differences.first
    else { return message }
    return "\(difference), so \(nearest.stub.description(hiding: redaction)) did not answer\n\(message)"
  }

  private static func heading(_ noun: String, count: Int) -> String {
    if count == 1 { return "the only \(noun)" }
    return count <= limit ? "the \(noun)s, nearest first" : "the nearest \(limit) of \(count) \(noun)s"
  }
}

struct Mismatch {
  private(set) var distance = 0
  private var texts: [() -> String] = []

  var isEmpty: Bool { texts.isEmpty }

  var differences: [String] { texts.map { $0() } }

  mutating func add(_ difference: @autoclosure @escaping () -> String, weight: Int) {
    distance += weight
    texts.append(difference)
  }
}

extension Mismatch {
  /// Compares a stub with a request.
  ///
  /// A stub without any difference has no answers left, and is reported as used up.
  init(
    of stub: Stub, with request: ReceivedRequest, at place: inout RequestTarget,
    in scenarios: [String: String],
    hiding redaction: Redaction
  ) {
    self = stub.pattern.mismatch(with: request.method, at: &place, hiding: redaction)
    let shown = MessageText(redaction: redaction)
    let request = request.filled(for: stub.pattern, in: &place)
    for condition in stub.conditions {
      guard let difference = condition.difference(in: request, shown) else { continue }
      add(difference, weight: 2)
    }
    if let difference = stub.step?.difference(in: scenarios) { add(difference, weight: 1) }
    if isEmpty {
      let count = max(stub.counts.highest ?? 0, 0)
      add("used up after \(count) answer\(count == 1 ? "" : "s")", weight: 1)
    }
  }
}

extension RequestError.Kind {
  /// No stub of a ``MockTransport`` or entry of a ``RecordingTransport`` answers the request.
  public static let unmatchedStub = RequestError.Kind("unmatchedStub")

  /// A mock's answer cannot be built.
  public static let invalidStub = RequestError.Kind("invalidStub")
}
