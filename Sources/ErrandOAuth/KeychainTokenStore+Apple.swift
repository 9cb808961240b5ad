#if canImport(Security)
public import Errand
import Foundation
import Security

/// Stores tokens in the keychain of an Apple platform, as a generic password.
///
/// ```swift
/// let store = KeychainTokenStore(service: "com.example.app", account: "ada")
/// ```
///
/// The item stays on the device, and is readable after the first unlock. On macOS, the app must be signed.
public final class KeychainTokenStore: TokenStore {
  /// An error of the keychain.
  public struct KeychainError: Error, Hashable, CustomStringConvertible {
    /// A status code of the Security framework.
    public let status: Int32
    /// The failed operation: `read`, `kept` or `removed`.
    public let attempt: String

    /// A text that starts like `the tokens cannot be read: status -34018 of the keychain`.
    public var description: String {
      let words = SecCopyErrorMessageString(status, nil).map { " (\($0 as String))" } ?? ""
      return "the tokens cannot be \(attempt): status \(status) of the keychain\(words)"
    }
  }

  private let service: String
  private let account: String
  private let accessGroup: String?

  /// Creates a store for a keychain item.
  ///
  /// `accessGroup` shares the item with the team's other apps in that access group.
  public init(service: String, account: String, accessGroup: String? = nil) {
    (self.service, self.account, self.accessGroup) = (service, account, accessGroup)
  }

  /// Returns the stored tokens; `nil` without an item.
  ///
  /// A failure throws a ``KeychainError``.
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

  /// Adds or replaces the item; `nil` removes the item.
  ///
  /// A failure usually throws a ``KeychainError``.
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
      // A concurrent save may have added the item.
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
  /// A text with service and account.
  public var description: String { "token store in the keychain, \(service.printed) \(account.printed)" }
}
#endif
