import Foundation

/// The options from the command line.
struct Options {
  enum Engine: String {
    case foundation, errand
    /// Runs both engines once and compares the results.
    case both
  }

  enum Direction: String {
    case decode, encode
  }

  let workload: Case
  let engine: Engine
  let direction: Direction
  /// The number of repetitions.
  ///
  /// With 0, the process does everything except decoding or encoding.
  let rounds: Int

  /// Reads `--case NAME --engine foundation|errand|both --direction decode|encode --rounds N`.
  ///
  /// Ends the process if the arguments are invalid.
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

/// Writes a message to standard error, and ends the process with status 1.
func end(_ text: String) -> Never {
  FileHandle.standardError.write(Data("bench-json: \(text)\n".utf8))
  exit(1)
}
