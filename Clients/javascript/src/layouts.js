/**
 * Layouts: all that the bytes of a contract and of the messages inside depend on, as text. comparison.js tells how the layouts of two sides differ.
 * docs/specification/binary-format.md specifies the lines, and docs/specification/wire-format.md how a hello carries them.
 */

import { toUtf8 } from "./wire.js";

/** The id of the entry with the layouts in a list of contracts. */
export const ENTRY = 0xFFFF0060;

/** A list of the members of an enum. */
export const WRITTEN_OUT = /<([^=>][^>]*)>/g;
const CONTROL = /[\0-\x08\x0B\x0C\x0E-\x1F\x7F-\x9F]/g;

/** Writes the layouts of contracts and of the messages inside them. Lines beyond a number of bytes are left out, and such messages are not compared. The text is empty if the schema has no layout of these contracts. */
export function writeLayouts(schema, contracts, maxSize = Infinity) {
    const waiting = [...contracts];
    const numbers = new Map(contracts.map(({ id }, number) => [id, number]));
    const lists = new Map(); // of members of enums; each is written out once
    const lines = [];
    const shorten = (text, inside, members) => {
        if (members !== undefined) {
            if (lists.has(members))
                return `<=${lists.get(members)}>`;
            lists.set(members, lists.size);
            return text;
        }
        const id = Number(inside);
        if (!numbers.has(id)) {
            numbers.set(id, waiting.length);
            waiting.push(schema.contracts.get(id));
        }
        return `@${numbers.get(id)}`;
    };
    let size = 0;
    for (const contract of waiting) { // grows meanwhile
        let line = "";
        if (contract?.layout) {
            const name = contract.name.slice(contract.name.lastIndexOf(".") + 1).replace(/[ \n;]/g, "_");
            line = `${contract.id} ${contract.version} ${name} ${contract.layout.replace(/@([0-9]+)|<([^>]+)>/g, shorten)}`;
        }
        size += toUtf8(line).length + 1;
        if (size > maxSize)
            break;
        lines.push(line);
    }
    return lines.some(line => line !== "") ? lines.map(line => `${line}\n`).join("") : "";
}

/** Returns a text of the other side without control characters except tabs and ends of lines. */
export const clean = text => text.replace(CONTROL, "\uFFFD");

/** Whether all lines of the other side are the same text as those of the schema, so that nothing has to be compared. Lines of messages that the schema lacks are not read. */
export function areSame(schema, text) {
    const lines = text.split("\n").slice(0, -1);
    const ids = lines.map(line => line.slice(0, line.indexOf(" ")));
    const lists = Array.from(text.matchAll(WRITTEN_OUT), found => found[1]);
    return lines.every((line, number) => {
        const contract = schema.contracts.get(Number(ids[number]));
        if (!contract?.layout)
            return true;
        const [, version, , ...rest] = line.split(" ");
        let length = 0; // a hostile line must not grow much
        const layout = rest.join(" ").replace(/@([0-9]+)|<=([0-9]+)>/g, (found, message, list) => {
            const written = message === undefined ? `<${lists[list]}>` : `@${ids[message]}`;
            length += written.length;
            return length > contract.layout.length ? found : written;
        });
        return Number(version) === contract.version && layout === contract.layout;
    });
}
