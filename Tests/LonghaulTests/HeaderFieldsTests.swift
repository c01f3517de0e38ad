import Longhaul
import LonghaulCore
import Testing

@Suite struct HeaderFieldsTests {
    @Test func dictionaryOfHeadersIsSentInOrderOfNames() {
        let spec = TransferSpec.request("http://127.0.0.1/", headers: ["Accept": "a", "X-B": "b", "X-A": "c"])
        #expect(spec.headers == [HeaderField("Accept", "a"), HeaderField("X-A", "c"), HeaderField("X-B", "b")])
    }

    @Test func arrayOfHeadersRepeatsANameInOrder() {
        let fields = [HeaderField("X-B", "1"), HeaderField("Accept", "2"), HeaderField("X-B", "3")]
        #expect(TransferSpec.request("http://127.0.0.1/", headers: fields).headers == fields)
        #expect(TransferSpec.request("http://127.0.0.1/", headers: []).headers.isEmpty)
    }

    @Test func nameFindsTheFirstFieldWithoutCase() {
        let fields = [HeaderField("content-type", "text/html"), HeaderField("Content-Type", "image/jpeg")]
        #expect(fields["Content-Type"] == "text/html" && fields["ETag"] == nil)
    }
}
