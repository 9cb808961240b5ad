/// What the JSON of the server says: about a kilobyte of the kinds of values that APIs send.
public struct Person: Codable, Sendable {
  /// Where somebody lives.
  public struct Address: Codable, Sendable {
    var street: String
    var city: String
    var postalCode: String
    var latitude: Double
    var longitude: Double
  }

  /// Something somebody did.
  public struct Visit: Codable, Sendable {
    var day: String
    var minutes: Int
    var pages: [Int]
  }

  /// 7, so that a client can see that it read what was sent.
  public var id: Int
  var name: String
  var email: String
  var isActive: Bool
  var score: Double
  var nickname: String?
  var tags: [String]
  var address: Address
  var visits: [Visit]
  var biography: String
}

/// What the larger JSON says: about a hundred kilobytes.
public struct People: Codable, Sendable {
  /// 100 of them.
  public var people: [Person]
}
