// The part of Apple's module Darwin that is written in Swift, as far as Longhaul uses it. Bodies are never run.
@_exported public import Darwin

private func declared() -> Never { fatalError("only declared") }

// Source: swift: stdlib/public/Platform/Platform.swift
public var errno: Int32 {
    get { declared() }
    set { declared() }
}
public func open(_ path: UnsafePointer<CChar>, _ oflag: Int32) -> Int32 { declared() }
public func open(_ path: UnsafePointer<CChar>, _ oflag: Int32, _ mode: mode_t) -> Int32 { declared() }
public func openat(_ fd: Int32, _ path: UnsafePointer<CChar>, _ oflag: Int32) -> Int32 { declared() }
public func openat(_ fd: Int32, _ path: UnsafePointer<CChar>, _ oflag: Int32, _ mode: mode_t) -> Int32 { declared() }
public func fcntl(_ fd: Int32, _ cmd: Int32) -> Int32 { declared() }
public func fcntl(_ fd: Int32, _ cmd: Int32, _ value: Int32) -> Int32 { declared() }
public func fcntl(_ fd: Int32, _ cmd: Int32, _ ptr: UnsafeMutableRawPointer) -> Int32 { declared() }
public func ioctl(_ fd: CInt, _ request: UInt) -> CInt { declared() }
public func ioctl(_ fd: CInt, _ request: UInt, _ value: CInt) -> CInt { declared() }
public func ioctl(_ fd: CInt, _ request: UInt, _ ptr: UnsafeMutableRawPointer) -> CInt { declared() }

// Source: swift: stdlib/public/Platform/Platform.swift
public var S_IFMT: mode_t { 0o170000 }
public var S_IFIFO: mode_t { 0o010000 }
public var S_IFCHR: mode_t { 0o020000 }
public var S_IFDIR: mode_t { 0o040000 }
public var S_IFBLK: mode_t { 0o060000 }
public var S_IFREG: mode_t { 0o100000 }
public var S_IFLNK: mode_t { 0o120000 }
public var S_IFSOCK: mode_t { 0o140000 }
public var SIG_DFL: sig_t? { declared() }
public var SIG_IGN: sig_t { declared() }
public var SIG_ERR: sig_t { declared() }

// Source: swift: stdlib/public/Platform/POSIXError.swift
public enum POSIXErrorCode: Int32, Sendable {
    case EPERM = 1
    case ENOENT = 2
    case EINTR = 4
    case EIO = 5
    case EBADF = 9
    case EACCES = 13
    case EEXIST = 17
    case EINVAL = 22
    case ENOSPC = 28
}

// The numbers of clocks have another name in the header, and these names in Swift.
// Source: darwin: Libc/include/time.h
public var CLOCK_REALTIME: clockid_t { _CLOCK_REALTIME }
public var CLOCK_MONOTONIC: clockid_t { _CLOCK_MONOTONIC }
public var CLOCK_MONOTONIC_RAW: clockid_t { _CLOCK_MONOTONIC_RAW }
public var CLOCK_UPTIME_RAW: clockid_t { _CLOCK_UPTIME_RAW }
public var CLOCK_PROCESS_CPUTIME_ID: clockid_t { _CLOCK_PROCESS_CPUTIME_ID }
public var CLOCK_THREAD_CPUTIME_ID: clockid_t { _CLOCK_THREAD_CPUTIME_ID }

// Source: swift: stdlib/public/Platform/TiocConstants.swift
public var TIOCGWINSZ: UInt { 0x4008_7468 }

/// Double only: the interface of Synchronization for Linux names it.
public func _swift_stdlib_gettid() -> UInt32 { declared() }
