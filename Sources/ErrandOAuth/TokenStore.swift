public import Errand
import ErrandJSON
public import Foundation

/// Where an ``OAuthAuthenticator`` keeps its tokens between launches.
///
/// ``MemoryTokenStore`` and ``FileTokenStore`` are there, on Apple platforms `KeychainTokenStore`. One store holds the tokens of one user at one
/// server.
public protocol TokenStore: Sendable {
  /// What was saved last; `nil` for nothing.
  ///
  /// Called off the main actor, before the first request and before each refresh: another process may have saved newer tokens.
  func load() async throws -> BearerAuthenticator.Credential?

  /// Keeps tokens in the place of those before; `nil` removes them.
  ///
  /// Called off the main actor, after each answer with tokens and before they are sent anywhere: the server may have ended the ones before.
  func save(_ credential: BearerAuthenticator.Credential?) async throws

  /// Runs a change of the tokens while nobody else that uses the store runs one, in this process or another.
  ///
  /// An ``OAuthAuthenticator`` renews, signs in and signs out in it, so that processes that share a store renew once: whoever comes second finds the
  /// tokens of the first. What `change` calls is ``load()`` and ``save(_:)``. The default runs `change` at once, for a store that one
  /// authenticator uses; a store that others share needs a lock that the system takes away with a process that dies, as ``FileTokenStore`` has one.
  ///
  /// - Parameters:
  ///   - cancellation: ends the wait for others; `change` itself is not ended.
  ///   - change: what is to run alone.
  /// - Throws: what `change` throws; `CancellationError` when `cancellation` fires, or the task is cancelled, while others run theirs.
  func exclusively<Value: Sendable>(
    unless cancellation: CancellationSignal, _ change: @Sendable () async throws -> Value
  ) async throws -> Value
}

extension TokenStore {
  /// Runs `change` at once.
  public func exclusively<Value: Sendable>(
    unless cancellation: CancellationSignal, _ change: @Sendable () async throws -> Value
  ) async throws -> Value {
    try await change()
  }
}

/// Keeps tokens as long as it lives.
public final class MemoryTokenStore: TokenStore {
  private let credential: Locked<BearerAuthenticator.Credential?>

  /// Makes a store.
  public init(_ credential: BearerAuthenticator.Credential? = nil) { self.credential = Locked(credential) }

  /// What was saved last.
  public func load() async -> BearerAuthenticator.Credential? { credential.withLock { $0 } }

  /// Keeps tokens.
  public func save(_ credential: BearerAuthenticator.Credential?) async {
    self.credential.withLock { $0 = credential }
  }
}

extension MemoryTokenStore: PrintedByDescription {
  /// `token store in memory (hidden)`.
  public var description: String { "token store in memory (hidden)" }
  /// Shows `dump` nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Keeps tokens in a file that its owner alone may read, written as a whole, not encrypted.
///
/// Several processes may use one file: one of them renews, under a lock that the system takes away with a process that dies, and the others take what it
/// has saved. What a process has left beside the file that was killed while it saved is removed by the next one that loads or saves.
public final class FileTokenStore: TokenStore {
  private let path: String

  /// Makes a store of a file in a directory that is there; the file may be missing.
  public init(file: URL) { path = file.path }

  /// What is in the file; `nil` where there is none.
  ///
  /// - Throws: `FileError` where others may read it, and where it has something else than tokens, which is not written over.
  public func load() async throws -> BearerAuthenticator.Credential? {
    PrivateFile.sweep(path)
    return try read()
  }

  /// Runs a change of the tokens while no other process, and no other authenticator of this one, runs one.
  ///
  /// The lock is a file beside the tokens, with `.lock` behind their name, which is there as long as somebody holds it. Where no such file can be made, or the
  /// file system knows no locks, `change` runs at once.
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
    guard let tokens = StoredTokens(data) else { throw FileError(path: path, reason: "has no tokens in it") }
    return tokens.credential
  }

  /// Replaces the file, or removes it.
  ///
  /// - Throws: `FileError`.
  public func save(_ credential: BearerAuthenticator.Credential?) async throws {
    PrivateFile.sweep(path)
    // What is there may be somebody else's.
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
  /// The path.
  public var description: String { "token store in \(path.printed)" }
}

/// Tokens as stores keep them: an object of JSON.
struct StoredTokens: Codable {
  private var accessToken: String
  private var refreshToken: String?
  /// In seconds since 1970.
  private var expires: Double?

  init(_ credential: BearerAuthenticator.Credential) {
    accessToken = credential.accessToken
    refreshToken = credential.refreshToken
    expires = credential.expires?.timeIntervalSince1970
  }

  /// `nil` where the bytes are something else.
  init?(_ data: Data) {
    guard let tokens = try? JSONCoding().decode(Self.self, from: data) else { return nil }
    self = tokens
  }

  func data() throws -> Data { try JSONCoding().encode(self) }

  var credential: BearerAuthenticator.Credential {
    BearerAuthenticator.Credential(
      accessToken: accessToken, refreshToken: refreshToken,
      expires: expires.map { Date(timeIntervalSince1970: $0) })
  }
}
