#if canImport(Security)
public import Errand
import Foundation
import Security

/// Keeps tokens in the keychain of an Apple platform, as one generic password.
///
/// ```swift
/// let store = KeychainTokenStore(service: "com.example.app", account: "ada")
/// ```
///
/// It is not synchronised, does not leave the device in a backup, and can be read after the first unlock, so that transfers in the background
/// find it. On macOS it is in the data protection keychain, for which an app has to be signed.
public final class KeychainTokenStore: TokenStore {
  /// Why the keychain refused.
  public struct KeychainError: Error, Hashable, CustomStringConvertible {
    /// As `SecItemCopyMatching` and its kin give it.
    public let status: Int32
    /// What was tried: `read`, `kept` or `removed`.
    public let attempt: String

    /// `the tokens cannot be read: status -34018 of the keychain`, with the system's words where it has some.
    public var description: String {
      let words = SecCopyErrorMessageString(status, nil).map { " (\($0 as String))" } ?? ""
      return "the tokens cannot be \(attempt): status \(status) of the keychain\(words)"
    }
  }

  private let service: String
  private let account: String
  private let accessGroup: String?

  /// Makes a store of one item; it may be missing.
  ///
  /// - Parameters:
  ///   - service: whose tokens they are; the identifier of the app, say.
  ///   - account: tells several users, or several servers, apart.
  ///   - accessGroup: shares the item with other apps and extensions of the same team; `nil`, the default, for this app alone.
  public init(service: String, account: String, accessGroup: String? = nil) {
    (self.service, self.account, self.accessGroup) = (service, account, accessGroup)
  }

  /// What is in the keychain; `nil` where there is nothing.
  ///
  /// - Throws: ``KeychainError``, also where the item has something else than tokens.
  public func load() async throws -> BearerAuthenticator.Credential? {
    var query = item
    query[kSecReturnData as String] = true
    query[kSecMatchLimit as String] = kSecMatchLimitOne
    var found: CFTypeRef?
    let status = SecItemCopyMatching(query as CFDictionary, &found)
    if status == errSecItemNotFound { return nil }
    guard status == errSecSuccess, let data = found as? Data else {
      throw KeychainError(status: status, attempt: "read")
    }
    guard let tokens = StoredTokens(data) else { throw KeychainError(status: errSecDecode, attempt: "read") }
    return tokens.credential
  }

  /// Replaces the item, or removes it.
  ///
  /// - Throws: ``KeychainError``.
  public func save(_ credential: BearerAuthenticator.Credential?) async throws {
    guard let credential else {
      let status = SecItemDelete(item as CFDictionary)
      guard status == errSecSuccess || status == errSecItemNotFound else {
        throw KeychainError(status: status, attempt: "removed")
      }
      return
    }
    let values: [String: Any] = [
      kSecValueData as String: try StoredTokens(credential).data(),
      kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
    ]
    var status = SecItemUpdate(item as CFDictionary, values as CFDictionary)
    if status == errSecItemNotFound {
      status = SecItemAdd(item.merging(values) { $1 } as CFDictionary, nil)
      // Another process was first.
      if status == errSecDuplicateItem {
        status = SecItemUpdate(item as CFDictionary, values as CFDictionary)
      }
    }
    guard status == errSecSuccess else { throw KeychainError(status: status, attempt: "kept") }
  }

  private var item: [String: Any] {
    var item: [String: Any] = [
      kSecClass as String: kSecClassGenericPassword,
      kSecAttrService as String: service,
      kSecAttrAccount as String: account,
      kSecUseDataProtectionKeychain as String: true,
    ]
    if let accessGroup { item[kSecAttrAccessGroup as String] = accessGroup }
    return item
  }
}

extension KeychainTokenStore: PrintedByDescription {
  /// Service and account.
  public var description: String { "token store in the keychain, \(service.printed) \(account.printed)" }
}
#endif
