/** Values of a fixed size, and the keys of dictionaries: docs/specification/binary-format.md. */

import { check } from "./wire.js";

const MAX_TICKS = 3155378975999999999n;
export const TICKS_PER_MINUTE = 600_000_000n;

/** Whether .NET compares values of a type by what they contain. It compares messages as objects. */
export function isComparable(type) {
    return type.kind !== "m" && type.parts.every(isComparable);
}

/** What makes two keys equal in .NET: every NaN, decimals by value, times by their moment, structs by their fields. */
export function keyOf(type, key) {
    switch (type.kind) {
        case "?": return key === null ? null : keyOf(type.parts[0], key);
        case "(": return JSON.stringify(type.parts.map((part, i) => [typeof key[i], String(keyOf(part, key[i]))]));
        case "t": return `${key.ticks}${key.kind === 2 && key.ticks % MAX_TICKS ? " local" : ""}`; // which becomes one of the receiver, except the first and the last time
        case "to": return key.ticks - BigInt(key.minutes) * TICKS_PER_MINUTE;
        case "d": return key.replace(/\.0*$|(\.\d*?)0+$/, "$1").replace(/^-0$/, "0");
        default: return key; // a Set treats 0 and -0 as equal, and all NaN
    }
}

function integer(size, signed) {
    const name = `${signed ? "Int" : "Uint"}${8 * size}`;
    const [least, most] = signed ? [-(2 ** (8 * size - 1)), 2 ** (8 * size - 1) - 1] : [0, 2 ** (8 * size) - 1];
    return {
        size, zero: 0,
        read: (view, at) => view[`get${name}`](at, true),
        write: (view, at, value) => Number.isInteger(value) && value >= least && value <= most && void view[`set${name}`](at, value, true),
    };
}

const isInteger = value => typeof value === "bigint" || Number.isInteger(value); // BigInt also takes texts, dates and arrays

/** Integers of 64 and 128 bits. */
function large(size, signed, least = null, most = null) {
    const clip = signed ? BigInt.asIntN : BigInt.asUintN;
    const isValid = value => clip(8 * size, value) === value && (least === null || value >= least && value <= most);
    return {
        size, zero: 0n,
        read(view, at) {
            let value = 0n;
            for (let i = size - 8; i >= 0; i -= 8)
                value = value << 64n | view.getBigUint64(at + i, true);
            value = clip(8 * size, value);
            check(isValid(value), "A time is out of range.");
            return value;
        },
        write(view, at, given) {
            if (!isInteger(given))
                return false;
            const value = BigInt(given);
            for (let i = 0; i < size; i += 8)
                view.setBigUint64(at + i, BigInt.asUintN(64, value >> BigInt(8 * i)), true);
            return isValid(value);
        },
    };
}

/** A number is rounded to the size. A large one would be sent as infinity, and is refused. */
function float(size, read = (view, at) => view[`getFloat${8 * size}`](at, true), write = (view, at, value) => view[`setFloat${8 * size}`](at, value, true)) {
    return { size, zero: 0, read, write: (view, at, value) => typeof value === "number" && (write(view, at, value), Number.isFinite(read(view, at)) || !Number.isFinite(value)) };
}

function readHalf(view, at) {
    const bits = view.getUint16(at, true);
    const [sign, exponent, fraction] = [bits >> 15 ? -1 : 1, bits >> 10 & 31, bits & 1023];
    return sign * (exponent === 31 ? fraction ? NaN : Infinity : exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25));
}

/** Rounds to the nearest half, and to the even one of two. */
function writeHalf(view, at, value) {
    const size = Math.abs(value);
    let exponent = -14;
    while (size >= 2 ** (exponent + 1) && exponent < 15)
        exponent++;
    const exact = size / 2 ** (exponent - 10);
    const floor = Math.floor(exact);
    const rounded = floor + (exact - floor > 0.5 || exact - floor === 0.5 && floor % 2 === 1 ? 1 : 0);
    const bits = Number.isNaN(value) ? 0x7E00 : size >= 65520 ? 0x7C00 : (exponent + 14 << 10) + rounded;
    view.setUint16(at, bits | (value < 0 || Object.is(value, -0) ? 0x8000 : 0), true);
}

