/** Files of this machine: sources of transfers, and files that are received to a path. */

import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { open, rename, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";

const transfers = new Map(); // the last transfer to each path

/** The source of a path, or a Blob, and its name. */
export async function openSource(source) {
    if (source instanceof Blob)
        return [source, source.name];
    const found = await stat(source);
    if (!found.isFile())
        throw new Error(`${source} is not a file. Pass the path of a file.`);
    return [new FileSource(source, found.size), basename(source)];
}

/** The bytes that a file has when its transfer begins, read as those of a Blob. A Blob of Node refuses a file that is written meanwhile, such as a log. */
class FileSource {
    #path;
    #file = null; // a promise

    constructor(path, size) {
        [this.#path, this.size] = [path, size];
    }

    slice(start, end) {
        const read = size => this.#read(start, size);
        return {
            arrayBuffer: () => read(end - start),
            stream: async function* () {
                for (let block; start < end && (block = await read(Math.min(end - start, 256 * 1024))).length > 0; start += block.length)
                    yield block;
            },
        };
    }

    /** Closes the file. It is opened again for the next bytes, if a transfer continues. */
    async close() {
        const file = this.#file;
        this.#file = null;
        await file?.then(opened => opened.close()).catch(() => {}); // a file that was not opened has failed the transfer, and one that was only read loses nothing
    }

    /** Resolves with the bytes from a position on; with fewer at the end. */
    async #read(position, size) {
        const file = await (this.#file ??= open(this.#path));
        const buffer = new Uint8Array(Math.max(0, Math.min(size, this.size - position)));
        let read = 0;
        for (let bytesRead = -1; read < buffer.length && bytesRead !== 0; read += bytesRead)
            ({ bytesRead } = await file.read(buffer, read, buffer.length - read, position + read));
        return buffer.subarray(0, read);
    }
}

export async function hash(blob) {
    const found = createHash("sha256");
    for await (const part of blob.stream())
        found.update(part);
    return found.digest();
}

/** Returns the path of the file with the bytes of an unfinished transfer: a name of fixed length in the same folder, which no other file has. */
export function partOf(target) {
    const name = basename(target);
    if (/^\.reloaded-.*\.part$/is.test(name))
        throw new Error(`The destination ${target} has a name of unfinished transfers. Choose another name.`);
    if (Buffer.byteLength(name) > 255)
        throw new Error(`The name of the destination is longer than 255 bytes. Choose a shorter name.`);
    return join(dirname(target), `.reloaded-${createHash("sha256").update(name).digest("hex").slice(0, 32).toUpperCase()}.part`);
}

/** Opens the part of a file, which has all bytes until the file is complete. One transfer at a time writes to a path. */
export async function openTarget(path) {
    const target = resolve(path);
    const [before, part] = [transfers.get(target), partOf(target)];
    let finish;
    const ended = new Promise(resolve => finish = resolve);
    transfers.set(target, ended);
    await before;
    const release = () => {
        if (transfers.get(target) === ended)
            transfers.delete(target);
        finish();
    };
    let file;
    try {
        if ((await stat(target).catch(() => null))?.isDirectory())
            throw new Error(`The destination ${target} is a folder. Pass the path of a file.`);
        file = await open(part, constants.O_RDWR | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0), 0o666);
        const found = await file.stat();
        if (!found.isFile())
            throw new Error(`${part} is not a file. Remove it.`);
        return new PartFile(file, found.size, target, part, release);
    } catch (error) {
        await file?.close();
        release();
        throw error;
    }
}

class PartFile {
    #file;
    #target;
    #part;
    #release;

    constructor(file, size, target, part, release) {
        [this.#file, this.#target, this.#part, this.#release] = [file, target, part, release];
        this.size = size;
    }

    async hash() {
        const found = createHash("sha256");
        const buffer = Buffer.alloc(256 * 1024);
        for (let position = 0; position < this.size;) {
            const { bytesRead } = await this.#file.read(buffer, 0, Math.min(buffer.length, this.size - position), position);
            if (bytesRead === 0)
                throw new Error("The destination became shorter.");
            found.update(buffer.subarray(0, bytesRead));
            position += bytesRead;
        }
        return found.digest();
    }

    async truncate() {
        await this.#file.truncate(0);
        this.size = 0;
    }

    async write(block) {
        for (let written = 0; written < block.length;)
            written += (await this.#file.write(block, written, block.length - written, this.size + written)).bytesWritten;
        this.size += block.length;
    }

    /** Gives the file its name. */
    async finish(progress) {
        await this.#file.close();
        this.#file = null;
        await rename(this.#part, this.#target);
        return progress;
    }

    async close() {
        await this.#file?.close();
        this.#release();
    }
}
