/// The document of a benchmark.
enum Case: String, CaseIterable {
  /// A kilobyte, 25 members.
  case object
  /// An array of 100 such objects.
  case objects
  /// Like a list of GitHub repositories: snake case, dates as ISO 8601 text, and members that the models
  /// ignore.
  case repositories
  /// 10,000 numbers.
  case doubles
  /// 10,000 objects of two members.
  case items
  /// An object of 20 bytes.
  case tiny
  /// A document whose second member has the wrong type.
  case mismatch
  /// A document that ends too early.
  case cutOff = "cut-off"
  /// The one-kilobyte object, written with sorted keys.
  case sorted = "object-sorted"
  /// The one-kilobyte object, pretty-printed.
  case pretty = "object-pretty"

  /// True for names in snake case and dates as text.
  var isForeign: Bool { self == .repositories }

  /// True if decoding the document fails.
  var fails: Bool { self == .mismatch || self == .cutOff }

  /// The JSON text, equal in every process.
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
