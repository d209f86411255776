/** A WebSocket for versions of Node that have none: as much of RFC 6455 as the tests need. */

import { randomBytes } from "node:crypto";
import { connect } from "node:net";

export class TestWebSocket {
    readyState = 0;
    onopen = () => {};
    onmessage = () => {};
    onclose = () => {};
    #socket;
    #bytes = Buffer.alloc(0);
    #message = [];

    /** `origin` is what a browser would send. */
    constructor(url, origin = null) {
        const { hostname, port, pathname } = new URL(url);
        this.#socket = connect({ host: hostname, port }, () => this.#socket.write(
            `GET ${pathname} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
            `${origin === null ? "" : `Origin: ${origin}\r\n`}Sec-WebSocket-Key: ${randomBytes(16).toString("base64")}\r\nSec-WebSocket-Version: 13\r\n\r\n`));
        this.#socket.setNoDelay();
        this.#socket.on("error", () => {}); // a close follows
        this.#socket.on("close", () => {
            this.readyState = 3;
            this.onclose();
        });
        this.#socket.on("data", data => {
            this.#bytes = Buffer.concat([this.#bytes, data]);
            if (this.readyState === 0)
                this.#open();
            while (this.readyState !== 0 && this.#read());
        });
    }

    send(bytes) {
        if (this.readyState === 1)
            this.#write(2, bytes);
    }

    close() {
        if (this.readyState === 1)
            this.#write(8, Buffer.from([3, 0xE8]));
        if (this.readyState !== 3)
            this.#socket.end();
        this.readyState = Math.max(this.readyState, 2);
    }

    #open() {
        const end = this.#bytes.indexOf("\r\n\r\n");
        if (end < 0)
            return;
        this.status = Number(this.#bytes.subarray(9, 12).toString());
        this.#bytes = this.#bytes.subarray(end + 4);
        if (this.status !== 101)
            return this.#socket.destroy();
        this.readyState = 1;
        this.onopen();
    }

    #read() {
        if (this.#bytes.length < 2)
            return false;
        const [opcode, isLast, short] = [this.#bytes[0] & 15, this.#bytes[0] >= 128, this.#bytes[1]];
        const start = short === 126 ? 4 : short === 127 ? 10 : 2;
        if (this.#bytes.length < start)
            return false;
        const length = short === 126 ? this.#bytes.readUInt16BE(2) : short === 127 ? Number(this.#bytes.readBigUInt64BE(2)) : short;
        if (this.#bytes.length < start + length)
            return false;
        const payload = this.#bytes.subarray(start, start + length);
        this.#bytes = this.#bytes.subarray(start + length);
        if (opcode === 8)
            this.close();
        else if (opcode <= 2) {
            this.#message.push(payload);
            if (isLast) {
                const data = Buffer.concat(this.#message.splice(0));
                this.onmessage({ data: data.buffer.slice(data.byteOffset, data.byteOffset + data.length) });
            }
        }
        return true;
    }

    #write(opcode, payload) {
        const mask = randomBytes(4);
        const head = payload.length < 126 ? [128 | payload.length] : payload.length < 65536 ? [254, payload.length >> 8, payload.length & 255] : [255, ...new Uint8Array(new BigUint64Array([BigInt(payload.length)]).buffer).reverse()];
        this.#socket.write(Buffer.concat([Buffer.from([128 | opcode, ...head]), mask, Buffer.from(payload).map((byte, i) => byte ^ mask[i & 3])]));
    }
}
