import ErrandJSON
import Foundation
import JSONCases

extension Commands {
  /// Decodes the same documents with the same codings on many threads.
  ///
  /// Checks that each thread has the results of a single thread.
  static func threads(_ options: Options) async -> Bool {
    let cases = (0..<2000).map { Case(seed: options.seed, index: $0) }
    let codings = [JSONCoding(), .snakeCase.iso8601]
    let decode: @Sendable (Int) -> Outcome = { index in
      cases[index].type.decode(codings[index % 2], cases[index].document)
    }
    let alone = await Workers.run(1) { _ in cases.indices.map(decode) }[0]
    let rounds = max(1, options.count / cases.count / options.jobs)
    let others = await Workers.run(options.jobs) { worker in
      var others: [Int] = []
      for round in 0..<rounds {
        for step in cases.indices {
          // In odd rounds, all threads decode the same document at about the same time.
          let index = round.isMultiple(of: 2) ? (step * (worker + 1) + worker) % cases.count : step
          if decode(index) != alone[index] { others.append(index) }
        }
      }
      return others
    }
    // If a dictionary has two faults, either fault may be reported.
    let faults = Set(others.joined()).filter { index in
      !Comparison.varies(than: alone[index]) { decode(index) }
    }
    for index in faults.sorted().prefix(10) {
      print("[OTHER ON A THREAD] \(cases[index])\n    alone: \(alone[index])")
    }
    let count = rounds * cases.count * options.jobs
    print("\(count) decoded on \(options.jobs) threads, \(faults.count) documents differed")
    return faults.isEmpty
  }
}
