import Foundation
import Testing

@testable import Errand

@Suite("A JSON shape") struct JSONShapeTests {
  static let user: JSONShape = [
    "id": .integer, "tags": .array(of: .string), "nick": .optional(.string),
  ]

  @Test(
    "A fitting body is accepted",
    arguments: [
      (user, #"{"id":1,"tags":[]}"#), (user, #"{"id":1.0,"tags":["a","b"],"nick":null,"more":[{}]}"#),
      (user, #"{"id":-2e3,"tags":["a"],"nick":"n"}"#), (.any, "null"), (.any, "[1]"), (.string, #""""#),
      (.number, "1.5"), (.number, "0"), (.integer, "0"), (.bool, "true"), (.null, " null "),
      (.array(of: .any), "[]"), (.array(of: .oneOf([.bool, .integer])), "[true, 1]"), ([:], "{}"),
      (["a": .optional(.optional(.bool))], "{}"), (["a": .oneOf([.null, .optional(.bool)])], "{}"),
      (.optional(.string), "null"), (["a": .null], #"{"a":null}"#),
    ] as [(JSONShape, String)])
  func accepts(shape: JSONShape, json: String) {
    #expect(StandardValidator.json(shape).refusal(.of(json)) == nil)
  }

  @Test(
    "The refusal names the mismatch and its location",
    arguments: [
      (user, "[]", "$ is an array, not an object"), (user, "{}", "$.id is missing"),
      (user, #"{"id":null,"tags":[]}"#, "$.id is null, not an integer"),
      (user, #"{"id":true,"tags":[]}"#, "$.id is a boolean, not an integer"),
      (user, #"{"id":1.5,"tags":[]}"#, "$.id is a number, not an integer"),
      (user, #"{"id":1,"tags":["a",2]}"#, "$.tags[1] is a number, not a string"),
      (user, #"{"id":1,"tags":[],"nick":7}"#, "$.nick is a number, not a string or null"),
      (
        ["data": ["items": .array(of: ["id": .integer])]],
        #"{"data":{"items":[{"id":1},{"id":2},{"id":3},{"id":"4"}]}}"#,
        "$.data.items[3].id is a string, not an integer"
      ),
      (["a b": .bool], #"{"a b":0}"#, #"$["a b"] is a number, not a boolean"#),
      (.bool, "1", "$ is a number, not a boolean"), (.number, "false", "$ is a boolean, not a number"),
      (.null, "0", "$ is a number, not null"), (["a": .null], "{}", "$.a is missing"),
      (.oneOf([]), "true", "$ is not allowed"),
      (.oneOf([.string, .integer]), "true", "$ is a boolean, not a string or an integer"),
      (.oneOf([.string, ["a": .bool]]), #"{"a":1}"#, "$.a is a number, not a boolean"),
      (.oneOf([["b": .bool], ["a": .bool]]), "{}", "$ is an object that matches no allowed shape"),
      (.any, "", "the body is empty"), (.any, " \n", "the body is empty"),
      (.any, "<html>", "the body is not JSON: unexpected '<' at line 1, column 1"),
      (.any, "{\"a\":1", "the body is not JSON: the text ends too early at line 1, column 7"),
    ] as [(JSONShape, String, String)])
  func refuses(shape: JSONShape, json: String, text: String) {
    #expect(StandardValidator.json(shape).refusal(.of(json)) == Refusal(text, kind: .jsonShape))
  }

  @Test(
    "The last member with a repeated name counts in a literal, and the first in the body, as in decoders")
  func duplicates() {
    let shape: JSONShape = ["a": .string, "a": .bool]
    #expect(StandardValidator.json(shape).refusal(.of(#"{"a":true,"a":1}"#)) == nil)
  }
}
