import BenchErrandCalls
import BenchSupport
import ErrandURLSession

/// Separate from `BenchErrand`, because `ErrandURLSession` makes the start slower.
@main
struct BenchErrandURLSession {
  static func main() { measureErrand(Options(), over: URLSessionTransport()) }
}
