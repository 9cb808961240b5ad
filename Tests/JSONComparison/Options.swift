/// The options from the command line.
struct Options: Sendable {
  enum Mode: Sendable { case compare, mutated, hostile, depths, threads, printing }

  static let usage = """
    json-comparison [--count N] [--seed S] [--jobs J] [--type NAME] [--only INDEX] [--announce]
        compares N documents of the seed; --only one of them, --type only those of a type whose name ends so,
        --announce says each index before, so that the last is known when the process is ended
    json-comparison --mutated N [--seed S] [--jobs J]   decodes N damaged documents, by ours alone
    json-comparison --hostile BYTES                     decodes documents that are made to cost much, by ours alone
    json-comparison --depths [MOST] [--jobs J]          every depth from 1 to MOST (2000)
    json-comparison --threads T [--count N] [--seed S]  decodes the same with one coding on T threads
    json-comparison --printing                          prints JSON values, deep ones on a small stack
    """

  private(set) var mode = Mode.compare
  private(set) var count = 100_000
  private(set) var seed: UInt64 = 1
  private(set) var jobs = 2
  private(set) var type: String?
  private(set) var only: Int?
  private(set) var announces = false
  /// The size of a hostile document in bytes, or the maximum number of levels.
  private(set) var size = 2000

  init?(_ arguments: some Sequence<String>) {
    var rest = Array(arguments)
    func number() -> Int? {
      guard let number = rest.first.flatMap({ Int($0.replacing("_", with: "")) }), number > 0 else {
        return nil
      }
      rest.removeFirst()
      return number
    }
    while let argument = rest.first {
      rest.removeFirst()
      switch argument {
      case "--depths":
        mode = .depths
        if let most = number() { size = most }
        continue
      case "--announce":
        announces = true
        continue
      case "--printing":
        mode = .printing
        continue
      case "--type":
        guard !rest.isEmpty else { return nil }
        type = rest.removeFirst()
        continue
      default: break
      }
      guard let value = number() else { return nil }
      switch argument {
      case "--count": count = value
      case "--seed": seed = UInt64(value)
      case "--jobs": jobs = value
      case "--only": only = value
      case "--mutated": (mode, count) = (.mutated, value)
      case "--hostile": (mode, size) = (.hostile, value)
      case "--threads": (mode, jobs) = (.threads, value)
      default: return nil
      }
    }
  }
}
