import CZeroMQ

extension ZMQSocket {
    /// `ZMQ_ZAP_ENFORCE_DOMAIN`: without a ZAP handler nobody comes in. The header only has it among the drafts.
    private static let zapEnforceDomain: Int32 = 93

    /// This side has the server's keys; whoever connects is judged by ZAP.
    func setCurveServer(_ keys: CurveKeyPair) {
        set(ZMQ_CURVE_SERVER, 1)
        set(ZMQ_CURVE_SECRETKEY, bytes: keys.secretKey.bytes)
        set(ZMQ_ZAP_DOMAIN, bytes: Array(ZAPHandler.domain.utf8))
        set(Self.zapEnforceDomain, 1)
    }

    /// This side connects with its own keys to a server whose key it knows.
    func setCurveClient(_ keys: CurveKeyPair, server: CurveKey) {
        set(ZMQ_CURVE_SERVERKEY, bytes: server.bytes)
        set(ZMQ_CURVE_PUBLICKEY, bytes: keys.publicKey.bytes)
        set(ZMQ_CURVE_SECRETKEY, bytes: keys.secretKey.bytes)
    }

    /// Lets go of an address and takes it again: after a refusal libzmq itself does not try any more.
    func reconnect(_ endpoint: String) throws(BusError) {
        zmq_disconnect(raw, endpoint)
        try connect(endpoint)
    }

    /// Receives the frames of one message together with the name that ZAP gave its sender.
    ///
    /// - Returns: the number of frames, 0 when nothing waits; `user` is nil for a sender that nobody judged.
    func receiveNamed(_ frame: (Int, UnsafeRawBufferPointer) -> Void) -> (count: Int, user: String?) {
        var count = 0
        var user: String?
        while true {
            var part = zmq_msg_t()
            zmq_msg_init(&part)
            defer { zmq_msg_close(&part) }
            if zmq_msg_recv(&part, raw, ZMQ_DONTWAIT) < 0 {
                if zmq_errno() == EINTR { continue }
                return (0, nil)
            }
            if user == nil, let name = zmq_msg_gets(&part, "User-Id") { user = String(cString: name) }
            frame(count, UnsafeRawBufferPointer(start: zmq_msg_data(&part), count: zmq_msg_size(&part)))
            count += 1
            if zmq_msg_more(&part) == 0 { return (count, user) }
        }
    }
}
