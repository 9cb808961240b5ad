#if !canImport(Darwin)
import Errand

struct OpenSSL: Sendable {
  typealias Object = UnsafeMutableRawPointer
  typealias Text = UnsafePointer<CChar>

  static let system = ["3", "1.1"].lazy.compactMap { OpenSSL($0) }.first

  // Server contexts (SSL_CTX).
  let serverMethod: @convention(c) () -> Object?
  let makeContext: @convention(c) (Object?) -> Object?
  let freeContext: @convention(c) (Object?) -> Void
  let control: @convention(c) (Object, Int32, Int, Object?) -> Int
  let useCertificate: @convention(c) (Object, Object) -> Int32
  let useKey: @convention(c) (Object, Object) -> Int32
  let store: @convention(c) (Object) -> Object?
  let addToStore: @convention(c) (Object, Object) -> Int32
  let addClientAuthority: @convention(c) (Object, Object) -> Int32
  let setVerifying: @convention(c) (Object, Int32, Object?) -> Void
  let setSessionContext: @convention(c) (Object, UnsafePointer<UInt8>, UInt32) -> Int32

  let makeSession: @convention(c) (Object) -> Object?
  let freeSession: @convention(c) (Object?) -> Void
  let setStreams: @convention(c) (Object, Object, Object) -> Void
  let accept: @convention(c) (Object) -> Void
  let handshake: @convention(c) (Object) -> Int32
  let read: @convention(c) (Object, UnsafeMutableRawPointer?, Int32) -> Int32
  let write: @convention(c) (Object, UnsafeRawPointer?, Int32) -> Int32
  let shutDown: @convention(c) (Object) -> Int32
  let errorCode: @convention(c) (Object, Int32) -> Int32
  let version: @convention(c) (Object) -> Int32
  let serverName: @convention(c) (Object, Int32) -> Text?
  let peerCertificate: @convention(c) (Object) -> Object?

  // Memory buffers (BIO).
  let memoryMethod: @convention(c) () -> Object?
  let makeStream: @convention(c) (Object?) -> Object?
  let freeStream: @convention(c) (Object?) -> Int32
  let readStream: @convention(c) (Object, UnsafeMutableRawPointer?, Int32) -> Int32
  let writeStream: @convention(c) (Object, UnsafeRawPointer?, Int32) -> Int32
  let pending: @convention(c) (Object) -> Int

  // The error queue of the current thread.
  let clearErrors: @convention(c) () -> Void
  let nextError: @convention(c) () -> UInt
  let reason: @convention(c) (UInt) -> Text?

  let certificates: Certificates
}

extension OpenSSL {
  fileprivate struct Libraries {
    struct Missing: Error {}

    let both: [DynamicLibrary]

    func find<Function>(_ names: String...) throws(Missing) -> Function {
      for library in both {
        for name in names {
          if let found = library.function(name, as: Function.self) { return found }
        }
      }
      throw Missing()
    }
  }

  struct Certificates: Sendable {
    let makeGenerator: @convention(c) (Int32, Object?) -> Object?
    let freeGenerator: @convention(c) (Object?) -> Void
    let startGenerator: @convention(c) (Object) -> Int32
    let controlGenerator: @convention(c) (Object, Int32, Int32, Int32, Int32, Object?) -> Int32
    let generate: @convention(c) (Object, UnsafeMutablePointer<Object?>) -> Int32
    let freeKey: @convention(c) (Object?) -> Void
    let writeKey: @convention(c) (Object, Object, Object?, Object?, Int32, Object?, Object?) -> Int32
    let writePublicKey: @convention(c) (Object, Object) -> Int32

    let makeCertificate: @convention(c) () -> Object?
    let freeCertificate: @convention(c) (Object?) -> Void
    let setVersion: @convention(c) (Object, Int) -> Int32
    let serialNumber: @convention(c) (Object) -> Object?
    let setInteger: @convention(c) (Object, Int) -> Int32
    let begin: @convention(c) (Object) -> Object?
    let expiry: @convention(c) (Object) -> Object?
    let setTime: @convention(c) (Object, Int) -> Object?
    let setPublicKey: @convention(c) (Object, Object) -> Int32
    let subject: @convention(c) (Object) -> Object?
    let setIssuer: @convention(c) (Object, Object) -> Int32
    let addName: @convention(c) (Object, Text, Int32, UnsafePointer<UInt8>, Int32, Int32, Int32) -> Int32
    let makeExtension: @convention(c) (Object?, Object?, Int32, Text) -> Object?
    let addExtension: @convention(c) (Object, Object, Int32) -> Int32
    let freeExtension: @convention(c) (Object?) -> Void
    let sha256: @convention(c) () -> Object?
    let hash: @convention(c) (UnsafePointer<UInt8>, Int, UnsafeMutablePointer<UInt8>) -> Object?
    let sign: @convention(c) (Object, Object, Object?) -> Int32
    let writeCertificate: @convention(c) (Object, Object) -> Int32
    let writeName: @convention(c) (Object, Object, Int32, UInt) -> Int32

