import CMeasure

/// What this process is to do, from its command line.
public struct Options: Sendable {
  /// What happens to a body.
  public enum Mode: String, Sendable {
    /// It is kept as bytes.
    case data
    /// It is decoded from JSON.
    case decoded
    /// It is written to a file, chunk by chunk.
    case file
    /// It is counted, chunk by chunk.
    case discard
    /// A file is sent.
    case upload
    /// A form with a file is sent.
    case form
  }

  /// Scheme, host and port, without a slash at the end.
  public let base: String
  /// The path, without a slash at the start.
  public let path: String
  /// What happens to the bodies.
  public let mode: Mode
  /// Where mode ``Mode/file`` writes, and what the uploads read.
  public let output: String
  /// A file of certificates to trust instead of the system's.
  public let authority: String?
  /// What a client that can do several things is to do.
  public let variant: String
  /// Requests under way at the same time.
  public let inFlight: Int
  /// Requests of the measured part.
  public let requests: Int
  /// Requests before the measured part.
  public let warmUp: Int

  let raw: Unshared<measure_options_t>

  /// Reads the command line; ends the process when it is wrong.
  public init() {
    let raw = measure_options(CommandLine.argc, CommandLine.unsafeArgv)
    guard let mode = Mode(rawValue: String(cString: raw.mode)) else { fail("no such mode") }
    base = String(cString: raw.base)
    path = String(cString: raw.path)
    self.mode = mode
    output = String(cString: raw.output)
    authority = raw.authority.map { String(cString: $0) }
    variant = String(cString: raw.variant)
    inFlight = Int(raw.in_flight)
    requests = raw.requests
    warmUp = raw.warm_up
    self.raw = Unshared(value: raw)
  }

  /// The whole URL.
  public var url: String { "\(base)/\(path)" }
}

/// Carries a value of C whose pointers are the command line's, which never changes.
struct Unshared<Value>: @unchecked Sendable {
  let value: Value
}
