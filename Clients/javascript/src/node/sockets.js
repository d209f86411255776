/** Links over TCP, with TLS or without, and over Unix sockets. */

import { connect as connectSocket } from "node:net";
import { connect as connectTls } from "node:tls";

/** Opens `tcp://HOST:PORT`. With the option `tls`, the settings of node:tls, the connection is encrypted. */
export function openTcp(endpoint, connection, { tls = null }) {
    const { hostname, port } = new URL(endpoint);
    const place = { host: hostname.replace(/^\[|\]$/g, ""), port: Number(port) };
    return tls === null ? link(connectSocket(place), "connect", connection) : link(connectTls({ servername: place.host, ...tls, ...place }), "secureConnect", connection);
}

/** Opens `unix:PATH`. */
export function openUnix(endpoint, connection) {
    return link(connectSocket({ path: endpoint.replace(/^unix:(\/\/)?/, "") }), "connect", connection);
}

function link(socket, openEvent, connection) {
    let error = null;
    socket.setNoDelay(true);
    socket.on("data", ({ buffer, byteOffset, length }) => connection.receive(new Uint8Array(buffer, byteOffset, length))); // slices of a Buffer are no copies
    socket.on("drain", () => connection.makeRoom());
    socket.on("error", found => error = found); // a close follows
    socket.on("close", () => connection.closed(isTlsError(error) ? "TlsFailed" : "ConnectionLost", error?.message ?? ""));
    return {
        opened: new Promise(resolve => socket.once(openEvent, resolve)),
        get pendingBytes() {
            return socket.writableLength;
        },
        send: bytes => socket.write(bytes),
        hold: isHeld => isHeld ? socket.pause() : socket.resume(),
        end: () => socket.end(),
        abort: () => socket.destroy(),
    };
}

const isTlsError = error => /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO)/.test(error?.code ?? "");
