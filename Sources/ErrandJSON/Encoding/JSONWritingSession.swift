import Foundation

/// What all the encoders and containers of one encoding share.
///
/// Containers and encoders hold it, also those that outlive the encoding.
final class JSONWritingSession {
  /// What changes while encoding.
  ///
  /// It stands in memory of its own, which lives as long as the session: every access is a plain load or store then, where Swift
  /// would check each access to a property of a class for exclusivity.
  struct State: ~Copyable {
    /// The text so far.
    var buffer = JSONBuffer(capacity: 480)
    /// A second buffer for turning a part of the text round.
    var scratch = JSONBuffer(capacity: 0)
    /// The members of the objects that are open, those of the innermost last.
    var members = JSONStack<JSONMember>()
    /// Scopes that were used, by their depth, to be used again.
    ///
    /// The encoding takes them away at its end, as they hold the session.
    var scopes: [JSONScope] = []
    /// Whether the encoding fails for sure.
    var hasProblem = false
    /// The number of scopes that are open.
    var depth = 0
    /// The number of values that write themselves in the place of another.
    var forwards = 0
    /// What is known of types that were met.
    var kinds = JSONValueKindCache()
  }

  let state: UnsafeMutablePointer<State>
  let settings: JSONWritingSettings
  let isPretty: Bool
  let sortsKeys: Bool
  let escapesSlashes: Bool
  /// The strategy for keys; none for the default.
  let keyNaming: JSONKeyNaming?
  /// The first problem that was met.
  ///
  /// As the encoding fails for sure then, writing may stop anywhere.
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

  /// Notes that the value is too deep, be it for the stack, and gives the error for `encode(to:)` to pass on, with the type of the value.
  func refuseDepth(
    of value: Any, at path: [any CodingKey], as problem: JSONWritingProblem = .depth
  ) -> EncodingError {
    if self.problem == nil { note(problem) }
    return .invalidValue(
      type(of: value),
      .init(codingPath: path, debugDescription: "There are too many values within each other."))
  }

  /// Notes that containers were used in a way that has no JSON.
  func refuse(_ what: String, at path: [any CodingKey]) {
    if problem != nil { return }
    note(.misuse(.invalidValue(what, .init(codingPath: path, debugDescription: what))))
  }

  private func note(_ problem: JSONWritingProblem) {
    self.problem = problem
    state.pointee.hasProblem = true
  }
}
