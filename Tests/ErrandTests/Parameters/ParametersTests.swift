import Errand
import Foundation
import Testing

@Suite("Parameters")
struct ParametersTests {
  enum Sort: String, ParameterValue { case name, date }
  enum Level: Int, ParameterValue { case high = 3 }

  @Test("A literal takes mixed values without wrapping")
  func literal() {
    let parameters: Parameters = [
      "a": 1, "b": .list(1, 2.5, "x", nil, true), "c": .object(["d": true, "e": .object(["f": nil])]),
      "g": nil, "h": -1.5, "j": [1, 2], "k": .null, "l": Sort.date, "m": .list(), "n": .object([:]),
    ]
    #expect(parameters.keys == ["a", "b", "c", "h", "j", "k", "l", "m", "n"])
    #expect(
      parameters.node(for: "b")
        == .list([.integer(1), .double(2.5), .string("x"), .null, .bool(true)]))
    #expect(parameters.node(for: "c") == .object(["d": true, "e": .object([:])]))
    #expect(parameters.node(for: "l") == .string("date"))
    #expect(parameters.node(for: "m") == .list([]))
  }

  @Test("100,000 parameters are created, changed, read and merged by the same rules", .timeLimit(.minutes(5)))
  func many() throws {
    let keys = (0..<100_000).map { "key-\($0)" }
    let pairs = keys.enumerated().map { ($1, $0 as (any ParameterValue)?) }
    let written = Parameters(pairs)
    var set = Parameters()
    for (key, value) in pairs { set[key] = value }
    #expect(set == written && set.hashValue == written.hashValue && set.keys == keys)
    #expect(keys.allSatisfy { written.node(for: $0) != nil } && written.node(for: "x") == nil)
    let merged = written.merging(Parameters(keys.reversed().map { ($0, 1) } + [("new", 2)]))
    #expect(merged.keys == keys + ["new"] && merged.node(for: "key-99999") == .integer(1))
    // Every second key is absent in the first half, so each other key has two values.
    let twice = Parameters(pairs.enumerated().map { ($1.0, $0 % 2 == 0 ? nil : $1.1) } + pairs)
    let odd = keys.enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
    #expect(twice.keys == odd + keys && twice.nodes(for: "key-1") == [.integer(1), .integer(1)])
    // For any number of values on both sides.
    #expect(twice.merging(written) == Parameters(odd.map { ($0, written[$0]) }).merging(written))
    #expect(written.merging(twice).entries.count == 150_000)
    #expect(try ParameterEncoding().encode(twice).hasSuffix("key-99998=99998&key-99999=99999"))
  }

  @Test("Around the number of keys with an index, the rules are the same", arguments: 14...20)
  func index(_ count: Int) {
    var parameters = Parameters((0..<count).map { ("\($0)", $0) })
    parameters["new"] = 1
    parameters["3"] = nil
    parameters["5"] = 55
    parameters["3"] = 33
    var expected = (0..<count).map { ("\($0)", $0) }.filter { $0.0 != "3" }
    expected[4].1 = 55
    expected += [("new", 1), ("3", 33)]
    #expect(parameters.keys == expected.map(\.0))
    #expect(expected.allSatisfy { parameters.node(for: $0.0) == .integer(Int64($0.1)) })
    parameters.merge(["new": 2, "last": 3])
    #expect(parameters.keys == expected.map(\.0) + ["last"] && parameters.node(for: "new") == .integer(2))
  }

  @Test("Variables and optionals need no wrapping, and a nil optional leaves its key out")
  func optionals() {
    let (page, cursor): (Int?, String?) = (2, nil)
    let twice: Int?? = .some(nil)
    let members: [String: Int?] = ["b": nil, "a": 1]
    let elements: [Int?] = [1, nil]
    let parameters: Parameters = [
      "page": page, "cursor": cursor, "twice": twice, "members": members, "elements": elements,
    ]
    #expect(parameters == ["page": 2, "members": .object(["a": 1]), "elements": .list(1, nil)])
  }

  @Test("A repeated key stays repeated in its positions, and nil only leaves out its own pair")
  func duplicates() throws {
    let parameters: Parameters = ["a": 1, "b": 2, "a": 3, "b": nil]
    #expect(parameters.keys == ["a", "b", "a"])
    #expect(parameters.nodes(for: "a") == [.integer(1), .integer(3)] && parameters.nodes(for: "x") == [])
    #expect(parameters.node(for: "a") == .integer(1) && parameters["a"]?.parameterNode == .integer(1))
    #expect(try ParameterEncoding().encode(parameters) == "a=1&b=2&a=3")
    #expect(try ParameterEncoding(.sortedKeys).encode(["b": 0, "a": 2, "a": 1]) == "a=2&a=1&b=0")
    #expect(parameters != ["a": 3, "b": 2] && parameters != ["a": 1, "a": 3, "b": 2])
  }

  @Test("Setting and removing apply to all values of a key, and adding appends a value", arguments: [0, 20])
  func changingDuplicates(_ others: Int) {
    let rest = Parameters((0..<others).map { ("\($0)", $0) })
    var twice: Parameters = ["a": 1, "b": 2, "a": 3]
    for entry in rest.entries { twice.add(entry.key, entry.value) }
    func expect(_ changed: Parameters, _ start: Parameters, _ end: Parameters = [:]) {
      #expect(changed == start.merging(rest).merging(end))
    }
    var changed = twice
    changed["a"] = 4
    expect(changed, ["a": 4, "b": 2])
    changed.add("a", 5)
    changed.add("c", nil)
    #expect(changed.nodes(for: "a") == [.integer(4), .integer(5)] && changed.keys.last == "a")
    changed["a"] = nil
    expect(changed, ["b": 2])
    changed["a"] = .null
    expect(changed, ["b": 2], ["a": .null])
    expect(twice.merging(["x": 1]), ["a": 1, "b": 2, "a": 3], ["x": 1])
    expect(twice.merging(["x": 1, "a": 6, "a": 7]), ["a": 6, "a": 7, "b": 2], ["x": 1])
    expect(twice.merging(["a": 8]), ["a": 8, "b": 2])
    #expect(([:] as Parameters).merging(twice) == twice && twice.merging([:]) == twice)
  }

  @Test("Pairs of texts and query items keep their order and repeated keys")
  func pairs() throws {
    let pairs = [("a", "1"), ("b", "x y"), ("a", "")]
    #expect(Parameters(pairs: pairs) == ["a": "1", "b": "x y", "a": ""])
    let items = try #require(URLComponents(string: "https://h/?a=1&b&a=%26&c=")?.queryItems)
    #expect(Parameters(queryItems: items) == ["a": "1", "b": .null, "a": "&", "c": ""])
    #expect(try ParameterEncoding().encode(Parameters(queryItems: items)) == "a=1&b&a=%26&c=")
  }

  @Test("A JSON value is a parameter value, so literals nest without wrapping")
  func nestedLiterals() throws {
    let parameters: Parameters = [
      "a": ["x", 2, nil, true, 1.5, [], [:], ["k": [1, "y"]]] as JSONValue, "b": [] as JSONValue,
      "c": [:] as JSONValue,
    ]
    let inner: Parameters = ["k": .list(1, "y")]
    #expect(
      parameters == [
        "a": .list("x", 2, nil, true, 1.5 as Decimal, .list(), .object([:]), .object(inner)), "b": .list(),
        "c": .object([:]),
      ])
    let numbers = try [
      "18446744073709551615", "-0.10", "1e400", "1e2", "0.12345678901234567890123456789012345678901",
    ]
    .map { JSONValue.number(try #require(JSONValue.Number($0))).parameterNode }
    #expect(
      numbers == [
        .decimal(Decimal(UInt64.max)), .decimal(Decimal(string: "-0.1")!), .double(.infinity), .integer(100),
        .double(0.12345678901234568),
      ])
  }

  @Test("Every scalar type has its node")
  func scalars() throws {
    let url = try #require(URL(string: "https://h/x"))
    let uuid = try #require(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
    let values: [any ParameterValue] = [
      Int8(-1), Int16(-1), Int32(-1), Int64.min, UInt8(1), UInt16(1), UInt32(1), UInt(1), UInt64.max,
      0.1 as Float, 0.1, Decimal(3), "s"[...], url, uuid, false, Date(timeIntervalSince1970: 0), Data([1]),
      Level.high,
    ]
    #expect(
      values.map(\.parameterNode) == [
        .integer(-1), .integer(-1), .integer(-1), .integer(.min), .integer(1), .integer(1), .integer(1),
        .integer(1), .decimal(Decimal(UInt64.max)), .double(0.1), .double(0.1), .decimal(3), .string("s"),
        .string("https://h/x"), .string("E621E1F8-C36C-495A-93FC-0C247A3E6E5F"), .bool(false),
        .date(Date(timeIntervalSince1970: 0)), .data(Data([1])), .integer(3),
      ])
  }

  @Test("Sets of lists and of objects are sorted by their contents")
  func nestedSorting() throws {
    let lists: Set<[Int]> = [[2], [1, 10], [1, 9, 7], [1, 9], [], [0, 99]]
    #expect(lists.parameterNode == [[], [0, 99], [1, 9], [1, 9, 7], [1, 10], [2]].parameterNode)
    let objects: Set<Parameters> = [["b": 1], ["a": 2, "b": 1], ["a": 2], ["a": 1, "c": 1], ["a": 10]]
    let sorted: [Parameters] = [["a": 1, "c": 1], ["a": 2], ["a": 2, "b": 1], ["a": 10], ["b": 1]]
    #expect(objects.parameterNode == sorted.parameterNode)
    let maps: Set<[String: [Int]]> = [["b": [1], "a": [2]], ["b": [0], "a": [2]], ["a": [1]]]
    #expect(maps.parameterNode == [["a": [1]], ["a": [2], "b": [0]], ["a": [2], "b": [1]]].parameterNode)
    let mixed: Set<Parameters.Node> = [
      .secret("b"), .string("a"), .string("b"), .string("c"), .secret("d"), .list([]), .null, .bool(true),
      .integer(1), .data(Data()), .date(.distantPast),
    ]
    #expect(
      mixed.parameterNode
        == .list([
          .integer(1), .string("a"), .string("b"), .secret("b"), .string("c"), .secret("d"),
          .date(.distantPast), .data(Data()), .bool(true), .null,
          .list([]),
        ]))
  }

  @Test("Sets of deeply nested lists with common prefixes are sorted in time")
  func deepSorting() {
    func nested(_ value: Int64) -> Parameters.Node {
      (0..<200).reduce(.integer(value)) { inner, _ in .list([.null, inner]) }
    }
    let nodes = (0..<5).map { nested($0) }
    #expect(Set(nodes).parameterNode == .list(nodes))
  }

  @Test("Sets and dictionaries are sorted")
  func sorting() {
    let parameters: Parameters = [
      "numbers": Set([10, 9, 2]), "big": Set([UInt64.max, 3]), "words": Set(["b", "a"]),
      "flags": Set([true, false]), "object": ["b": 1, "a": 2, "c": 3],
      "dates": Set([3, 1, 2].map(Date.init(timeIntervalSince1970:))),
      "bytes": Set([Data([2]), Data([1, 9]), Data()]),
    ]
    #expect(
      parameters == [
        "numbers": [2, 9, 10], "big": [3, UInt64.max], "words": ["a", "b"], "flags": [false, true],
        "object": .object(["a": 2, "b": 1, "c": 3]),
        "dates": [1, 2, 3].map(Date.init(timeIntervalSince1970:)),
        "bytes": [Data(), Data([1, 9]), Data([2])],
      ])
  }

  @Test("The subscript reads, sets in place, appends and removes")
  func access() {
    var parameters: Parameters = ["a": 1, "b": 2]
    parameters["a"] = "x"
    parameters["c"] = .list(1)
    parameters["b"] = nil
    parameters["d"] = .null
    #expect(parameters == ["a": "x", "c": [1], "d": .null])
    #expect(parameters["a"]?.parameterNode == .string("x"))
    #expect(parameters["b"] == nil)
    #expect(!parameters.isEmpty && Parameters().isEmpty)
  }

  @Test("Merging replaces in place and appends")
  func merging() {
    let merged = (["a": 1, "b": 2] as Parameters).merging(["c": 3, "a": 4])
    #expect(merged == ["a": 4, "b": 2, "c": 3])
    #expect(Parameters([("x", 1), ("y", nil)]) == ["x": 1])
  }

  @Test("Printing and dumping show keys and no value")
  func printing() {
    let secret = "hunter2"
    let parameters: Parameters = ["page": 1, "token": secret, "nested": .object(["deep": secret])]
    #expect(parameters.description == #"["page", "token", "nested"]"#)
    var dumped = ""
    dump(parameters, to: &dumped)
    dump(parameters.entries, to: &dumped)
    dump(parameters.entries.map(\.value), to: &dumped)
    dump(parameters["token"], to: &dumped)
    let printed = "\(parameters) \(String(reflecting: parameters)) \(parameters.entries) \(dumped)"
    #expect(!printed.contains(secret))
    #expect(parameters.node(for: "nested")?.description == #"["deep"]"#)
  }

  @Test("A file URL without .file differs from the file, because writers refuse the URL")
  func bareURL() {
    let url = URL(fileURLWithPath: "/f/a.txt")
    #expect(url.parameterNode != Parameters.File.file(url).parameterNode)
    #expect(url.parameterNode == url.parameterNode)
  }

  @Test("Files of a set are in the order of name, type, and content")
  func fileSet() {
    var files = (0..<12).map { Parameters.File.file(data: Data([UInt8($0)]), name: "same.txt") }
    files += (10..<22).map { Parameters.File.file(URL(fileURLWithPath: "/f/\($0)"), name: "same.txt") }
    files += (10..<22).map { Parameters.File.file(data: Data(), name: "\($0)") }
    files += (0..<12).map { _ in Parameters.File.file(body: .text("x"), name: "z") }
    let expected = Array(files[24..<36] + files[12..<24] + files[..<12] + files[36...])
    for _ in 0..<3 {
      guard case .list(let nodes) = Set(files.shuffled()).parameterNode else {
        Issue.record("not a list")
        return
      }
      #expect(nodes == expected.map { .file($0) })
    }
  }
}
