#if os(Linux)
import Foundation

/// Self-signed for 127.0.0.1 and localhost, valid until 2120.
///
/// The published key protects nothing.
enum TLSIdentity {
  static let certificate = file("certificate", text: "CERTIFICATE", certificateLines)
  static let key = file("key", text: "PRIVATE KEY", keyLines)

  /// The same key, expired in 2020.
  static let expired = file("expired", text: "CERTIFICATE", expiredLines)
  /// Encrypted with ``passphrase``.
  static let encryptedKey = file("encrypted", text: "ENCRYPTED PRIVATE KEY", encryptedLines)
  static let passphrase = "s3cret-phrase"
  /// Certificate and key in a PKCS #12 file, encrypted with ``passphrase``.
  static let archive: URL = {
    let url = file("archive", text: "", "")
    try? Data(base64Encoded: archiveLines, options: .ignoreUnknownCharacters)?.write(to: url)
    return url
  }()
  static let pin = "MDNSSU4YnDsfoq/evVmqrj/3NXCP8F5Nkf+ZfsM5I3s="

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

  private static let expiredLines = """
    MIIBizCCATGgAwIBAgIBATAKBggqhkjOPQQDAjAnMSUwIwYDVQQDDBxFcnJhbmQg
    dGVzdCBzZXJ2ZXIgb2YgYmVmb3JlMB4XDTIwMDEwMTAwMDAwMFoXDTIwMDIwMTAw
    MDAwMFowJzElMCMGA1UEAwwcRXJyYW5kIHRlc3Qgc2VydmVyIG9mIGJlZm9yZTBZ
    MBMGByqGSM49AgEGCCqGSM49AwEHA0IABH0bCkSf0J+uQKNhf3m9bwxLguAdHIy8
    wKA4627twAzCeGNMEM4FlFTgy3go2zgxsjneslP41vAoLHLVYM/MgEejTjBMMA8G
    A1UdEwEB/wQFMAMBAf8wGgYDVR0RBBMwEYcEfwAAAYIJbG9jYWxob3N0MB0GA1Ud
    DgQWBBRrvy1sTkTxX9Fv86gat+wmDh9ghzAKBggqhkjOPQQDAgNIADBFAiEA2af/
    nf+gn3jIqiAFTsWaXguu1f5qLtPBMX3bSyoVGZoCIGQlj6CbFUzYI6BqFp0jz7Mh
    YpC7s0hLiy9m4fKKBTO8
    """

  private static let encryptedLines = """
    MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAisrZOaoIbwHwICCAAw
    DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEIYYrdtvy7bd8jKjaakj/2wEgZCP
    vaB0KRnVFb7EJEz2mb8Nbk4tIqwyLleMSmep4Labg8j8Vc7JChBVcYjFP47yYRPi
    EpZv4B6zur4yDDpy+GEIv2DE2ybvj9kLkYcATGzsv/YEL6HXwk+M/hvMpA7Xu4yC
    mwnFjep88Sv1UIX8Kgr8QemefzWaesetZ4nweu9rR9QkuZ5IDQbzA5brD8ovkhM=
    """

  private static let archiveLines = """
    MIIEHAIBAzCCA9IGCSqGSIb3DQEHAaCCA8MEggO/MIIDuzCCAnIGCSqGSIb3DQEHBqCCAmMwggJf
    AgEAMIICWAYJKoZIhvcNAQcBMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAjehxlErdEo
    zQICCAAwDAYIKoZIhvcNAgkFADAdBglghkgBZQMEAQIEEG/dIJPmSorIDagw18XgrWWAggHwPMSa
    T/f/Ckm5gpOzqvUVW8ouwkcV15VORrsf+XNrv7i6ARWl5sVCNbwqnvrorQnF7ycQVkIURU4OgEI/
    wJuN7NvshpnFYIzuWhGvjH5veTZPWXPwio7BDE7TeIekzkzneWEvyqO13wOPfwMVLljNrIs+SlXE
    5L/XdBYDK5ANGib/hGkwDz4l2OMw8LkCwjQs3wWH5jKwruvU+6HuPjCFma1nC15Ig0/vcZvWpTiA
    DMLM/wh9PgZ17Ai1T2NCoTVtCVURWxOFB6TyUq598Ho9UvBMfYDHzdd9w7LzpYw+wwHLYzf0Mn/p
    FECi8v4ah0Uw85zGgcbHI43P62gvqQdXjTTaOlg7t3WD0dbBX0g11ouVVzhygmCGpevp11Y23wZy
    qGXnbJ6BvPmV/Kb4xeg/UQAm0A4cTn3zZVoH74YD7bsAz5byWFd3Ri9IemrNYsUyEC4ZpZ25NjIK
    ewMGnKqomWsd9ciRv16iTM2HU5zOsQFculT0YwY5R6RP7tZ2aP9cct9oBWFrfBIY6zvmQ4o/OLDU
    qUnNqhikXxSRRBS3GF87vtQbuGudAfbZNiDc7V7mW0ri+6icCKmD8nshsfKMcTFSVM3t7SaBWcPY
    Q2ctcomCvcDZbj+2NUhAGlcNnzi6BujJtZgsd5BZIboRHyMp3zCCAUEGCSqGSIb3DQEHAaCCATIE
    ggEuMIIBKjCCASYGCyqGSIb3DQEMCgECoIHvMIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEF
    DDAcBAia+jZq1DNHiAICCAAwDAYIKoZIhvcNAgkFADAdBglghkgBZQMEAQIEEKczJek6dNwr+2NB
    543MLl0EgZD3BMCEAYdxpfX7523CjC5ok6lF3FM20nHBV8nuT7jM7kzSRS/g2wxHfnsWNk+WLR6a
    EyCfrz8NBybKITrkxKgmnZs6ht2SjXQuSfJShr6C58/ayjlfgB3GtIlh9NO/9TLIzMyjsRE4gC0k
    LJMMsIYX5qlgWK6SPTL1zcwdrk21nLhebc5maBCjiEfoXG6f1kQxJTAjBgkqhkiG9w0BCRUxFgQU
    MGFTSZj/z+mNKhgNKpUYTjXJzfIwQTAxMA0GCWCGSAFlAwQCAQUABCAQX3H0QDcTlhBEfjm5EGhj
    CB9asKJFUNe1ag5pThefZwQIYs19685tOpQCAggA
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
