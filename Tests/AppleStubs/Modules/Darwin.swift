// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// What the sources use of Darwin and Glibc lacks, as Apple declares it; what both have is Glibc's.
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
