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
      guard response.status == 200 else { throw ThinError(text: "status \(response.status)") }
      switch options.mode {
      case .data: break
      case .decoded: try check(response.body, with: decoder)
      case .file, .discard: fail("the thin layer streams nothing")
      }
      return response.body.count
    }
  }

  private static func check(_ body: [UInt8], with decoder: JSONDecoder) throws {
    let data = Data(body)
    guard body.count < 10_000 else {
      return try check(decoder.decode(People.self, from: data).people.count == 100)
    }
    try check(decoder.decode(Person.self, from: data).id == 7)
  }

  private static func check(_ holds: Bool) throws {
    if !holds { throw ThinError(text: "not what the server sent") }
  }
}
