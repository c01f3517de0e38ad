import TestSupport
import Testing

/// All tests with windows. They share a build and a software renderer, so they run one after the other.
@Suite(
    .serialized, .onEachTransport, .timeLimit(.minutes(10)),
    .enabled(if: Desktop.missing == nil, "\(Desktop.missing ?? "")"))
struct DesktopTests {}
