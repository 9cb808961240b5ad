import Foundation

/// What this process is to do, from its command line.
struct Options {
  enum Engine: String {
    case foundation, errand
    /// Once by each, and both have to give the same.
    case both
  }

  enum Direction: String {
    case decode, encode
  }

  let workload: Case
  let engine: Engine
  let direction: Direction
  /// How many times; with 0 everything is done but that.
  let rounds: Int

  /// Reads `--case NAME --engine foundation|errand|both --direction decode|encode --rounds N`; ends the process when it is wrong.
  init() {
    let words = Array(CommandLine.arguments.dropFirst())
    var given: [String: String] = [:]
    for place in stride(from: 0, to: words.count - 1, by: 2) { given[words[place]] = words[place + 1] }
    guard
      words.count.isMultiple(of: 2),
      given.keys.allSatisfy({ ["--case", "--engine", "--direction", "--rounds"].contains($0) }),
      let workload = Case(rawValue: given["--case"] ?? ""),
      let engine = Engine(rawValue: given["--engine"] ?? "both"),
      let direction = Direction(rawValue: given["--direction"] ?? "decode"),
      let rounds = Int(given["--rounds"] ?? "1"), rounds >= 0
    else {
      let names = Case.allCases.map(\.rawValue).joined(separator: "|")
      end("usage: --case \(names) --engine foundation|errand|both --direction decode|encode --rounds N")
    }
    if direction == .encode, workload.fails { end("there is no value to encode") }
    self.workload = workload
    self.engine = engine
    self.direction = direction
    self.rounds = rounds
  }
}

/// Ends the process, with a word to whoever called it.
func end(_ text: String) -> Never {
  FileHandle.standardError.write(Data("bench-json: \(text)\n".utf8))
  exit(1)
}
