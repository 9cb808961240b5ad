import Foundation
import Testing

@testable import Errand
@testable import ErrandJSON

/// A stack overflow would end the process of all tests.
@Suite("Deep values on a small stack")
struct DeepValuesTests {
  static let levels = 511

  /// Objects and arrays alternate, with a scalar in each array.
  static func text(_ levels: Int, leaf: String = "1") -> String {
    let pairs = String(repeating: #"{"a":[0,"#, count: levels / 2)
    let open = levels % 2 == 1 ? #"{"a":"# : ""
    return pairs + open + leaf + (open.isEmpty ? "" : "}") + String(repeating: "]}", count: levels / 2)
  }

  static func value(_ levels: Int, leaf: String = "1") throws -> JSONValue {
    try JSONCoding().decode(JSONValue.self, from: Data(text(levels, leaf: leaf).utf8))
  }

  static func node(_ levels: Int, _ leaf: Parameters.Node = .integer(1)) -> Parameters.Node {
    (0..<levels).reduce(leaf) { inner, level in
      level.isMultiple(of: 2) ? .list([inner]) : .object(["a": inner])
    }
  }

  @Test("JSON without a type is read, compared, hashed, printed and changed", arguments: SmallStack.sizes)
  func json(_ size: Int) async throws {
    let problems = try await SmallStack.run(size) {
      Result {
        let (one, same, other) = (
          try Self.value(Self.levels), try Self.value(Self.levels), try Self.value(Self.levels, leaf: "2")
        )
        var problems: [String] = []
        func check(_ isRight: Bool, _ what: String) { if !isRight { problems.append(what) } }
        check(one == same && one != other, "==")
        check(one.hashValue == same.hashValue && one.hashValue != other.hashValue, "hash")
        check(try one.text() == Self.text(Self.levels), "text")
        check(one.description == Self.text(Self.levels), "description")
        let nulls = try Self.value(Self.levels, leaf: "null").droppingNulls()
        check(try nulls.text() == Self.text(Self.levels - 1, leaf: "{}"), "droppingNulls")
        check(one.parameterNode == same.parameterNode, "parameterNode")
        return problems
      }
    }.get()
    #expect(problems == [])
  }

  @Test("The text of 512 nested containers can be read, and 513 containers have no text", arguments: [0, 1])
  func limit(extra: Int) throws {
    for leaf in [JSONValue.array([]), .object([:])] {
      let value = (1..<512 + extra).reduce(leaf) { inner, _ in .array([inner]) }
      let text = Result { try value.text() }
      if extra == 0 {
        #expect(try JSONCoding().decode(JSONValue.self, from: Data(text.get().utf8)) == value)
      } else {
        #expect("\(text)".contains("the value is nested deeper than 512 levels"))
      }
    }
  }

  @Test("JSON without a type is encoded, or refused", arguments: SmallStack.sizes)
  func encoded(_ size: Int) async throws {
    for levels in [3, 20, 60, 150, 300, Self.levels] {
      let text = await SmallStack.run(size) {
        do {
          return String(decoding: try JSONCoding().encode(try Self.value(levels)), as: UTF8.self)
        } catch EncodingError.invalidValue(_, let context) {
          return context.debugDescription
        } catch {
          return "\(error)"
        }
      }
      let refusal =
        "Unable to encode the given top-level value to JSON: the value is nested too deeply for the stack of this thread."
      #expect(text == Self.text(levels) || text == refusal && levels > 3)
    }
  }

  @Test("Parameters are compared, hashed, sorted and searched", arguments: SmallStack.sizes)
  func parameters(_ size: Int) async throws {
    let problems = await SmallStack.run(size) {
      let (one, same, other) = (Self.node(500), Self.node(500), Self.node(500, .integer(2)))
      var problems: [String] = []
      func check(_ isRight: Bool, _ what: String) { if !isRight { problems.append(what) } }
      check(one == same && one != other, "==")
      check(one.hashValue == same.hashValue && one.hashValue != other.hashValue, "hash")
      check(Set([other, one]).parameterNode == .list([one, other]), "order")
      let secret = OneOffRequest<Void>.get("x", query: ["a": Self.node(500, .secret("deep"))])
      check(SecretFinder.secrets(of: secret) == ["deep"], "secrets")
      let file: Parameters.File = .file(data: Data(), name: "f")
      check(Parameters([("a", Self.node(511, .file(file)))]).hasFile, "files")
      check(!Parameters([("a", Self.node(512, .file(file)))]).hasFile, "files too deep")
      return problems
    }
    #expect(problems == [])
  }

  @Test("Parameters are written as a form and as JSON, or refused", arguments: SmallStack.sizes)
  func written(_ size: Int) async throws {
    let refusal = Refusal(
      "the parameters are nested too deeply for the stack of this thread", kind: .encoding)
    for levels in [3, 20, 60, 150, 300, 500] {
      let (form, json) = await SmallStack.run(size) {
        let parameters = Parameters([("a", Self.node(levels))])
        return (
          Result { () throws(Refusal) in try ParameterEncoding(.dottedKeys).encode(parameters).count },
          Result { () throws(Refusal) in try JSONWriter.data(of: parameters).count }
        )
      }
      // The expected texts are `a.a%5B0%5D…%5B%5D=1` and `{"a":{"a":[…[1]…]}}`.
      let (objects, lists) = (levels / 2, (levels + 1) / 2)
      let (formCount, jsonCount) = (2 * objects + 7 * lists + 2, 6 * objects + 2 * lists + 7)
      #expect(form == .success(formCount) || form == .failure(refusal) && levels > 3, "\(form)")
      #expect(json == .success(jsonCount) || json == .failure(refusal) && levels > 3, "\(json)")
    }
  }

  struct Deep: Encodable {
    var level: Int
    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: ParameterEncoderTests.Named.self)
      if level > 0 { try container.encode(Deep(level: level - 1), forKey: .init("a")) }
    }
  }

  @Test("Values become parameters, or are refused", arguments: SmallStack.sizes)
  func encodable(_ size: Int) async throws {
    for level in [2, 10, 30, 60] {
      let error = await SmallStack.run(size) { () -> Refusal? in
        do {
          _ = try Parameters(encoding: Deep(level: level))
          return nil
        } catch {
          return error as? Refusal ?? Refusal("\(error)")
        }
      }
      #expect(error == nil || error?.message == ParameterLimits.stack.message)
      #expect(size < 512 << 10 || level > 10 || error == nil)
    }
  }

  @Test("Values under secret names in a deep request are found", arguments: SmallStack.sizes)
  func credentials(_ size: Int) async throws {
    let count = await SmallStack.run(size) {
      let text = Self.text(500, leaf: #"{"password":["hunter22",12345678],"name":"ada lovelace"}"#)
      let request = HTTPRequest(
        url: URL(string: "https://mocked.example/x")!, method: .post,
        body: .data(Data(text.utf8), contentType: "application/json"))
      return CredentialFinder.values(in: request, by: .standard).count
    }
    #expect(count == 2)
  }
}
