public import Errand
import ErrandJSON
public import Foundation

/// The storage for the tokens of an ``OAuthAuthenticator``, usually also between launches.
///
/// A store holds the tokens of a single user or client at a single server.
public protocol TokenStore: Sendable {
  /// Returns the last saved tokens, or `nil` for an empty store. Called off the main actor.
  func load() async throws -> BearerAuthenticator.Credential?

  /// Saves tokens; `nil` removes the tokens. Called off the main actor.
  func save(_ credential: BearerAuthenticator.Credential?) async throws

  /// Runs a change of the tokens under the lock of the store, if the store has a lock.
  ///
  /// The lock excludes concurrent changes. The default implementation has no lock. If several processes share
  /// the tokens, the store needs a lock, as in ``FileTokenStore``.
  ///
  /// `cancellation` ends the wait for the lock, but not `change` itself.
  func exclusively<Value: Sendable>(
    unless cancellation: CancellationSignal, _ change: @Sendable () async throws -> Value
  ) async throws -> Value
}

extension TokenStore {
  /// Runs `change` at once, without a lock.
  public func exclusively<Value: Sendable>(
    unless cancellation: CancellationSignal, _ change: @Sendable () async throws -> Value
  ) async throws -> Value {
    try await change()
  }
}

/// A token store in memory, without persistence.
public final class MemoryTokenStore: TokenStore {
  private let credential: Locked<BearerAuthenticator.Credential?>

  /// Creates a store with optional initial tokens.
  public init(_ credential: BearerAuthenticator.Credential? = nil) { self.credential = Locked(credential) }

  /// Returns the current tokens, or `nil` for an empty store.
  public func load() async -> BearerAuthenticator.Credential? { credential.withLock { $0 } }

  /// Stores the tokens in memory; `nil` removes the tokens.
  public func save(_ credential: BearerAuthenticator.Credential?) async {
    self.credential.withLock { $0 = credential }
  }
}

extension MemoryTokenStore: PrintedByDescription {
  /// A text without tokens.
  public var description: String { "token store in memory (hidden)" }
  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A token store in an unencrypted file without access for other users.
///
/// Several processes may use the file.
public final class FileTokenStore: TokenStore {
  private let path: String

  /// Creates a store for a file.
  ///
  /// The file need not exist, but the directory must exist.
  public init(file: URL) { path = file.path }

  /// Returns the tokens in the file, or `nil` if no file is found.
  ///
  /// - Throws: `FileError` if other users have access to the file, or if the tokens cannot be read.
  public func load() async throws -> BearerAuthenticator.Credential? {
    PrivateFile.sweep(path)
    return try read()
  }

  /// Runs a change under a lock file with the suffix `.lock`.
  ///
  /// If locking is impossible, the change runs without a lock.
  public func exclusively<Value: Sendable>(
    unless cancellation: CancellationSignal, _ change: @Sendable () async throws -> Value
  ) async throws -> Value {
    let target = (try? PrivateFile.target(of: path)) ?? path
    let lock = try await FileLock.acquire("\(target).lock", unless: cancellation)
    defer { lock?.release() }
    return try await change()
  }

  private func read() throws(FileError) -> BearerAuthenticator.Credential? {
    let data: Data?
    do throws(RegularFile.Problem) {
      data = try PrivateFile.read(path, limit: 1 << 20)
      if data != nil { try PrivateFile.checkRights(path) }
    } catch { throw FileError(path: path, problem: error) }
    guard let data else { return nil }
    guard let tokens = StoredTokens(data) else { throw FileError(path: path, reason: "contains no tokens") }
    return tokens.credential
  }

  /// Creates or replaces the file; `nil` removes the file.
  ///
  /// A failure usually throws a `FileError`.
  public func save(_ credential: BearerAuthenticator.Credential?) async throws {
    PrivateFile.sweep(path)
    // Throws if an existing file cannot be read as tokens, because the file may belong to another program.
    _ = try read()
    guard let credential else {
      do throws(RegularFile.Problem) { try PrivateFile.remove(path) } catch {
        throw FileError(path: path, problem: error)
      }
      return
    }
    let data = try StoredTokens(credential).data()
    do throws(RegularFile.Problem) {
      try PrivateFile.write(data, to: path, isDurable: true)
    } catch { throw FileError(path: path, problem: error) }
  }
}

extension FileTokenStore: PrintedByDescription {
  /// A text with the path of the file.
  public var description: String { "token store in \(path.printed)" }
}

struct StoredTokens: Codable {
  private var accessToken: String
  private var refreshToken: String?
  /// The expiry in seconds since 1970; `nil` if unknown.
  private var expires: Double?
  /// The start of the lifetime in seconds since 1970; `nil` if unknown.
  private var issued: Double?

  init(_ credential: BearerAuthenticator.Credential) {
    accessToken = credential.accessToken
    refreshToken = credential.refreshToken
    expires = credential.expires?.timeIntervalSince1970
    issued = credential.issued?.timeIntervalSince1970
  }

  init?(_ data: Data) {
    guard let tokens = try? JSONCoding().decode(Self.self, from: data) else { return nil }
    self = tokens
  }

  func data() throws -> Data { try JSONCoding().encode(self) }

  var credential: BearerAuthenticator.Credential {
    var credential = BearerAuthenticator.Credential(
      accessToken: accessToken, refreshToken: refreshToken,
      expires: expires.map { Date(timeIntervalSince1970: $0) })
    credential.issued = issued.map { Date(timeIntervalSince1970: $0) }
    return credential
  }
}
