import Foundation
import Testing

@testable import ErrandJSON

@Suite("Random values are encoded as Foundation does")
struct EncodingRandomTests {
  /// The number of values.
  ///
  /// `ERRAND_JSON_COMPARISONS` overrides the default.
  private static let count =
    ProcessInfo.processInfo.environment["ERRAND_JSON_COMPARISONS"].flatMap(Int.init) ?? 2_000
  private static let seed =
    ProcessInfo.processInfo.environment["ERRAND_JSON_SEED"].flatMap(UInt64.init) ?? 15

  @Test("Plans over every use of containers, with random settings")
  func plans() async throws {
    var numbers = SeededNumbers(state: Self.seed)
    var failures = 0
    for round in 0..<Self.count {
      // Tests with servers run concurrently, and need time on the thread.
      await Task.yield()
      let plan = EncodingPlan.random(Int.random(in: 0...4, using: &numbers), &numbers)
      let encoder = Self.encoder(&numbers)
      encoder.outputFormatting.insert(.sortedKeys)
      let theirs = EncodingResult { try encoder.encode(plan) }
      let coding = JSONCoding(decoder: nil, encoder: encoder)
      let ours = EncodingResult { try coding.encode(plan) }
      if ours != theirs, !Self.mayDiffer(ours, theirs, encoder) {
        failures += 1
        if failures < 5 {
          Issue.record("round \(round), \(coding), \(plan):\n\(ours)\ninstead of\n\(theirs)")
        }
      }
      var unsorted = coding
      unsorted.outputFormatting.remove(.sortedKeys)
      let free = EncodingResult { try unsorted.encode(plan) }
      if free.bytes != theirs.bytes,
        !Self.mayDiffer(free, theirs, encoder)
      {
        Issue.record("round \(round) unsorted, \(coding), \(plan):\n\(free)\ninstead of\n\(theirs)")
      }
    }
    #expect(failures == 0)
  }

  @Test("Random keys become snake case as Foundation's")
  func snakeCase() throws {
    var numbers = SeededNumbers(state: Self.seed &+ 1)
    let letters = [
      "a", "b", "A", "B", "C", "_", "1", " ", "é", "É", "ß", "ǅ", "日", "e\u{301}", "\r\n", "Σ", "/",
    ]
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    for _ in 0..<Self.count {
      let few = Bool.random(using: &numbers) ? letters.prefix(8) : letters[...]
      let key = (0..<Int.random(in: 0..<10, using: &numbers)).map { _ in few.randomElement(using: &numbers)! }
        .joined()
      let value = EncodingPlan.object([.init(key: key, value: .int(1))])
      let theirs = EncodingResult { try encoder.encode(value) }
      #expect(EncodingResult { try JSONCoding.snakeCase.encode(value) } == theirs, "\(key.debugDescription)")
    }
  }

  @Test("Random numbers and dates have Foundation's text")
  func numbers() throws {
    var numbers = SeededNumbers(state: Self.seed &+ 2)
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    let coding = JSONCoding(decoder: nil, encoder: encoder)
    for _ in 0..<Self.count {
      let doubles = (0..<20).map { _ in EncodingPlan.double(&numbers) }.filter(\.isFinite)
      #expect(EncodingResult { try coding.encode(doubles) } == EncodingResult { try encoder.encode(doubles) })
      let floats = (0..<5).map { _ in Float(bitPattern: UInt32(truncatingIfNeeded: numbers.next())) }.filter(
        \.isFinite)
      #expect(EncodingResult { try coding.encode(floats) } == EncodingResult { try encoder.encode(floats) })
      let date = Date(timeIntervalSinceReferenceDate: .random(in: -7e10...3e11, using: &numbers))
      #expect(
        EncodingResult { try coding.encode(date) } == EncodingResult { try encoder.encode(date) }, "\(date)")
    }
  }

  /// True if the two failures may differ.
  ///
  /// Encoders report the first of several errors in a dictionary. With a key strategy, Foundation iterates
  /// over a copy of the dictionary, whose order differs.
  private static func mayDiffer(_ ours: EncodingResult, _ theirs: EncodingResult, _ encoder: JSONEncoder)
    -> Bool
  {
    guard case .failure = ours, case .failure = theirs else { return false }
    if case .useDefaultKeys = encoder.keyEncodingStrategy { return false }
    return true
  }

  private static func encoder(_ numbers: inout SeededNumbers) -> JSONEncoder {
    let encoder = JSONEncoder()
    if Bool.random(using: &numbers) { encoder.outputFormatting.insert(.prettyPrinted) }
    if Bool.random(using: &numbers) { encoder.outputFormatting.insert(.withoutEscapingSlashes) }
    switch Int.random(in: 0..<6, using: &numbers) {
    case 0: encoder.dateEncodingStrategy = .secondsSince1970
    case 1: encoder.dateEncodingStrategy = .millisecondsSince1970
    case 2: encoder.dateEncodingStrategy = .iso8601
    case 3:
      encoder.dateEncodingStrategy = .custom { date, encoder in
        if date.timeIntervalSince1970 < 0 { return }
        var container = encoder.unkeyedContainer()
        try container.encode(date.timeIntervalSince1970)
        try container.encode(encoder.codingPath.map(\.stringValue))
      }
    default: break
    }
    switch Int.random(in: 0..<4, using: &numbers) {
    case 0: encoder.dataEncodingStrategy = .deferredToData
    case 1:
      encoder.dataEncodingStrategy = .custom { data, encoder in
        var container = encoder.singleValueContainer()
        try container.encode(["count": data.count])
      }
    default: break
    }
    switch Int.random(in: 0..<4, using: &numbers) {
    case 0: encoder.keyEncodingStrategy = .convertToSnakeCase
    case 1:
      encoder.keyEncodingStrategy = .custom { path in
        EncodingPlan.Key("\(path.count) " + path.map(\.stringValue).joined(separator: "."))
      }
    default: break
    }
    if Bool.random(using: &numbers) {
      encoder.nonConformingFloatEncodingStrategy = .convertToString(
        positiveInfinity: "+/", negativeInfinity: "-\"", nan: "none")
    }
    return encoder
  }
}
