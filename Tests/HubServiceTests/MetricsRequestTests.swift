import Testing

@testable import HubService

struct MetricsRequestTests {
    @Test(
        arguments: [
            (
                "GET /metrics HTTP/1.1\r\nHost: localhost:9464\r\n\r\n",
                .get(path: "/metrics", host: "localhost:9464", headOnly: false)
            ),
            ("GET /metrics HTTP/1.0\n\n", .get(path: "/metrics", host: nil, headOnly: false)),
            (
                "HEAD /metrics?name[]=up HTTP/1.1\r\nhost:127.0.0.1\r\n\r\n",
                .get(path: "/metrics", host: "127.0.0.1", headOnly: true)
            ),
            ("GET /metrics HT", .incomplete),
            ("", .incomplete),
            ("POST /metrics HTTP/1.1\r\n\r\n", .refused(status: 405)),
            ("GET /metrics\r\n\r\n", .refused(status: 400)),
            ("GET http://elsewhere/ HTTP/1.1\r\n\r\n", .refused(status: 400)),
            ("\r\n\r\n", .refused(status: 400)),
        ] as [(String, MetricsRequest)])
    func `reads the head of a request`(text: String, expected: MetricsRequest) {
        #expect(MetricsRequest(Array(text.utf8)) == expected)
    }

    @Test func `every beginning of a good request is incomplete, never refused`() {
        let whole = Array("GET /metrics HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\n\r\n".utf8)
        for count in 0..<whole.count { #expect(MetricsRequest(Array(whole[..<count])) == .incomplete, "\(count)") }
    }

    @Test func `a head without end is refused at the limit`() {
        let long = Array("GET /metrics HTTP/1.1\r\nX: ".utf8) + Array(repeating: 0x61, count: MetricsRequest.limit)
        #expect(MetricsRequest(long) == .refused(status: 431))
        #expect(MetricsRequest(long + Array("\r\n\r\n".utf8)) == .refused(status: 431))
    }

    @Test func `bytes that are no text are refused`() {
        #expect(MetricsRequest([0x16, 0x03, 0x01, 0x00]) == .refused(status: 400))
        #expect(MetricsRequest([0xFF, 0xFE, 0x0A, 0x0A]) == .refused(status: 400))
    }

    @Test(
        arguments: [
            ("localhost:9464", true), ("127.0.0.1", true), ("[::1]:9464", true), ("evil.example", false),
            ("localhost.evil.example", false), ("", false),
        ] as [(String, Bool)])
    func `knows the names of this machine`(host: String, isLocal: Bool) {
        #expect(MetricsRequest.isLocal(host: host) == isLocal)
    }

    @Test func `an address that others can reach is refused by name`() throws {
        #expect(try MetricsAddress("127.0.0.1:9464").port == 9464)
        #expect(try MetricsAddress("[::1]:9464").isVersion6)
        for text in ["0.0.0.0:9464", "192.168.1.4:9464", "[::]:9464", "example.org:9464"] {
            #expect(throws: MetricsServerError.notLoopback(text)) { try MetricsAddress(text) }
        }
        for text in ["9464", ":9464", "127.0.0.1", "127.0.0.1:0", "127.0.0.1:70000"] {
            #expect(throws: MetricsServerError.badAddress(text)) { try MetricsAddress(text) }
        }
    }
}
