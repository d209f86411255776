/** Servers that send what a test says, over TCP. */

import { createServer } from "node:net";
import { Client, Schema } from "../node.js";
import { writeHello } from "../src/handshake.js";
import { HELLO, Kind, concat, readFrame, readHeader, writeHeader, writeUvarint } from "../src/wire.js";
import { WAIT } from "./support.js";

const contract = (id, name, compressor = null) => ({
    id, name: `Samples.${name}`, kind: "message", struct: false, version: 1, serializer: "generated", compressor, fields: [{ number: 1, name: "Text", type: "s", shape: "100000001" }],
});

export const SCHEMA = new Schema({ contracts: [contract(1, "Event"), contract(2, "Ask"), contract(3, "Answer"), contract(4, "Other"), contract(5, "Small", "Samples.SomeCompressor")] });

/** A frame with a message. */
export function frame(header, payload = []) {
    const message = concat(writeHeader(header), payload);
    return concat(writeUvarint(message.length), message);
}

export const control = (type, payload) => frame({ type, kind: Kind.CONTROL }, payload);
export const reply = (to, type, payload) => frame({ type, kind: Kind.REPLY, correlation: to.correlation }, payload);
export const uint32 = value => [...new Uint8Array(Uint32Array.of(value).buffer)];

/** A request for a block or a report. */
export const pullOf = type => (number, correlation, value) => frame({ type, kind: Kind.REQUEST, correlation: number }, [...uint32(correlation), ...uint32(value)]);
export const text = value => SCHEMA.encode("Event", { Text: value });

/** One connection of a server. */
class Peer {
    #bytes = new Uint8Array();
    #wake = () => {};
    #isClosed = false;

    constructor(socket) {
        this.socket = socket;
        socket.on("data", bytes => {
            this.#bytes = concat(this.#bytes, bytes);
            this.#wake();
        });
        socket.on("error", () => {}); // the client may reset the connection; a close follows
        socket.on("close", () => {
            this.#isClosed = true;
            this.#wake();
        });
    }

    send(...frames) {
        this.socket.write(concat(...frames));
    }

    /** The next message that is no control message, or the next one that is: the header and the payload. Null at the end of the connection. */
    async receive(isControl = false) {
        while (true) {
            const found = readFrame(this.#bytes, 0, 1 << 20, 1 << 20);
            if (found) {
                this.#bytes = this.#bytes.slice(found[1]);
                const [header, position] = readHeader(found[0]);
                if ((header.kind === Kind.CONTROL) === isControl)
                    return [header, found[0].subarray(position)];
            } else if (this.#isClosed)
                return null;
            else
                await new Promise(resolve => this.#wake = resolve);
        }
    }

    /** Reads until the client closes. */
    async drain() {
        while (await this.receive() !== null);
    }
}

/** Starts a server that shakes hands, and then runs a script for each connection. Returns its port. It ends with the test. */
export async function serve(context, script, hello = concat(control(HELLO, writeHello(new Uint8Array(16), false, [], 100_000)), control(HELLO))) {
    const sockets = new Set();
    const server = createServer({ noDelay: true }, socket => {
        sockets.add(socket);
        socket.write(concat(hello));
        script(new Peer(socket)).catch(error => socket.destroy(error));
    });
    await new Promise(resolve => server.listen(0, "127.0.0.1", resolve));
    context.after(() => {
        sockets.forEach(socket => socket.destroy());
        server.close();
    });
    return { port: server.address().port, close: () => server.close() };
}

/** Makes a client of a server that runs a script. It is closed after the test. */
export async function make(context, script, options = {}) {
    const server = await serve(context, script, options.hello);
    const client = new Client(`tcp://127.0.0.1:${server.port}`, SCHEMA, { timeout: WAIT, ...options });
    client.failed = () => {}; // a test that expects an error sets a function
    context.after(() => client.close(0));
    return { client, server };
}
