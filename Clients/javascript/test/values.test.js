/** Random values of random types, against a naive model of what each type can hold. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Schema } from "../node.js";
import { EXTENT } from "./support.js";

const BITS = { i1: 8, i2: 16, i4: 32, i8: 64, i16: 128, ts: 64, u1: 8, u2: 16, u4: 32, u8: 64, u16: 128 };
const SCALARS = [...Object.keys(BITS), "f2", "f4", "f8", "d", "b", "s", "s?", "c2", "g", "t", "to", "dd", "tt"];
const TICKS = 3155378975999999999n;
const HALVES = [];
for (let bits = 0; bits < 0x7C00; bits++)
    HALVES.push(bits < 1024 ? bits * 2 ** -24 : (1024 + bits % 1024) * 2 ** ((bits >> 10) - 25));
const NUMBERS = [0, -0, 0.5, -1.5, 0.1, 1e21, 1e-7, 2049, 2051, 65504, 65519.99, 65520, 2 ** -24, 2 ** -25, 1.5 * 2 ** -25, 3.4028235e38, 3.4028236e38, -1e300, 5e-324, NaN, Infinity, -Infinity, 3652058, 3652059, 863999999999n, 864000000000n, TICKS];
for (const bits of [0n, 7n, 8n, 15n, 16n, 31n, 32n, 53n, 63n, 64n, 96n, 127n, 128n]) {
    for (const more of [-1n, 0n, 1n])
        NUMBERS.push(2n ** bits + more, -(2n ** bits) + more, Number(2n ** bits + more), -Number(2n ** bits + more));
}
const TEXTS = ["", "a", "\uD800", "\u{1F600}", "a\uDC00", "1", "-1.50", "01", "+1", " 1", "1.", `0.${"0".repeat(27)}1`, `0.${"0".repeat(28)}1`, "79228162514264337593543950335", "79228162514264337593543950336", "NaN", "00000000-0000-0000-0000-00000000000A", "0"];
const OTHERS = [null, undefined, true, false, {}, [], [1, 2], new Map(), new Set([1, 2]), new Map([[1, 2]]), new Date(0), () => 1, Symbol("x"), new Uint8Array(2), new Float32Array(1), new Boolean(true), Object(1)];
const TIMES = [-1n, 0n, 5, 600000000n, TICKS, TICKS + 1n, 0.5, "5", true].flatMap(ticks => [-841, -840, -1, 0, 1, 2, 3, 840, 841, 1n, "1", null].flatMap(more => [{ ticks, kind: more }, { ticks, minutes: more }]));
const REFUSED = Symbol("refused");

const need = isValid => {
    if (!isValid)
        throw REFUSED;
};
const isInteger = value => typeof value === "bigint" || typeof value === "number" && Math.floor(value) === value && Math.abs(value) !== Infinity;

/** The value that a receiver reads. Throws REFUSED for a value that a type cannot hold. */
function model(type, value) {
    if (type[0] === "?" || type.endsWith("?"))
        return value === null ? null : model(type.replace("?", ""), value);
    need(value !== null && value !== undefined);
    if (type in BITS || type === "dd" || type === "tt") {
        const isSmall = BITS[type] <= 32 || type === "dd";
        need(isInteger(value) && !(isSmall && typeof value === "bigint"));
        const [least, most] = type === "dd" ? [0n, 3652058n] : type === "tt" ? [0n, 863999999999n] : type[0] === "u" ? [0n, 2n ** BigInt(BITS[type]) - 1n] : [-(2n ** BigInt(BITS[type] - 1)), 2n ** BigInt(BITS[type] - 1) - 1n];
        need(BigInt(value) >= least && BigInt(value) <= most);
        return isSmall ? Number(BigInt(value)) : BigInt(value);
    }
    if (type === "f8" || type === "f4" || type === "f2") {
        need(typeof value === "number");
        const rounded = type === "f8" ? value : type === "f4" ? Math.fround(value) : roundHalf(value);
        need(Math.abs(rounded) !== Infinity || Math.abs(value) === Infinity);
        return rounded;
    }
    if (type === "d") {
        need(["string", "number", "bigint"].includes(typeof value) && /^-?[0-9]+([.][0-9]{1,28})?$/.test(`${value}`));
        const [whole, fraction = ""] = `${value}`.replace("-", "").split(".");
        need(BigInt(whole + fraction) < 2n ** 96n);
        return `${`${value}`[0] === "-" ? "-" : ""}${BigInt(whole)}${fraction && `.${fraction}`}`;
    }
    if (type === "b")
        need(value === true || value === false);
    else if (type === "s")
        need(typeof value === "string" && Buffer.from(value, "utf8").toString("utf8") === value);
    else if (type === "c2")
        need(typeof value === "string" && value.length === 1);
    else if (type === "g") {
        need(value === TEXTS.at(-2));
        return value.toLowerCase();
    } else if (type === "t" || type === "to") {
        need(isInteger(value.ticks) && value.ticks >= 0n && value.ticks <= TICKS);
        const more = type === "t" ? value.kind : value.minutes;
        need(typeof more === "number" && (type === "t" ? [0, 1, 2].includes(more) : Math.abs(more) <= 840));
        const [ticks, utc] = [BigInt(value.ticks), BigInt(value.ticks) - BigInt(type === "to" ? more : 0) * 600000000n];
        need(utc >= 0n && utc <= TICKS);
        return type === "t" ? { ticks, kind: more } : { ticks, minutes: more };
    } else if (type[0] === "(" || type[0] === "[") {
        const [isStruct, part] = [type[0] === "(", type.slice(1, type[0] === "(" ? -3 : -1)];
        need(Array.isArray(value) || ArrayBuffer.isView(value) || !isStruct && (value instanceof Set || value instanceof Map));
        const items = [...value];
        need(!isStruct || items.length === 2);
        const read = items.map((item, i) => model(isStruct && i === 1 ? "i4" : part, item));
        return part === "u1" && !isStruct ? Uint8Array.from(read) : read;
    }
    return value;
}

