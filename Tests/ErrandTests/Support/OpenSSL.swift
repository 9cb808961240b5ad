#if os(Linux)
import Foundation

/// From the system's library.
struct OpenSSL: Sendable {
  typealias Object = UnsafeMutableRawPointer
  typealias Bytes = UnsafePointer<UInt8>
  /// Selects a protocol from the client's list (ALPN).
  typealias Choosing =
    @convention(c) (
      Object?, UnsafeMutablePointer<Bytes?>?, UnsafeMutablePointer<UInt8>?, Bytes?, UInt32, Object?
    ) -> Int32

  /// `nil` if the library is missing.
  static let system = ["libssl.so.3", "libssl.so.1.1"]
    .lazy.compactMap { (name: String) in dlopen(name, RTLD_NOW) }.first.flatMap { OpenSSL($0) }

  let makeContext: @convention(c) (Object?) -> Object?
  let method: @convention(c) () -> Object?
  let useCertificate: @convention(c) (Object, UnsafePointer<CChar>, Int32) -> Int32
  let useKey: @convention(c) (Object, UnsafePointer<CChar>, Int32) -> Int32
  let setChoosing: @convention(c) (Object, Choosing, Object?) -> Void
  let setSecurityLevel: @convention(c) (Object, Int32) -> Void
  let control: @convention(c) (Object, Int32, Int, Object?) -> Int
  let make: @convention(c) (Object) -> Object?
  let free: @convention(c) (Object) -> Void
  let setDescriptor: @convention(c) (Object, Int32) -> Int32
  let accept: @convention(c) (Object) -> Int32
  let read: @convention(c) (Object, UnsafeMutableRawPointer?, Int32) -> Int32
  let write: @convention(c) (Object, UnsafeRawPointer?, Int32) -> Int32
  let shutDown: @convention(c) (Object) -> Int32
  let updateKey: @convention(c) (Object, Int32) -> Int32
  let handshake: @convention(c) (Object) -> Int32
  let version: @convention(c) (Object) -> UnsafePointer<CChar>?
  let trust: @convention(c) (Object, UnsafePointer<CChar>, UnsafePointer<CChar>?) -> Int32
  let verify: @convention(c) (Object, Int32, Object?) -> Void

  private init?(_ library: Object) {
    func function<Function>(_ name: String) -> Function? {
      dlsym(library, name).map { unsafeBitCast($0, to: Function.self) }
    }
    guard let makeContext: @convention(c) (Object?) -> Object? = function("SSL_CTX_new"),
      let method: @convention(c) () -> Object? = function("TLS_server_method"),
      let useCertificate: @convention(c) (Object, UnsafePointer<CChar>, Int32) -> Int32 = function(
        "SSL_CTX_use_certificate_file"),
      let useKey: @convention(c) (Object, UnsafePointer<CChar>, Int32) -> Int32 = function(
        "SSL_CTX_use_PrivateKey_file"),
      let setChoosing: @convention(c) (Object, Choosing, Object?) -> Void = function(
        "SSL_CTX_set_alpn_select_cb"),
      let setSecurityLevel: @convention(c) (Object, Int32) -> Void = function("SSL_CTX_set_security_level"),
      let control: @convention(c) (Object, Int32, Int, Object?) -> Int = function("SSL_CTX_ctrl"),
      let make: @convention(c) (Object) -> Object? = function("SSL_new"),
      let free: @convention(c) (Object) -> Void = function("SSL_free"),
      let setDescriptor: @convention(c) (Object, Int32) -> Int32 = function("SSL_set_fd"),
      let accept: @convention(c) (Object) -> Int32 = function("SSL_accept"),
      let read: @convention(c) (Object, UnsafeMutableRawPointer?, Int32) -> Int32 = function("SSL_read"),
      let write: @convention(c) (Object, UnsafeRawPointer?, Int32) -> Int32 = function("SSL_write"),
      let shutDown: @convention(c) (Object) -> Int32 = function("SSL_shutdown"),
      let updateKey: @convention(c) (Object, Int32) -> Int32 = function("SSL_key_update"),
      let handshake: @convention(c) (Object) -> Int32 = function("SSL_do_handshake"),
      let version: @convention(c) (Object) -> UnsafePointer<CChar>? = function("SSL_get_version"),
      let trust: @convention(c) (Object, UnsafePointer<CChar>, UnsafePointer<CChar>?) -> Int32 = function(
        "SSL_CTX_load_verify_locations"),
      let verify: @convention(c) (Object, Int32, Object?) -> Void = function("SSL_CTX_set_verify")
    else { return nil }
    (self.makeContext, self.method, self.useCertificate) = (makeContext, method, useCertificate)
    (self.useKey, self.setChoosing, self.control) = (useKey, setChoosing, control)
    self.setSecurityLevel = setSecurityLevel
    (self.make, self.free, self.setDescriptor) = (make, free, setDescriptor)
    (self.accept, self.read, self.write) = (accept, read, write)
    (self.shutDown, self.updateKey, self.handshake) = (shutDown, updateKey, handshake)
    (self.version, self.trust, self.verify) = (version, trust, verify)
  }
}
#endif
