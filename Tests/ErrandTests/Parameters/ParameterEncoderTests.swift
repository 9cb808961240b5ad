import ErrandJSON
import Foundation
import Testing

@testable import Errand

@Suite("Parameters of Encodable values")
struct ParameterEncoderTests {
  enum Sort: String, Codable { case newest }
  enum Shape: Encodable { case circle(radius: Int), point }

  struct Place: Encodable {
    var cityName = "London"
    var postCodes = ["N1", "E 2"]
  }

  struct Filter: Encodable {
    var bornAfter = Date(timeIntervalSince1970: 1_795_255_200)
    var photo = Data([0xFB, 0xFF])
    var isActive = true
    var minScore = 0.5
    var price = Decimal(string: "12345678901234567890.5")
    var sortBy = Sort.newest
    var id = UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")
    var homePage = URL(string: "https://h/x?y")
    var pin = Secret("s3cret")
    var count = UInt64.max
    var nearPlace = Place()
    var nick: String?
  }

  @Test("A value has its members in order, each with its type")
  func members() throws {
    let inner: Parameters = ["cityName": "London", "postCodes": ["N1", "E 2"]]
    let parameters = try Parameters(encoding: Filter())
    #expect(
      parameters == [
        "bornAfter": Date(timeIntervalSince1970: 1_795_255_200), "photo": Data([0xFB, 0xFF]),
        "isActive": true,
        "minScore": 0.5, "price": Decimal(string: "12345678901234567890.5"), "sortBy": "newest",
        "id": "E621E1F8-C36C-495A-93FC-0C247A3E6E5F", "homePage": "https://h/x?y", "pin": Secret("s3cret"),
        "count": UInt64.max, "nearPlace": inner,
      ])
  }

  @Test("Encoded parameters are a query, a form and JSON like other parameters")
  func written() throws {
    struct Search: Encodable {
      var since = Date(timeIntervalSince1970: 0)
      var tags = ["a b", "c"]
      var place = ["lat": 51.5]
      var isNew = true
    }
    let parameters = try Parameters(encoding: Search())
    #expect(
      try ParameterEncoding().encode(parameters)
        == "since=1970-01-01T00%3A00%3A00Z&tags%5B%5D=a%20b&tags%5B%5D=c&place%5Blat%5D=51.5&isNew=true")
    let django = ParameterEncoding(
      .repeatedKeys, .numericBools, .plusSpaces, .dottedKeys, .secondsSince1970)
    #expect(try django.encode(parameters) == "since=0&tags=a+b&tags=c&place.lat=51.5&isNew=1")
    let json = try RequestSerializer.json.body(of: parameters).data
    #expect(
      json.map { String(decoding: $0, as: UTF8.self) }
        == #"{"since":"1970-01-01T00:00:00Z","tags":["a b","c"],"place":{"lat":51.5},"isNew":true}"#)
  }

  @Test("Keys are converted to snake case or by a closure with the path, and dictionary keys stay")
  func keys() throws {
    struct Outer: Encodable {
      var nearPlace = Place()
      var byName = ["firstName": Place(), "2nd": Place()]
      var byNumber = [10: "a", 9: "b"]
    }
    let place: Parameters = ["city_name": "London", "post_codes": ["N1", "E 2"]]
    let snake = try Parameters(encoding: Outer(), keys: .convertToSnakeCase)
    #expect(
      snake == [
        "near_place": place, "by_name": .object(["2nd": place, "firstName": place]),
        "by_number": .object(["10": "a", "9": "b"]),
      ])
    let custom = try Parameters(
      encoding: Outer(),
      keys: .custom { path in
        Named(path.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: "/"))
      })
    #expect(custom.keys == ["nearPlace", "byName", "byNumber"])
    guard case .object(let inner) = custom.node(for: "nearPlace") else { return #expect(Bool(false)) }
    #expect(inner.keys == ["nearPlace/cityName", "nearPlace/postCodes"])
  }

  struct Named: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
  }

  /// Types with their own `encodeIfPresent`, and other types.
  struct Absent: Encodable {
    var a: Bool?, b: String?, c: Double?, d: Float?, e: Int?, f: Int8?, g: Int16?, h: Int32?, i: Int64?
    var j: UInt?, k: UInt8?, l: UInt16?, m: UInt32?, n: UInt64?, o: Date?, p: [Int]?
  }

  @Test(
    "Nil is left out as in synthesized code, or null for every type, or always left out"
  )
  func nils() throws {
    struct Explicit: Encodable {
      var list: [Int?] = [1, nil]
      var map: [String: Int?] = ["a": nil, "b": 1]
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Named.self)
        try container.encodeNil(forKey: Named("none"))
        try container.encodeIfPresent(nil as Int?, forKey: Named("absent"))
        try container.encode(nil as Int?, forKey: Named("optional"))
        try container.encode(list, forKey: Named("list"))
        try container.encode(map, forKey: Named("map"))
      }
    }
    #expect(
      try Parameters(encoding: Absent()).isEmpty && Parameters(encoding: Absent(), nils: .omitted).isEmpty)
    let nulls = try Parameters(encoding: Absent(), nils: .null)
    #expect(nulls.keys.joined() == "abcdefghijklmnop" && nulls.entries.allSatisfy { $0.value == .null })
    #expect(try ParameterEncoding(.emptyNulls).encode(nulls).hasPrefix("a=&b=&c="))
    let full = Absent(a: true, e: 7, i: -1, n: 2, o: Date(timeIntervalSince1970: 0), p: [])
    #expect(
      try Parameters(encoding: full)
        == ["a": true, "e": 7, "i": -1, "n": 2, "o": Date(timeIntervalSince1970: 0), "p": .list()])
    let list: Parameters.Literal = .list(1, nil)
    let map: Parameters = ["a": .null, "b": 1]
    let asEncoded: Parameters = ["none": .null, "optional": .null, "list": list, "map": map]
    #expect(try Parameters(encoding: Explicit()) == asEncoded)
    #expect(
      try Parameters(encoding: Explicit(), nils: .omitted) == ["list": list, "map": .object(["b": 1])])
    #expect(
      try Parameters(encoding: Explicit(), nils: .null).keys == ["none", "absent", "optional", "list", "map"])
  }

  @Test(
    "Dictionaries and sets are sorted, including dictionaries with alternating keys and values, and nested values"
  )
  func unordered() throws {
    struct Passing: Encodable {
      let map: [String: Int]
      func encode(to encoder: any Encoder) throws { try map.encode(to: encoder) }
    }
    struct Wrapper<Value: Encodable>: Encodable {
      let value: Value
      func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
      }
    }
    struct Point: Encodable, Hashable { var x: Int }
    struct Outer: Encodable {
      var passing = Passing(map: ["c": 3, "a": 1, "b": 2])
      var wrapped = Wrapper(value: ["c", "a", "b", "d"] as Set)
      var wrappedMap = Wrapper(value: [Point(x: 2): "b", Point(x: 1): "a"])
      var set: Set<String> = ["c", "a", "b"]
      var points: Set<Point> = [Point(x: 2), Point(x: 1)]
      var map: [Point: String] = [Point(x: 2): "b", Point(x: 1): "a"]
      var dates: [String: Date?] = ["z": nil, "y": Date(timeIntervalSince1970: 1)]
    }
    let (one, two): (Parameters, Parameters) = (["x": 1], ["x": 2])
    for _ in 0..<20 {
      #expect(
        try Parameters(encoding: Outer()) == [
          "passing": .object(["a": 1, "b": 2, "c": 3]), "wrapped": ["a", "b", "c", "d"],
          "wrappedMap": .list(one, "a", two, "b"), "set": ["a", "b", "c"], "points": [one, two],
          "map": .list(one, "a", two, "b"),
          "dates": .object(["y": Date(timeIntervalSince1970: 1), "z": .null]),
        ])
      #expect(try Parameters(encoding: ["b": "2", "a": "1"]) == ["a": "1", "b": "2"])
      #expect(try Parameters(encoding: [10: "x", 9: "y"]).keys == ["10", "9"])
    }
  }

  @Test("Enums with payloads, JSON values, and numbers of any size are preserved")
  func others() throws {
    struct Outer: Encodable {
      var shapes = [Shape.circle(radius: 2), .point]
      var json: JSONValue = ["a": [1, "x", nil, 2.50], "b": [:]]
      var half = Float16(0.5)
    }
    let parameters = try Parameters(encoding: Outer())
    let shapes = Parameters.Literal.list(of: [
      Parameters([("circle", Parameters([("radius", 2)]))]), Parameters([("point", Parameters())]),
    ])
    #expect(parameters.node(for: "shapes") == shapes.parameterNode)
    #expect(
      parameters.node(for: "json")
        == .object(["a": .list(1, "x", nil, Decimal(string: "2.5")), "b": .object([:])]))
    #expect(parameters.node(for: "half") == .double(0.5))
    #expect(throws: Refusal(#"the parameter "nan" is infinite or not a number"#, kind: .encoding)) {
      try ParameterEncoding().encode(Parameters(encoding: ["nan": Double.nan]))
    }
    if #available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *) {
      struct Large: Encodable {
        var a = Int128(-5)
        var b = UInt128(UInt64.max) + 1
        var c = [Int128(1)]
      }
      #expect(
        try Parameters(encoding: Large())
          == ["a": -5, "b": Decimal(string: "18446744073709551616"), "c": [1]])
      struct Optionals: Encodable {
        var a: Int128?
        var b: UInt128?
      }
      #expect(try Parameters(encoding: Optionals(), nils: .null) == ["a": .null, "b": .null])
      #expect(try Parameters(encoding: Optionals(a: 1), nils: .null) == ["a": 1, "b": .null])
      #expect(try Parameters(encoding: Optionals(b: 2)) == ["b": 2])
    }
  }

  @Test("A secret in a value stays a secret, and is sent")
  func secrets() async throws {
    struct Login: Encodable { var (user, password) = ("ada", Secret("hunter22")) }
    let parameters = try Parameters(encoding: Login())
    #expect(parameters.node(for: "password") == .secret("hunter22"))
    #expect(SecretFinder.secrets(of: OneOffRequest<Void>.post("x", parameters: parameters)) == ["hunter22"])
    #expect(try ParameterEncoding().encode(parameters) == "user=ada&password=hunter22")
  }
}