/** The nearest number of HALVES, and the even one of two. */
function roundHalf(value) {
    const size = Math.abs(value);
    if (Number.isNaN(value) || size >= 65520)
        return Number.isNaN(value) ? value : value * Infinity;
    let at = HALVES.findIndex(half => half > size);
    at = at < 0 ? HALVES.length - 1 : at - 1;
    const [down, up] = [size - HALVES[at], (HALVES[at + 1] ?? Infinity) - size];
    at += up < down || up === down && at % 2 === 1 ? 1 : 0;
    return Object.is(Math.sign(value), -0) || value < 0 ? -HALVES[at] : HALVES[at];
}

test("a random value is sent as itself, or refused by its field", () => {
    let state = 8;
    const random = count => (state = Math.imul(state, 1103515245) + 12345 >>> 0, (state >>> 8) % count);
    const choose = list => list[random(list.length)];
    const typeOf = depth => {
        if (depth === 0 || random(5) < 3)
            return choose(SCALARS);
        const inside = typeOf(depth - 1);
        return inside.includes("?") || random(3) ? choose([`[${inside}]`, `(${inside}i4)`]) : /[s[]/.test(inside[0]) && inside !== "ts" ? `${inside}?` : `?${inside}`;
    };
    const valueOf = type => {
        if (random(7) === 0)
            return choose(choose([NUMBERS, TEXTS, OTHERS, TIMES]));
        const simple = type.replace(/^\?|\?$/g, "");
        if (simple[0] === "[")
            return Array.from({ length: random(3) }, () => valueOf(simple.slice(1, -1)));
        if (simple[0] === "(")
            return [valueOf(simple.slice(1, -3)), choose(NUMBERS)];
        return choose(/^(t|to)$/.test(simple) ? TIMES : /^(s|c2|g|d)$/.test(simple) ? TEXTS : simple === "b" ? OTHERS : NUMBERS);
    };
    let fitting = 0;
    const count = EXTENT >= 2 ? 200_000 : 10_000;
    for (let i = 0; i < count; i++) {
        const type = typeOf(2);
        const value = valueOf(type);
        const schema = new Schema({ contracts: [{ id: 1, name: "One", kind: "message", struct: false, version: 1, serializer: "binary", compressor: null, fields: [{ number: 1, name: "Value", type, shape: "0", computed: true }] }] });
        let expected;
        try {
            expected = model(type, value);
            fitting++;
        } catch (error) {
            if (error !== REFUSED)
                throw error;
            assert.throws(() => schema.encode("One", { Value: value }), error => error.name === "PayloadError" && error.message.includes("Value"), `${type} ${i}`);
            continue;
        }
        assert.deepStrictEqual(schema.decode("One", schema.encode("One", { Value: value })).Value, expected, `${type} ${i}`);
    }
    assert.ok(fitting > count / 10 && fitting < count * 9 / 10, `${fitting} values fit`);
});
