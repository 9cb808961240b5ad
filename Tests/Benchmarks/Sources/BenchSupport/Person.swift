/// The server's JSON object of about one kilobyte, with the kinds of values that APIs send.
public struct Person: Codable, Sendable {
  /// A postal address with coordinates.
  public struct Address: Codable, Sendable {
    var street: String
    var city: String
    var postalCode: String
    var latitude: Double
    var longitude: Double
  }

  /// A visit with a day, a duration and pages.
  public struct Visit: Codable, Sendable {
    var day: String
    var minutes: Int
    var pages: [Int]
  }

  /// 7, so a client can check the decoded value.
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

/// The server's larger JSON document, about 100 KB.
public struct People: Codable, Sendable {
  /// The list of 100 people.
  public var people: [Person]
}
