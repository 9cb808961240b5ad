/// A minimal object of an API.
public struct Item: Codable, Equatable, Sendable {
  var id: Int
  var name: String
}
