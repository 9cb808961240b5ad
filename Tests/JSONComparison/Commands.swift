import Foundation
import JSONCases

/// Each command prints its findings, and returns true if there is no fault.
enum Commands {
  static func compare(_ options: Options) async -> Bool {
    if let index = options.only {
      // Printed first, because a decoder may crash the process.
      let tested = Case(seed: options.seed, index: index)
      FileHandle.standardOutput.write(Data("\(tested)\n".utf8))
      let (verdict, difference) = Comparison.run(tested)
      print("[\(verdict)] \(difference)")
      return !verdict.isFault
    }
    let start = ContinuousClock.now
    let tallies = await Workers.run(options.jobs) { worker in
      var tally = Tally()
      for index in stride(from: worker, to: options.count, by: options.jobs) {
        let tested = Case(seed: options.seed, index: index)
        if let type = options.type, !tested.type.name.hasSuffix(type) { continue }
        if options.announces { FileHandle.standardError.write(Data("#\(index)\n".utf8)) }
        let (verdict, difference) = Comparison.run(tested)
        tally.add(verdict, difference)
      }
      return tally
    }
    return report(tallies, since: start)
  }

  static func depths(_ options: Options) async -> Bool {
    let start = ContinuousClock.now
    let tallies = await Workers.run(options.jobs) { worker in
      var tally = Tally()
      for depth in stride(from: 1 + worker, through: options.size, by: options.jobs) {
        for document in DepthDocument.all(depth: depth) {
          for type in [CaseType.levels(of: document.kind), .person] {
            let (verdict, difference) = document.compare(type)
            tally.add(verdict, difference)
          }
        }
      }
      return tally
    }
    return report(tallies, since: start)
  }

  static func mutated(_ options: Options) async -> Bool {
    let start = ContinuousClock.now
    let slowest = await Workers.run(options.jobs) { worker in
      var slowest = Slowest()
      for index in stride(from: worker, to: options.count, by: options.jobs) {
        let tested = Case.mutated(seed: options.seed, index: index)
        slowest.decode(tested)
        // Covers all types in turn.
        for offset in 0..<3 {
          var other = tested
          other.type = CaseType.all[(index * 3 + offset) % CaseType.all.count]
          slowest.decode(other)
        }
      }
      return slowest
    }
    return report(slowest, since: start)
  }

  static func hostile(_ options: Options) async -> Bool {
    let start = ContinuousClock.now
    let slowest = await Workers.run(1) { _ in
      var slowest = Slowest()
      for (name, document) in HostileDocument.all(size: options.size) {
        var here = Slowest()
        for type in CaseType.all { here.decode(Case(type: type, document: document)) }
        var snake = CaseSettings()
        snake.keys = .snake
        for type in CaseType.all { here.decode(Case(type: type, settings: snake, document: document)) }
        print("\(name): \(here)")
        slowest.add(here)
      }
      return slowest
    }
    return report(slowest, since: start)
  }

  private static func report(_ tallies: [Tally], since start: ContinuousClock.Instant) -> Bool {
    var all = Tally()
    for tally in tallies { all.add(tally) }
    print(all)
    print("in \(ContinuousClock.now - start)")
    return all.faults == 0 && all.total > 0
  }

  private static func report(_ parts: [Slowest], since start: ContinuousClock.Instant) -> Bool {
    var all = Slowest()
    for part in parts { all.add(part) }
    print(all)
    print("in \(ContinuousClock.now - start)")
    if all.isTooSlow, let tested = all.tested { print("longer than \(Slowest.limit): \(tested)") }
    return !all.isTooSlow
  }
}
