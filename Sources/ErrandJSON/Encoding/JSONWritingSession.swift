import Foundation

final class JSONWritingSession {
  /// Allocated manually, because access to class properties costs an exclusivity check.
  struct State: ~Copyable {
    var buffer = JSONBuffer(capacity: 480)
    var scratch = JSONBuffer(capacity: 0)
    /// The members of open objects, innermost object last.
    ///
    /// Members of dictionaries are recorded only for `.sortedKeys`.
    var members = JSONStack<JSONMember>()
    /// The scopes below the root by depth, for reuse.
    ///
    /// Scopes retain the session, so the array is emptied at the end of the encoding.
    var scopes: [JSONScope] = []
    var hasProblem = false
    var depth = 0
    var forwards = 0
    var kinds = JSONValueKindCache()
  }

  let state: UnsafeMutablePointer<State>
  let settings: JSONWritingSettings
  let isPretty: Bool
  let sortsKeys: Bool
  let escapesSlashes: Bool
  let keyNaming: JSONKeyNaming?
  private(set) var problem: JSONWritingProblem?

  init(_ settings: consuming JSONWritingSettings) {
    isPretty = settings.outputFormatting.contains(.prettyPrinted)
    sortsKeys = settings.outputFormatting.contains(.sortedKeys)
    escapesSlashes = !settings.outputFormatting.contains(.withoutEscapingSlashes)
    keyNaming = JSONKeyNaming(settings.keyEncodingStrategy)
    self.settings = settings
    state = .allocate(capacity: 1)
    state.initialize(to: State())
  }

  deinit {
    state.deinitialize(count: 1)
    state.deallocate()
  }

  func refuseDepth(
    of value: Any, at path: [any CodingKey], as problem: JSONWritingProblem = .depth
  ) -> EncodingError {
    if self.problem == nil { record(problem) }
    return .invalidValue(
      type(of: value),
      .init(codingPath: path, debugDescription: "Too many values are nested."))
  }

  func refuse(_ what: String, at path: [any CodingKey]) {
    if problem != nil { return }
    record(.misuse(.invalidValue(what, .init(codingPath: path, debugDescription: what))))
  }

  private func record(_ problem: JSONWritingProblem) {
    self.problem = problem
    state.pointee.hasProblem = true
  }
}
