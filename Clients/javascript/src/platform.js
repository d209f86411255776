/** What differs between browsers and Node. The file node.js of the package replaces members of `platform`. */

import { decompressBrotli, decompressLz4, hasBrotli } from "./compression.js";
import { openWebSocket } from "./websocket.js";

export const platform = {
    /** Functions that open a link, by the scheme of the endpoint: `(endpoint, connection, options) => link`. */
    links: { ws: openWebSocket, wss: openWebSocket },
    compressors: {},
    decompressors: { lz4: decompressLz4, ...hasBrotli() ? { brotli: decompressBrotli } : {} },
    /** The Blob of a source of bytes, or an object with its members `size` and `slice`, and its name. */
    openSource: async source => [source, source.name],
    /** A file to save to. */
    openTarget: () => {
        throw new TypeError("A browser does not save to a path. Use receiveFile or receive, which return a Blob.");
    },
    /** The SHA-256 hash of a Blob; null if it is too large to be read at once. */
    hash: async blob => blob.size > 2 ** 28 ? null : new Uint8Array(await crypto.subtle.digest("SHA-256", await blob.arrayBuffer())),
};
