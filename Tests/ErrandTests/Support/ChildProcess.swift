import Foundation

#if canImport(Glibc)
import Glibc
#endif

enum ChildProcess {
  /// The exit status, or the signal that ended the program, and the output.
  static func run(_ executable: URL, _ arguments: [String]) throws -> (Int32, String) {
    #if canImport(Glibc)
    try spawn(executable.path, arguments)
    #else
    let (process, pipe) = (Process(), Pipe())
    (process.executableURL, process.arguments) = (executable, arguments)
    (process.standardOutput, process.standardError) = (pipe, pipe)
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    #endif
  }
}

#if canImport(Glibc)
extension ChildProcess {
  private typealias CloseFrom =
    @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32

  /// Of glibc 2.34.
  ///
  /// A child must not inherit sockets, because an inherited socket stays open for the peer.
  private static let closesOthers = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np").map {
    unsafeBitCast($0, to: CloseFrom.self)
  }

  /// On Linux with many open descriptors, Foundation's `Process` may crash.
  private static func spawn(_ path: String, _ arguments: [String]) throws -> (Int32, String) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EMFILE) }
    let output = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true)
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for standard in [STDOUT_FILENO, STDERR_FILENO] {
      posix_spawn_file_actions_adddup2(&actions, ends[1], standard)
    }
    _ = closesOthers?(&actions, 3)

    let variables = ProcessInfo.processInfo.environment.map { "\($0)=\($1)" }
    var pid = pid_t()
    let code = withWords([path] + arguments) { words in
      withWords(variables) { posix_spawn(&pid, path, &actions, nil, words, $0) }
    }
    close(ends[1])
    guard code == 0 else { throw POSIXError(.init(rawValue: code) ?? .ENOENT) }
    let text = String(decoding: output.readDataToEndOfFile(), as: UTF8.self)
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0, errno == EINTR {}
    // The low bits contain the signal that ended the process.
    return (status & 0x7F == 0 ? (status >> 8) & 0xFF : status & 0x7F, text)
  }

  private static func withWords<Result>(
    _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
  ) -> Result {
    let words = texts.map { strdup($0) }
    defer { for word in words { free(word) } }
    return body(words + [nil])
  }
}
#endif
