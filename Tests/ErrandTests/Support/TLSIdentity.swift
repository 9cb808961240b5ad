#if os(Linux)
import Foundation

/// The certificate of the tests' servers for 127.0.0.1 and localhost: its own authority, good until 2120, and worth
/// nothing.
enum TLSIdentity {
  /// The file of the certificate, for those who are to trust it.
  static let certificate = file("certificate", text: "CERTIFICATE", certificateLines)
  /// The file of its key.
  static let key = file("key", text: "PRIVATE KEY", keyLines)

  private static func file(_ name: String, text: String, _ lines: String) -> URL {
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("errand-\(ProcessInfo.processInfo.processIdentifier)-\(name).pem")
    try? Data("-----BEGIN \(text)-----\n\(lines)\n-----END \(text)-----\n".utf8).write(to: url)
    return url
  }

  private static let keyLines = """
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgils38S80gUBVnAaS
    /UqKn+Gv8AF77EdnGkCkskr3uT2hRANCAAR9GwpEn9CfrkCjYX95vW8MS4LgHRyM
    vMCgOOtu7cAMwnhjTBDOBZRU4Mt4KNs4MbI53rJT+NbwKCxy1WDPzIBH
    """

  private static let certificateLines = """
    MIIBjDCCATKgAwIBAgIUBrTiJAZr1OrUs6YnJsPENYdmhxkwCgYIKoZIzj0EAwIw
    HTEbMBkGA1UEAwwSRXJyYW5kIHRlc3Qgc2VydmVyMCAXDTIwMDEwMTAwMDAwMFoY
    DzIxMjAwMTAxMDAwMDAwWjAdMRswGQYDVQQDDBJFcnJhbmQgdGVzdCBzZXJ2ZXIw
    WTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAR9GwpEn9CfrkCjYX95vW8MS4LgHRyM
    vMCgOOtu7cAMwnhjTBDOBZRU4Mt4KNs4MbI53rJT+NbwKCxy1WDPzIBHo04wTDAa
    BgNVHREEEzARhwR/AAABgglsb2NhbGhvc3QwDwYDVR0TAQH/BAUwAwEB/zAdBgNV
    HQ4EFgQUa78tbE5E8V/Rb/OoGrfsJg4fYIcwCgYIKoZIzj0EAwIDSAAwRQIhAJGa
    NqVHeVV3kkw/zvAPXmn2GUmJIgCxU0lKtVgKifFjAiAsiKhh3103Ev9HCEvLYbxE
    Xj45AbV6RkwfxwmaEWTduQ==
    """
}
#endif
