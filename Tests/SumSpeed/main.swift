import Errand
import Foundation

// Measures the MB per CPU second of each hash function, with pieces of a download's size.
// Tests/Benchmarks/sums builds and runs the program.
let kinds: [(String, RunningSum.Kind)] = [
  ("md5", .md5), ("sha1", .sha1), ("sha256", .sha256), ("sha512", .sha512),
]
let megabytes = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 200
let piece = [UInt8](repeating: 0x5A, count: 16_384)
for (name, kind) in kinds {
  var sum = RunningSum(kind)
  let start = clock()
  for _ in 0..<megabytes * 1_000_000 / piece.count { piece.withUnsafeBytes { sum.update($0) } }
  let seconds = Double(clock() - start) / Double(CLOCKS_PER_SEC)
  precondition(!sum.digest().isEmpty)
  print(name, Int(Double(megabytes) / max(seconds, 1e-6)))
}
