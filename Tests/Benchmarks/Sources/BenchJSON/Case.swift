/// What is decoded or encoded.
enum Case: String, CaseIterable {
  /// A kilobyte, 25 members.
  case object
  /// A hundred of those.
  case objects
  /// GitHub-like: snake case, dates as ISO 8601 text, and members that nobody reads.
  case repositories
  /// 10,000 numbers.
  case doubles
  /// 10,000 objects of two members.
  case items
  /// One of those: 20 bytes.
  case tiny
  /// One whose second member is of another type.
  case mismatch
  /// One that ends too early.
  case cutOff = "cut-off"
  /// The kilobyte, written with sorted keys.
  case sorted = "object-sorted"
  /// The kilobyte, written for people.
  case pretty = "object-pretty"

  /// Whether it has names in snake case and dates as text.
  var isForeign: Bool { self == .repositories }

  /// Whether decoding it fails.
  var fails: Bool { self == .mismatch || self == .cutOff }

  /// What is decoded, the same in every process.
  var document: String {
    var documents = Documents(seed: 15)
    switch self {
    case .object, .sorted, .pretty: return documents.account(1)
    case .objects: return documents.list(100) { $0.account($1) }
    case .repositories: return documents.list(30) { $0.repository($1) }
    case .doubles: return documents.list(10_000) { documents, _ in documents.number() }
    case .items: return documents.list(10_000) { #"{"id":\#($1 * 37),"name":"name \#($1)"}"# }
    case .tiny: return #"{"id":1,"name":"ab"}"#
    case .mismatch: return #"{"id":1,"name":7,"x":[1,2,3]}"#
    case .cutOff: return #"{"id":1,"name":"abc" "#
    }
  }
}
