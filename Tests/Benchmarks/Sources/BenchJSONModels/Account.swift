/// An account with 25 members of the kinds that APIs send, one kilobyte in total.
public struct Account: Codable, Equatable, Sendable {
  /// A postal address with coordinates.
  public struct Address: Codable, Equatable, Sendable {
    var street: String
    var city: String
    var zip: String
    var lat: Double
    var lon: Double
    var country: String?
  }

  var id: Int
  var guid: String
  var index: Int
  var isActive: Bool
  var balance: Double
  var picture: String
  var age: Int
  var eyeColor: String
  var name: String
  var gender: String?
  var company: String
  var email: String
  var phone: String?
  var address: Address
  var about: String
  var registered: String
  var latitude: Double
  var longitude: Double
  var score: Double?
  var rank: Int32
  var level: UInt8
  var verified: Bool
  var deletedAt: String?
  var tags: [String]
  var greeting: String
}
