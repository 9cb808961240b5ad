import Errand
import Foundation
import Testing

enum Sort: String, ParameterValue { case newest }
enum Level: Int, ParameterValue { case high = 3 }

struct Filter: Encodable {
  var bornAfter: Date?
  var tags = ["a b"]
}

/// A literal with every accepted kind of value.
///
/// The compiler must check the literal quickly.
struct Everything: AppRequest {
  typealias Response = String
  var page: Int?
  var name = "Ada"
  var since = Date(timeIntervalSince1970: 0)
  var limit = 2.5
  let path = "search"

  var parameters: Parameters {
    [
      "page": page, "name": name, "since": since, "until": page == nil ? nil : since, "limit": limit,
      "half": -limit / 2,
      "blob": Data([1, 2, 3]), "id": UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"),
      "home": URL(string: "https://h/x"), "price": Decimal(7), "sort": Sort.newest, "level": Level.high,
      "none": nil, "null": .null, "flag": true, "numbers": [1, 2], "words": ["a", "b"], "map": ["k": 1],
      "sorts": [Sort.newest], "dates": [since], "optionals": [1, nil], "maps": [["k": [1]]],
      "mixed": .list("x", 2, nil, .list(), [3]),
      "object": .object(["a": 1, "b": .list("x", 2), "c": .object([:])]),
      "literals": ["b": ["x", 2], "c": [], "d": [:]] as JSONValue, "tag": "a", "tag": "b", "text": "\(name)!",
    ]
  }
}

struct Encoded: AppRequest {
  typealias Response = String
  let path = "search"
  let parameters: Parameters
  let requestSerializer = RequestSerializer.form(
    ParameterEncoding(
      .repeatedKeys, .emptyNulls, .plusSpaces, .dottedKeys, .secondsSince1970))

  init(_ filter: Filter) throws {
    parameters = try Parameters(encoding: filter, keys: .convertToSnakeCase, nils: .null)
  }
}

@Suite("Parameters of a consumer")
struct ParameterLiterals {
  @Test("Every kind of value compiles in a literal, and is sent in order")
  func everything() throws {
    let text = try ParameterEncoding().encode(Everything().parameters)
    #expect(
      text.removingPercentEncoding
        == "name=Ada&since=1970-01-01T00:00:00Z&limit=2.5&half=-1.25&blob=AQID"
        + "&id=E621E1F8-C36C-495A-93FC-0C247A3E6E5F&home=https://h/x&price=7&sort=newest&level=3&null&flag=true"
        + "&numbers[]=1&numbers[]=2&words[]=a&words[]=b&map[k]=1&sorts[]=newest&dates[]=1970-01-01T00:00:00Z"
        + "&optionals[]=1&optionals[]&maps[0][k][]=1&mixed[]=x&mixed[]=2&mixed[]&mixed[4][]=3"
        + "&object[a]=1&object[b][]=x&object[b][]=2&literals[b][]=x&literals[b][]=2&tag=a&tag=b&text=Ada!")
  }

  @Test("Encoded values, pairs and query items convert to parameters")
  func encoded() throws {
    let request = try Encoded(Filter())
    #expect(try request.requestSerializer.encoding.encode(request.parameters) == "born_after=&tags=a+b")
    #expect(Parameters(pairs: [("tag", "a"), ("tag", "b")]) == ["tag": "a", "tag": "b"])
    #expect(Parameters(queryItems: [URLQueryItem(name: "q", value: nil)]) == ["q": .null])
    let serializers: [any ResponseSerializer<String>] = [
      .text(charset: "koi8-r"), .text(undeclared: "koi8-r"),
    ]
    let lines: any ResponseSerializer<[User]> = .jsonLines()
    let guarded: any ResponseSerializer<User> = .json().droppingXSSIPrefix()
    #expect(serializers.count == 2 && lines.accept != nil && guarded.accept == "application/json")
  }
}
