import Foundation
import Testing

@testable import Errand

@Suite("A body behind a prefix against scripts") struct UnprefixedResponseTests {
  private let json = StandardSerializer<[Int]>.json().droppingXSSIPrefix()
  private let data = StandardSerializer<Data>.data.droppingXSSIPrefix()

  private func rest(_ body: String) async throws -> String {
    String(decoding: try await data.serialize(.of(body), context: .test()), as: UTF8.self)
  }

  @Test(
    "The value is decoded without the prefix",
    arguments: [
      ")]}'\n[1]", ")]}',\n[1]", ")]}'\r\n[1]", ")]}'[1]", ")]}'\n\n  [1]", "while(1);[1]",
      "while (1) ;\n[1]",
      "for(;;);[1]", "for (;;);\n [1]", "\n)]}'\n[1]", "\u{FEFF})]}'\n[1]", "\u{FEFF}while(1);[1]", "[1]",
      " [1]",
    ])
  func dropped(_ body: String) async throws {
    #expect(try await json.serialize(.of(body), context: .test()) == [1])
  }

  @Test("A body without a prefix is unchanged, and after a prefix only blanks are dropped")
  func kept() async throws {
    for body in [
      "", "\u{FEFF}[1]", " [1]\n", ")]}", ")]", "while(1)", "while(2);[1]", "for(;;)", "x)]}'\n", "forms",
    ] {
      #expect(try await rest(body) == body)
    }
    #expect(try await rest(")]}'\n)]}'\n[1]") == ")]}'\n[1]")
    #expect(try await rest("while(1);,[1] \n") == ",[1] \n")
    for body in [")]}'\n", "for(;;);"] { #expect(try await rest(body) == "") }
  }

  @Test("The inner serializer and validators see no prefix, and the accepted types are unchanged")
  func others() async throws {
    #expect(json.accept == "application/json" && data.accept == nil)
    #expect(StandardValidator.json([:]).refusal(.of(")]}'\n{}")) != nil)
    await #expect(throws: Refusal("the body is empty", kind: .decoding)) {
      try await json.serialize(.of(")]}'\n"), context: .test())
    }
  }

  struct Guarded: Request {
    typealias Response = [Int]
    let path = "guarded"
    var responseSerializer: any ResponseSerializer<[Int]> { .json(keyPath: "data").droppingXSSIPrefix() }
  }

  @Test("A request and a quick call can use the serializer with a leading dot")
  func requests() async throws {
    let agent = RequestAgent.answering(")]}'\n{\"data\":[1,2]}")
    #expect(try await agent.send(Guarded()) == [1, 2])
    let quick = OneOffRequest<[Int]>("guarded", response: .json(keyPath: "data").droppingXSSIPrefix())
    #expect(try await agent.send(quick) == [1, 2])
  }
}
