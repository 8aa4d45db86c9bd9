import CZeroMQ
import Foundation

/// Where and for whom a hub is open to other machines.
package struct RemoteAccess: Sendable {
    let endpoints: [BusEndpoints]
    /// Holds `hub-keys.json` and `authorized-peers.json`.
    let directory: URL
    let keys: CurveKeyPair

    /// - Parameters:
    ///   - addresses: `HOST:PORT` of this machine; `*` for all of its addresses. The next port is used as well.
    ///   - directory: the configuration directory, 0700; the hub's keys are made there when there are none.
    package init(addresses: [String], directory: URL) throws {
        endpoints = try addresses.map { try BusEndpoints(curveListen: $0) }
        self.directory = directory
        keys = try HubKeys.loadOrMake(in: directory)
    }
}

/// The hub's sockets for other machines: CURVE always, apart from those of this machine, so that they can be closed and
/// opened again alone. In a context of their own, whose thread does the cryptography.
final class RemoteDoor {
    static let highWater: Int32 = 20_000

    let router: ZMQSocket
    let publisher: ZMQSocket
    let routerMonitor: SocketMonitor
    let publisherMonitor: SocketMonitor

    init(_ access: RemoteAccess, _ context: ZMQContext) throws(BusError) {
        router = try ZMQSocket(context, ZMQ_ROUTER)
        publisher = try ZMQSocket(context, ZMQ_XPUB)
        router.setCommonOptions()
        router.setCurveServer(access.keys)
        router.set(ZMQ_ROUTER_MANDATORY, 1)
        router.set(ZMQ_SNDHWM, Self.highWater)
        router.set(ZMQ_RCVHWM, Self.highWater)
        publisher.setCommonOptions()
        publisher.setCurveServer(access.keys)
        publisher.set(ZMQ_SNDHWM, Self.highWater)
        publisher.set(ZMQ_RCVHWM, 0)
        // A subscription counts only once it has been measured against the rights of its key.
        publisher.set(ZMQ_XPUB_MANUAL, 1)
        routerMonitor = try SocketMonitor(router, context)
        publisherMonitor = try SocketMonitor(publisher, context)
    }

    deinit {
        // A socket closes later than this, in a thread of libzmq, which would wait for ever to tell a listener that left.
        SocketMonitor.stop(router)
        SocketMonitor.stop(publisher)
    }

    /// Binds all addresses. Not in `init`, which would keep sockets that it cannot bind.
    ///
    /// - Parameter zap: answers who may come in.
    func bind(_ endpoints: [BusEndpoints], zap: ZAPHandler) throws(BusError) {
        guard zap.isServing else {
            throw .socket(operation: "bind", reason: "nobody judges the keys: not opened to other machines")
        }
        for endpoint in endpoints {
            try router.bind(endpoint.input)
            try publisher.bind(endpoint.output)
        }
    }

    var pollItems: [ZMQPollItem] {
        [
            router.pollItem(ZMQ_POLLIN), publisher.pollItem(ZMQ_POLLIN), routerMonitor.pollItem,
            publisherMonitor.pollItem,
        ]
    }
}

extension Route {
    /// What the routes of other machines begin with: neither libzmq's own routes (they begin with 0) nor those in memory
    /// (a small number) do.
    static var remoteMark: [UInt8] { [0xFF, 0x72, 0x65, 0x6D] }

    var isRemote: Bool { first == 0xFF && starts(with: Self.remoteMark) }

    /// The route of another machine, under which its own socket knows it.
    init(remote route: Route) { self = Self.remoteMark + route }

    var withoutMark: Route { Array(dropFirst(Self.remoteMark.count)) }
}
