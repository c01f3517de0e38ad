import Longhaul
import Testing

@Suite struct ExportTests {
    @Test func theVocabularyComesWithTheLibrary() {
        #expect(SessionID("org.example.photos")?.description == "org.example.photos")
    }
}
