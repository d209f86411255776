/** What Node adds to the client: TCP, TLS, Unix sockets, published servers, Brotli, and files. */

import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";
import { ConnectionError } from "../errors.js";
import { platform } from "../platform.js";
import { check } from "../wire.js";
import { hash, openSource, openTarget } from "./files.js";
import { findServer } from "./servers.js";
import { openTcp, openUnix } from "./sockets.js";

Object.assign(platform.links, { tcp: openTcp, unix: openUnix, process: openProcess });
platform.compressors.brotli = bytes => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1, [constants.BROTLI_PARAM_LGWIN]: 18 } });
platform.decompressors.brotli = (bytes, size) => {
    const { buffer, engine } = brotliDecompressSync(bytes, { info: true, maxOutputLength: size + 1 });
    check(buffer.length === size && engine.bytesWritten === bytes.length, "The payload is not a Brotli stream of the declared size.");
    return new Uint8Array(buffer.buffer, buffer.byteOffset, size);
};
Object.assign(platform, { hash, openSource, openTarget });

/** Opens `process:ID/NAME`, a server that a process of this user has published. The link has the token of the entry. */
async function openProcess(endpoint, connection, options) {
    const [, id, name] = /^process:(?:\/\/)?(\d+)\/(.+)$/.exec(endpoint) ?? [];
    if (!id)
        throw new ConnectionError("NoEndpoint", `'${endpoint}' is not process:ID/NAME.`);
    const [place, token] = await findServer(Number(id), name);
    return Object.assign((place.startsWith("tcp:") ? openTcp : openUnix)(place, connection, options), { token });
}
