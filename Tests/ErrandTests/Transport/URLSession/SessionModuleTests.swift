import Foundation
import Testing

@Suite("The module of URLSession")
struct SessionModuleTests {
  @Test("A program imports ErrandURLSession alone, on every platform")
  func reexports() async throws {
    let program = """
      import ErrandURLSession
      import Foundation

      let transport = URLSessionTransport(configuration: URLSessionConfiguration.ephemeral)
      let agent = RequestAgent(baseURL: "https://a.example", transport: transport)
      let message = URLRequest(HTTPRequest(url: URL(fileURLWithPath: "/")))
      """
    let (status, output) = try await Compiler.typecheck(program)
    #expect(status == 0, "\(output)")
  }

  #if os(Linux)
  @Test("A program over the other modules does not load FoundationNetworking")
  func unlinked() throws {
    let program = Compiler.products.appendingPathComponent("ExitProbe")
    let bytes = try Data(contentsOf: program, options: .mappedIfSafe)
    func loads(_ library: String) -> Bool { bytes.range(of: Data("\(library).so".utf8)) != nil }
    #expect(loads("libFoundation") && !loads("libFoundationNetworking"))
  }
  #endif
}
