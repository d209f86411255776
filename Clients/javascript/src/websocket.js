/** A link over a WebSocket of the platform. */

const POLL = 20; // ms between looks at bytes that wait to be sent; a WebSocket has no event for it

/** Opens a WebSocket. Its bytes go to a connection. */
export function openWebSocket(url, connection, { WebSocket = globalThis.WebSocket }) {
    if (typeof WebSocket !== "function")
        throw new TypeError("This platform has no WebSocket. Pass the option WebSocket, for example the class of the package ws.");
    const socket = new WebSocket(url);
    let timer = null;
    const poll = () => {
        timer = null;
        if (connection.isFull)
            timer = setTimeout(poll, POLL);
        else
            connection.makeRoom();
    };
    socket.binaryType = "arraybuffer";
    socket.onmessage = ({ data }) => typeof data === "string" ? connection.disconnect("Malformed", "The server sent a text message.") : connection.receive(new Uint8Array(data));
    socket.onerror = () => connection.lose(); // no close follows in Node 20 and 22
    socket.onclose = () => connection.closed();
    return {
        opened: new Promise(resolve => socket.onopen = resolve),
        get pendingBytes() {
            return socket.bufferedAmount ?? 0;
        },
        send(bytes) {
            socket.send(bytes);
            if (timer === null && connection.isFull)
                timer = setTimeout(poll, POLL);
        },
        hold() {}, // a WebSocket reads on; the connection limits what waits
        end: () => socket.close(),
        abort: () => socket.close(),
    };
}
