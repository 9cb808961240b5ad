// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Declarations of Darwin that Glibc lacks and the sources use. Re-exports Glibc for the common declarations.
@_exported public import Glibc

public struct os_unfair_lock_s {
  public init() {}
}
public func os_unfair_lock_lock(_ lock: UnsafeMutablePointer<os_unfair_lock_s>) {}
public func os_unfair_lock_unlock(_ lock: UnsafeMutablePointer<os_unfair_lock_s>) {}

public func pthread_get_stackaddr_np(_ thread: pthread_t) -> UnsafeMutableRawPointer {
  UnsafeMutableRawPointer(bitPattern: 1)!
}
public func pthread_get_stacksize_np(_ thread: pthread_t) -> Int { 0 }

public let SO_NOSIGPIPE: Int32 = 0x1022
public let TCP_NOPUSH: Int32 = 4

extension stat {
  public var st_mtimespec: timespec { st_mtim }
}