    fileprivate init(_ libraries: Libraries) throws(Libraries.Missing) {
      makeGenerator = try libraries.find("EVP_PKEY_CTX_new_id")
      freeGenerator = try libraries.find("EVP_PKEY_CTX_free")
      startGenerator = try libraries.find("EVP_PKEY_keygen_init")
      controlGenerator = try libraries.find("EVP_PKEY_CTX_ctrl")
      generate = try libraries.find("EVP_PKEY_keygen")
      freeKey = try libraries.find("EVP_PKEY_free")
      writeKey = try libraries.find("PEM_write_bio_PrivateKey")
      writePublicKey = try libraries.find("i2d_PUBKEY_bio")
      makeCertificate = try libraries.find("X509_new")
      freeCertificate = try libraries.find("X509_free")
      setVersion = try libraries.find("X509_set_version")
      serialNumber = try libraries.find("X509_get_serialNumber")
      setInteger = try libraries.find("ASN1_INTEGER_set")
      begin = try libraries.find("X509_getm_notBefore")
      expiry = try libraries.find("X509_getm_notAfter")
      setTime = try libraries.find("X509_gmtime_adj")
      setPublicKey = try libraries.find("X509_set_pubkey")
      subject = try libraries.find("X509_get_subject_name")
      setIssuer = try libraries.find("X509_set_issuer_name")
      addName = try libraries.find("X509_NAME_add_entry_by_txt")
      makeExtension = try libraries.find("X509V3_EXT_conf_nid")
      addExtension = try libraries.find("X509_add_ext")
      freeExtension = try libraries.find("X509_EXTENSION_free")
      sha256 = try libraries.find("EVP_sha256")
      hash = try libraries.find("SHA256")
      sign = try libraries.find("X509_sign")
      writeCertificate = try libraries.find("PEM_write_bio_X509")
      writeName = try libraries.find("X509_NAME_print_ex")
    }
  }

  private init?(_ version: String) {
    guard let ssl = DynamicLibrary("libssl.so.\(version)"),
      let crypto = DynamicLibrary("libcrypto.so.\(version)")
    else { return nil }
    guard let found = try? OpenSSL(Libraries(both: [ssl, crypto])) else { return nil }
    self = found
  }

  private init(_ libraries: Libraries) throws(Libraries.Missing) {
    serverMethod = try libraries.find("TLS_server_method")
    makeContext = try libraries.find("SSL_CTX_new")
    freeContext = try libraries.find("SSL_CTX_free")
    control = try libraries.find("SSL_CTX_ctrl")
    useCertificate = try libraries.find("SSL_CTX_use_certificate")
    useKey = try libraries.find("SSL_CTX_use_PrivateKey")
    store = try libraries.find("SSL_CTX_get_cert_store")
    addToStore = try libraries.find("X509_STORE_add_cert")
    addClientAuthority = try libraries.find("SSL_CTX_add_client_CA")
    setVerifying = try libraries.find("SSL_CTX_set_verify")
    setSessionContext = try libraries.find("SSL_CTX_set_session_id_context")
    makeSession = try libraries.find("SSL_new")
    freeSession = try libraries.find("SSL_free")
    setStreams = try libraries.find("SSL_set_bio")
    accept = try libraries.find("SSL_set_accept_state")
    handshake = try libraries.find("SSL_do_handshake")
    read = try libraries.find("SSL_read")
    write = try libraries.find("SSL_write")
    shutDown = try libraries.find("SSL_shutdown")
    errorCode = try libraries.find("SSL_get_error")
    version = try libraries.find("SSL_version")
    serverName = try libraries.find("SSL_get_servername")
    peerCertificate = try libraries.find("SSL_get1_peer_certificate", "SSL_get_peer_certificate")
    memoryMethod = try libraries.find("BIO_s_mem")
    makeStream = try libraries.find("BIO_new")
    freeStream = try libraries.find("BIO_free")
    readStream = try libraries.find("BIO_read")
    writeStream = try libraries.find("BIO_write")
    pending = try libraries.find("BIO_ctrl_pending")
    clearErrors = try libraries.find("ERR_clear_error")
    nextError = try libraries.find("ERR_get_error")
    reason = try libraries.find("ERR_reason_error_string")
    certificates = try Certificates(libraries)
    // OPENSSL_INIT_NO_ATEXIT: no cleanup at process exit, because a server's thread may still use OpenSSL.
    let initialize: @convention(c) (UInt64, Object?) -> Int32 = try libraries.find("OPENSSL_init_ssl")
    _ = initialize(0x80000, nil)
  }

  final class Owned: @unchecked Sendable {
    // Sendable: OpenSSL counts references atomically, and the mocks configure an object before sharing.
    let object: Object
    private let free: @convention(c) (Object?) -> Void

    init?(_ object: Object?, freedBy free: @escaping @convention(c) (Object?) -> Void) {
      guard let object else { return nil }
      (self.object, self.free) = (object, free)
    }

    deinit { free(object) }
  }

  func takeReason() -> String {
    let text = reason(nextError()).map { String(cString: $0) }
    clearErrors()
    return text ?? "no reason is given"
  }

  func written(_ write: (_ stream: Object) -> Int32) -> [UInt8]? {
    guard let stream = makeStream(memoryMethod()) else { return nil }
    defer { _ = freeStream(stream) }
    return write(stream) > 0 ? take(from: stream) : nil
  }

  func take(from stream: Object) -> [UInt8] {
    var bytes: [UInt8] = []
    while case let count = min(pending(stream), 1 << 24), count > 0 {
      var piece = [UInt8](repeating: 0, count: count)
      let got = readStream(stream, &piece, Int32(count))
      guard got > 0 else { break }
      bytes += piece.prefix(Int(got))
    }
    return bytes
  }
}
#endif
