public import Errand

/// The message about a request that nothing answers: what it was, and the stubs that came nearest.
enum NearestStubs {
  /// How many are named.
  private static let limit = 3

  /// What is hidden in the message: the secrets of the stubs, and the credentials of what was sent.
  static func redaction(of sent: HTTPRequest?, among stubs: [Stub]) -> Redaction {
    let redaction = Redaction.standard.hiding(secrets: stubs.flatMap(\.secrets))
    return sent.map(redaction.hidingCredentials) ?? redaction
  }

  /// - Parameters:
  ///   - noun: what the stubs are called, `stub` or `route`.
  ///   - target: the URL or the target of the request, its secrets hidden.
  ///   - scenarios: the states of the mock's.
  ///   - redaction: what is hidden in the rest.
  ///   - beginsWithNearest: whether the first line says what the nearest stub lacks, for a message of which who reads it may see the
  ///     beginning only.
  static func message(
    _ noun: String, of request: ReceivedRequest, to target: String, among stubs: [Stub],
    in scenarios: [String: String], hiding redaction: Redaction, beginsWithNearest: Bool = false
  ) -> String {
    let problem = "no \(noun) answers \(request.method) \(MessageText.shortenedPlace(target))"
    guard !stubs.isEmpty else { return "\(problem); there are no \(noun)s" }
    var place = request.place
    // The order is kept among those that are equally far.
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
    return "\(difference): so \(nearest.stub.description(hiding: redaction)) did not answer\n\(message)"
  }

  private static func heading(_ noun: String, count: Int) -> String {
    if count == 1 { return "the only \(noun)" }
    return count <= limit ? "the \(noun)s, nearest first" : "the nearest \(limit) of \(count) \(noun)s"
  }
}

/// What keeps a stub from answering a request, in words, and how far they are from each other.
struct Mismatch {
  private(set) var distance = 0
  private var texts: [() -> String] = []

  var isEmpty: Bool { texts.isEmpty }

  /// They are written when they are asked for: most stubs are far away, and nobody reads of them.
  var differences: [String] { texts.map { $0() } }

  mutating func add(_ difference: @autoclosure @escaping () -> String, weight: Int) {
    distance += weight
    texts.append(difference)
  }
}

extension Mismatch {
  /// Finds what keeps a stub from answering a request; a stub that matches has given all its answers.
  ///
  /// - Parameters:
  ///   - scenarios: the states of the mock's.
  ///   - redaction: what is hidden in the words.
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
      add("spent after \(count) answer\(count == 1 ? "" : "s")", weight: 1)
    }
  }
}

extension RequestError.Kind {
  /// No stub of a ``MockTransport``, or no entry of a ``RecordingTransport``, answers the request; the reason names the nearest ones and
  /// what differs in each.
  public static let unmatchedStub = RequestError.Kind("unmatchedStub")

  /// A stub was to answer, but its value cannot be encoded; the reason says where it stands.
  public static let invalidStub = RequestError.Kind("invalidStub")
}
