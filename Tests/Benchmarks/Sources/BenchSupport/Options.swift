import CMeasure

/// The options from the command line.
public struct Options: Sendable {
  /// The handling of a body.
  public enum Mode: String, Sendable {
    /// Keeps the body as bytes.
    case data
    /// Decodes the body from JSON.
    case decoded
    /// Writes the body to a file, chunk by chunk.
    case file
    /// Counts the bytes of the body, chunk by chunk.
    case discard
    /// Sends a file.
    case upload
    /// Sends a form with a file.
    case form
  }

  /// Scheme, host and port, without a slash at the end.
  public let base: String
  /// The path, without a slash at the start.
  public let path: String
  /// The handling of the bodies.
  public let mode: Mode
  /// The file that mode ``Mode/file`` writes, and that uploads read.
  public let output: String
  /// A file of certificates to trust instead of the system's.
  public let authority: String?
  /// The variant, for a client with several benchmarks.
  public let variant: String
  /// The number of concurrent requests.
  public let inFlight: Int
  /// The number of requests of the measured part.
  public let requests: Int
  /// The number of requests before the measured part.
  public let warmUp: Int

  let raw: Unshared<measure_options_t>

  /// Reads the command line.
  ///
  /// Ends the process if the arguments are invalid.
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

  /// The URL of the request.
  public var url: String { "\(base)/\(path)" }
}

/// Carries a C value whose pointers refer to the command line.
///
/// The command line never changes.
struct Unshared<Value>: @unchecked Sendable {
  let value: Value
}
