/** The lines of layouts, and the types in them: reading and describing. Only comparison.js uses this file. */

import { WRITTEN_OUT, clean } from "./layouts.js";

const [MAX_NESTING, MAX_TEXT] = [16, 200]; // of a described type; MAX_TEXT also of a name of the other side
const LINE = /^0*([0-9]{1,10}) ([-+]?)0*([0-9]{1,10}) ([^ ]*) ([onu])((?:;[^]*)?)$/;
export const SIMPLE = /[A-Za-z0-9]*/y;
export const NAME = /([^ ,:()[\]{}?@<>]*) /y;
export const MEMBERS = /<([^>]*)>/y;
const TYPES = new Map(Object.entries({
    i1: "int8", i2: "int16", i4: "int32", i8: "int64", i16: "int128", u1: "uint8", u2: "uint16", u4: "uint32", u8: "uint64", u16: "uint128",
    f2: "float16", f4: "float32", f8: "float64", b: "bool", c2: "char", d: "decimal", dd: "DateOnly", g: "Guid", s: "string", t: "DateTime",
    to: "DateTimeOffset", ts: "TimeSpan", tt: "TimeOnly",
}));

/** The lines of contracts and of all messages inside them. Lines of the other side are untrusted: each is read when it is compared. */
export class Layouts {
    #lines;
    #lists = null;

    constructor(text) {
        this.text = text;
        this.#lines = text.split("\n").slice(0, -1);
    }

    /** The number of lines. */
    get count() {
        return this.#lines.length;
    }

    /** Returns the members of an enum, from the text in its brackets: the members, or the sign = and the number of a list of members that is written out. */
    members(text) {
        if (!text.startsWith("="))
            return text;
        this.#lists ??= Array.from(this.text.matchAll(WRITTEN_OUT), found => found[1]);
        return this.#lists[numberOf(text.slice(1))] ?? "";
    }

    /** Returns a line, or null if it is missing, empty or invalid. */
    line(number) {
        const found = LINE.exec(this.#lines[number] ?? "");
        if (found === null)
            return null;
        const [id, version] = [Number(found[1]), Number(found[2] + found[3])];
        if (id >= 2 ** 32 || version < -(2 ** 31) || version >= 2 ** 31)
            return null;
        return { id, version, name: found[4], kind: found[5], fields: found[6] === "" ? [] : found[6].slice(1).split(";") };
    }
}

/** Returns a name of the other side as text of limited length. */
export const cleanName = name => clean(name.slice(0, MAX_TEXT));

/** The type of a field, as far as it was not yet read. */
export class Code {
    at = 0;

    constructor(text) {
        this.text = text;
    }

    get isEmpty() {
        return this.at >= this.text.length;
    }

    get next() {
        return this.text[this.at] ?? "";
    }

    /** Takes what matches a pattern; an empty text where nothing does. */
    take(pattern, group = 0) {
        pattern.lastIndex = Math.min(this.at, this.text.length);
        const found = pattern.exec(this.text);
        if (found === null)
            return "";
        this.at = pattern.lastIndex;
        return found[group];
    }
}

/** Divides a text at the first sign. Without the sign, the second part is empty. */
export function divide(text, sign) {
    const at = text.indexOf(sign);
    return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

/** The number of a line; -1 for a text that is none. */
export const numberOf = digits => /^0*[0-9]{1,9}$/.test(digits) ? Number(digits) : -1;

/** Describes a type, such as "list of int32". Untrusted codes are cleaned and cut. */
export function describe(text, layouts) {
    const code = new Code(text);
    let out = "";
    append(0);
    return clean(out.slice(0, MAX_TEXT)) || "nothing";

    function append(nesting) {
        if (code.isEmpty || nesting > MAX_NESTING || out.length > MAX_TEXT)
            return;
        const simple = code.take(SIMPLE);
        if (simple !== "") {
            out += TYPES.get(simple) ?? simple;
            if (layouts.members(code.take(MEMBERS, 1)) !== "")
                out += " (enum)";
            return;
        }
        const sign = code.next;
        code.at++;
        switch (sign) {
            case "?":
                out += "nullable ";
                append(nesting + 1);
                break;
            case "[":
                out += "list of ";
                append(nesting + 1);
                code.at++;
                break;
            case "{":
                out += "dictionary of ";
                append(nesting + 1);
                code.at++;
                out += " to ";
                append(nesting + 1);
                code.at++;
                break;
            case "@": {
                const message = layouts.line(numberOf(code.take(SIMPLE)));
                out += message ? `${message.name} (message ${message.id})` : "another message";
                break;
            }
            case "(":
                appendItems(nesting);
                break;
            default:
                out += "unknown";
        }
    }

    function appendItems(nesting) {
        out += "(";
        while (!code.isEmpty && out.length <= MAX_TEXT) {
            const name = code.take(NAME, 1);
            out += name === "" ? "" : `${name} `;
            append(nesting + 1);
            const isLast = code.isEmpty || code.next === ")";
            code.at++;
            if (isLast)
                break;
            out += ", ";
        }
        out += ")";
    }
}
