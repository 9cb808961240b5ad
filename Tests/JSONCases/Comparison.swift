import Foundation

/// The verdict on two outcomes.
package enum Verdict: Hashable, Sendable, Comparable, CustomStringConvertible {
  case sameValue, sameError
  /// The document is too deep for Foundation, and was refused.
  case refusedAsTooDeep
  /// Only ErrandJSON decoded the document, because Foundation might crash.
  case oursAlone
  /// A difference with a named reason.
  case allowed(String)
  /// Foundation's results differ from run to run.
  case foundationVaries
  case otherValue, onlyOursFails, onlyFoundationFails, otherError
  /// The document is too deep for Foundation, but was accepted, or refused with a wrong error.
  case acceptedTooDeep

  /// True if the verdict is a fault.
  package var isFault: Bool { self > .foundationVaries }

  private var rank: (Int, String) {
    switch self {
    case .sameValue: (0, "same value")
    case .sameError: (1, "same error")
    case .refusedAsTooDeep: (2, "too deep, refused")
    case .oursAlone: (3, "ours alone")
    case .allowed(let name): (4, "allowed: \(name)")
    case .foundationVaries: (5, "Foundation varies")
    case .otherValue: (6, "OTHER VALUE")
    case .onlyOursFails: (7, "ONLY OURS FAILS")
    case .onlyFoundationFails: (8, "ONLY FOUNDATION FAILS")
    case .otherError: (9, "OTHER ERROR")
    case .acceptedTooDeep: (10, "TOO DEEP, ACCEPTED")
    }
  }

  package static func < (left: Verdict, right: Verdict) -> Bool { left.rank < right.rank }
  package var description: String { rank.1 }
}

/// A case with both outcomes.
package struct Difference: Sendable, CustomStringConvertible {
  package let tested: Case
  package let foundation: Outcome?
  package let ours: Outcome

  package var description: String {
    "\(tested)\n    Foundation: \(foundation.map(Self.short) ?? "not run")\n    ours:       \(Self.short(ours))"
  }

  private static func short(_ outcome: Outcome) -> String {
    let text = outcome.description
    return text.utf8.count > 2500 ? "\(text.prefix(2400))…" : text
  }
}

/// Decodes with both decoders, and judges the outcomes.
package enum Comparison {
  package static func run(_ tested: Case) -> (verdict: Verdict, difference: Difference) {
    let depth = Depth.judge(tested.document, tested.settings)
    let ours = tested.ours()
    guard depth == .fits, !tested.mayEndFoundation else {
      let difference = Difference(tested: tested, foundation: nil, ours: ours)
      return (depth == .tooDeep ? judgeTooDeep(ours) : .oursAlone, difference)
    }
    let difference = Difference(tested: tested, foundation: tested.foundation(), ours: ours)
    return (judge(difference), difference)
  }

  private static func judgeTooDeep(_ ours: Outcome) -> Verdict {
    if case .failure(let error) = ours, error.kind == .dataCorrupted {
      .refusedAsTooDeep
    } else {
      .acceptedTooDeep
    }
  }

  /// - Parameter name: An allowance that is ignored.
  static func judge(_ difference: Difference, except name: String? = nil) -> Verdict {
    guard let foundation = difference.foundation else { return .oursAlone }
    let plain = compare(foundation, difference.ours)
    guard plain.isFault else { return plain }
    if let allowance = Allowance.all.first(where: { $0.name != name && $0.covers(difference) }) {
      return .allowed(allowance.name)
    }
    return varies(than: foundation) { difference.tested.foundation() } ? .foundationVaries : plain
  }

  static func compare(_ foundation: Outcome, _ ours: Outcome) -> Verdict {
    switch (foundation, ours) {
    case (.value, .value): foundation == ours ? .sameValue : .otherValue
    case (.failure, .failure): foundation == ours ? .sameError : .otherError
    case (.value, .failure): .onlyOursFails
    case (.failure, .value): .onlyFoundationFails
    }
  }

  /// True if the work sometimes has another result.
  ///
  /// The order of a dictionary depends on its memory address. So this function allocates blocks of many sizes
  /// between the runs.
  package static func varies(than first: Outcome, _ work: () -> Outcome) -> Bool {
    var taken: [UnsafeMutableRawPointer] = []
    defer { for memory in taken { memory.deallocate() } }
    for _ in 0..<40 {
      for size in stride(from: 16, through: 4096, by: 16) {
        for _ in 0..<(size <= 1024 ? 8 : 2) {
          taken.append(.allocate(byteCount: size, alignment: 16))
        }
      }
      if work() != first { return true }
    }
    return false
  }
}
