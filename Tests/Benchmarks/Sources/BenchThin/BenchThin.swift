import BenchSupport
import Foundation

@main
struct BenchThin {
  static func main() {
    let options = Options()
    let client = ThinClient(inFlight: options.inFlight, authority: options.authority)
    let url = options.url
    let decoder = JSONDecoder()
    measure(options) {
      let response = try await client.send(url)
      try expectOK(response.status)
      switch options.mode {
      case .data: break
      case .decoded: try options.decode(Data(response.body), decoder)
      case .file, .discard, .upload, .form: fail("the thin layer streams nothing")
      }
      return response.body.count
    }
  }
}
