/** Servers that processes of this user have published: docs/hosting.md. Linux only. */

import { constants } from "node:fs";
import { open, readFile, readdir } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { isAbsolute, join } from "node:path";
import { ConnectionError } from "../errors.js";

const FIRST_LINE = "reloaded-messaging server 1";

/** The ids of the processes that have published a server with a name. Rejects if other users can access the folder of the entries. */
export async function findServers(name) {
    let entries;
    try {
        entries = await inServers(folder => readdir(folder));
    } catch (error) {
        if (error.code === "ENOENT")
            return []; // no program of this user has published a server
        throw error;
    }
    const ids = entries.filter(entry => entry.slice(0, entry.lastIndexOf(".")) === name).map(entry => entry.slice(name.length + 1)).filter(id => /^\d+$/.test(id)).map(Number);
    const found = await Promise.all(ids.map(id => findServer(id, name).then(() => id, () => null))); // null: the server has ended, or other users can access the entry
    return found.filter(id => id !== null).sort((one, other) => one - other);
}

/** The endpoint and the token of `process:ID/NAME`. Rejects with a ConnectionError if there is no such server. */
export async function findServer(id, name) {
    let lines;
    try {
        lines = (await inServers(folder => usePrivate(`${folder}/${name}.${id}`, false, opened => readFile(opened, "utf8")))).trimEnd().split("\n");
    } catch (error) {
        if (error instanceof PermissionError)
            throw error;
        lines = [];
    }
    const [first, process = "", ...places] = lines;
    const token = places.pop()?.replace(/^token /, "") ?? "";
    const place = places.find(one => /^(Unix|Tcp) /.test(one));
    if (first !== FIRST_LINE || !place || process.split(" ")[2] !== await startOf(id))
        throw new ConnectionError("ConnectionLost", `Process ${id} has no server '${name}' that this client can reach: ${join(folderOfUser(), "servers")}.`);
    const [kind, port, , ...address] = place.split(" ");
    return [kind === "Tcp" ? `tcp://${address.join(" ")}:${port}` : `unix:${address.join(" ")}`, new Uint8Array(Buffer.from(token, "base64"))];
}

/** A folder or a file that other users can access, or that another user owns. */
class PermissionError extends Error {
    name = "PermissionError";
}

function folderOfUser() {
    const runtime = process.env.XDG_RUNTIME_DIR ?? "";
    return isAbsolute(runtime) ? join(runtime, "reloaded-messaging") : join(tmpdir(), `reloaded-messaging-${userName()}`);
}

function userName() {
    try {
        return userInfo().username;
    } catch (error) {
        if (error.code !== "ERR_SYSTEM_ERROR")
            throw error;
        return process.geteuid(); // a user of a container without a name
    }
}

/** Uses the open folder of the entries. Another user may have created it first, because the temporary folder is open to all users. */
function inServers(use) {
    if (process.platform !== "linux")
        throw new ConnectionError("NoEndpoint", "Finding servers by their process needs Linux. Use tcp:// with the port of the server.");
    return usePrivate(folderOfUser(), true, parent => usePrivate(`/proc/self/fd/${parent.fd}/servers`, true, servers => use(`/proc/self/fd/${servers.fd}`)));
}

/** Opens a file or folder that only this user can access, and uses it. The checks use the open descriptor, so that another user cannot replace the path between the check and the use. */
async function usePrivate(path, isFolder, use) {
    const opened = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(error => {
        throw error.code === "ELOOP" ? new PermissionError(`${path} is a link. Remove it; the next server of this user creates it again.`) : error;
    });
    try {
        const found = await opened.stat();
        if (found.isDirectory() !== isFolder || !isFolder && !found.isFile() || found.uid !== process.geteuid() || (found.mode & 0o077) !== 0)
            throw new PermissionError(`${path} belongs to user ${found.uid} and has the mode ${(found.mode & 0o7777).toString(8)}; it must be a ${isFolder ? "folder" : "file"} of user ${process.geteuid()} that no other user can access. Remove it, or connect with tcp:// or unix:.`);
        return await use(opened);
    } finally {
        await opened.close();
    }
}

/** When a process started, as Linux counts: field 22 of its stat. An id may belong to another process later. */
async function startOf(id) {
    const text = await readFile(`/proc/${id}/stat`, "utf8").catch(() => "");
    return text.slice(text.lastIndexOf(")") + 1).split(" ")[20];
}
