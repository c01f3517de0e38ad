import TestSupport
import Testing

/// Everything with windows. The tests share a build and a processor that draws, so they run one after the other.
@Suite(
    .serialized, .onEachTransport, .timeLimit(.minutes(10)),
    .enabled(if: Desktop.missing == nil, "\(Desktop.missing ?? "")"))
struct DesktopTests {}
