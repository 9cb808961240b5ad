import BenchErrandCalls
import BenchSupport
import Errand
import Foundation

@main
struct BenchErrand {
  static func main() {
    let options = Options()
    let authority = options.authority.map { URL(filePath: $0) }
    measureErrand(options, over: CurlTransport(certificateAuthorities: authority))
  }
}
