/// As little as an object of an API has.
public struct Item: Codable, Equatable, Sendable {
  var id: Int
  var name: String
}
