/** What the page knows about the game: the token of the address, the connection, the age of what is shown. It needs no browser. */

import { ConnectionError, fromHex } from "./client/index.js";

/** What was received this long ago is old, in milliseconds. The game sends its state four times a second. */
export const OLD_AFTER = 2000;

const [FIRST_DELAY, LAST_DELAY] = [250, 2000]; // milliseconds between attempts
const OPEN_PRINTED = "Start the game, and open the address that it prints.";

/** Reads the token from the fragment of an address. Returns the token, or the problem and what to do. */
export function readToken(hash) {
    const text = new URLSearchParams(hash.replace(/^#/, "")).get("token");
    if (!text)
        return { problem: `This address has no token, so the game cannot be shown. ${OPEN_PRINTED}` };
    try {
        return { token: fromHex(text) };
    } catch {
        return { problem: `The token of this address is not hexadecimal digits in pairs. A part of the address may be missing. ${OPEN_PRINTED}` };
    }
}

/** Describes why a connection ended. */
export function describeEnd(reason) {
    switch (reason) {
        case "Goodbye": return "The game has ended.";
        case "ConnectionLost": return "The connection was lost.";
        default: return `The connection was lost (${reason}).`;
    }
}

/**
 * Connects to the game, and again after each loss, until the game refuses the token. A restarted game has another port, so each attempt asks for the port.
 * @param findPort Resolves with the port of the game; rejects if the program does not run.
 * @param open Connects to a port, and resolves with an object whose `ended` resolves with the reason of the end.
 * @param wait Resolves after a number of milliseconds.
 * @param show Shows a state, "connected" or "lost", and a text.
 */
export async function keepConnected({ findPort, open, wait, show }) {
    let [delay, ended] = [FIRST_DELAY, null];
    while (true) {
        try {
            const connection = await open(await findPort());
            delay = FIRST_DELAY;
            show("connected", "Connected");
            ended = describeEnd(await connection.ended);
            show("lost", `${ended} Connecting again…`);
        } catch (error) {
            if (error instanceof ConnectionError && error.reason === "WrongToken") {
                show("lost", "The game refuses the token of this address. Open the address that the game has printed.");
                return;
            }
            if (!(error instanceof ConnectionError || error instanceof TypeError || error instanceof SyntaxError)) // fetch and JSON reject with the latter two
                throw error;
            show("lost", `${ended ?? "The game was not reached."} This page connects when the game runs.`);
        }
        await wait(delay);
        delay = Math.min(2 * delay, LAST_DELAY);
    }
}

/** Returns whether what was received at a time is old, and a text that says its time. */
export function ageOf(time, now, isConnected) {
    const isOld = !isConnected || time === null || now - time > OLD_AFTER;
    return { isOld, text: isOld && time !== null ? `as of ${new Date(time).toTimeString().slice(0, 8)}` : "" };
}

/** Returns the highest value of a scale, and the values of its lines, at most five round numbers. */
export function makeScale(most) {
    const power = 10 ** Math.floor(Math.log10(Math.max(most, 1) / 4));
    const step = Math.max(1, [1, 2, 2.5, 5, 10].map(factor => factor * power).find(one => one * 4 >= most && Number.isInteger(one)) ?? 1);
    const top = Math.max(most * 1.05, step);
    return { top, lines: Array.from({ length: Math.floor(top / step) }, (_, i) => (i + 1) * step) };
}

/** Returns the mods whose name, author or version contains each word of a text. */
export function filterMods(mods, text) {
    const words = text.toLocaleLowerCase().split(/\s+/).filter(word => word);
    return mods.filter(mod => words.every(word => `${mod.Name} ${mod.Author} ${mod.Version}`.toLocaleLowerCase().includes(word)));
}

/** Returns a name to show. */
export const nameOf = name => name.trim() ? name : "(no name)";