/** The values of a fixed size: the size, how to read one, and how to write one (false: out of range). */
export const FIXED = {
    i1: integer(1, true), i2: integer(2, true), i4: integer(4, true), u1: integer(1, false), u2: integer(2, false), u4: integer(4, false),
    i8: large(8, true), u8: large(8, false), i16: large(16, true), u16: large(16, false), ts: large(8, true), tt: large(8, true, 0n, 863999999999n),
    f4: float(4), f8: float(8), f2: float(2, readHalf, writeHalf),
    c2: { size: 2, read: (view, at) => String.fromCharCode(view.getUint16(at, true)), write: (view, at, value) => typeof value === "string" && value.length === 1 && void view.setUint16(at, value.charCodeAt(0), true) },
    b: {
        size: 1,
        read(view, at) {
            check(view.getUint8(at) <= 1, "A bool is not 0 or 1.");
            return view.getUint8(at) === 1;
        },
        write: (view, at, value) => typeof value === "boolean" && void view.setUint8(at, value ? 1 : 0),
    },
    dd: {
        size: 4,
        read(view, at) {
            const days = view.getInt32(at, true);
            check(days >= 0 && days <= 3652058, "A date is out of range.");
            return days;
        },
        write: (view, at, value) => Number.isInteger(value) && value >= 0 && value <= 3652058 && void view.setInt32(at, value, true),
    },
    g: {
        size: 16,
        read(view, at) {
            const hex = (value, digits) => value.toString(16).padStart(digits, "0");
            const last = hex(view.getBigUint64(at + 8, false), 16);
            return `${hex(view.getUint32(at, true), 8)}-${hex(view.getUint16(at + 4, true), 4)}-${hex(view.getUint16(at + 6, true), 4)}-${last.slice(0, 4)}-${last.slice(4)}`;
        },
        write(view, at, value) {
            const parts = typeof value === "string" && /^([0-9a-f]{8})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{12})$/i.exec(value);
            if (!parts)
                return false;
            view.setUint32(at, parseInt(parts[1], 16), true);
            view.setUint16(at + 4, parseInt(parts[2], 16), true);
            view.setUint16(at + 6, parseInt(parts[3], 16), true);
            view.setBigUint64(at + 8, BigInt(`0x${parts[4]}${parts[5]}`), false);
        },
    },
    d: {
        size: 16,
        read(view, at) {
            const number = view.getBigUint64(at, true) | BigInt(view.getUint32(at + 8, true)) << 64n;
            const flags = view.getUint32(at + 12, true);
            const scale = flags >> 16 & 0xFF;
            check(scale <= 28 && (flags & 0x7F00FFFF) === 0, "A decimal has an invalid scale.");
            const digits = number.toString().padStart(scale + 1, "0");
            return `${flags >>> 31 ? "-" : ""}${digits.slice(0, digits.length - scale)}${scale ? `.${digits.slice(-scale)}` : ""}`;
        },
        write(view, at, value) {
            const parts = ["string", "number", "bigint"].includes(typeof value) && /^(-?)(\d+)(?:\.(\d{1,28}))?$/.exec(String(value));
            const number = parts && BigInt(parts[2] + (parts[3] ?? ""));
            if (!parts || number >> 96n)
                return false;
            view.setBigUint64(at, BigInt.asUintN(64, number), true);
            view.setUint32(at + 8, Number(number >> 64n), true);
            view.setUint32(at + 12, (parts[3]?.length ?? 0) << 16 | (parts[1] ? 0x80000000 : 0), true);
        },
    },
    t: {
        size: 8,
        read(view, at) {
            const bits = view.getBigUint64(at, true);
            const [ticks, kind] = [BigInt.asUintN(62, bits), Number(bits >> 62n)];
            check(ticks <= MAX_TICKS && kind <= 2, "A time is out of range.");
            return { ticks, kind };
        },
        write(view, at, { ticks, kind }) {
            if (!isInteger(ticks) || !isInteger(kind))
                return false;
            view.setBigUint64(at, BigInt.asUintN(64, BigInt(ticks) | BigInt(kind) << 62n), true);
            return ticks >= 0 && ticks <= MAX_TICKS && [0, 1, 2].includes(kind);
        },
    },
    to: {
        size: 10,
        read(view, at) {
            const [ticks, minutes] = [view.getBigInt64(at, true), view.getInt16(at + 8, true)];
            check(isMoment(ticks, minutes), "A time is out of range.");
            return { ticks, minutes };
        },
        write(view, at, { ticks, minutes }) {
            if (!isInteger(ticks) || !Number.isInteger(minutes))
                return false;
            view.setBigInt64(at, BigInt(ticks), true);
            view.setInt16(at + 8, minutes, true);
            return isMoment(BigInt(ticks), minutes);
        },
    },
};

function isMoment(ticks, minutes) {
    const utc = ticks - BigInt(minutes) * TICKS_PER_MINUTE;
    return Math.abs(minutes) <= 840 && ticks >= 0n && ticks <= MAX_TICKS && utc >= 0n && utc <= MAX_TICKS;
}
