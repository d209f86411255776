/** The comparison of contracts with servers that have other contracts, and with servers that send anything. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Client, Schema, fromHex } from "../node.js";
import { areSame } from "../src/layouts.js";
import { layoutsOf, readContracts, writeContracts, writeHello } from "../src/handshake.js";
import { Comparison, Layouts } from "../src/comparison.js";
import { Kind, concat, toUtf8, writeHeader, writeUvarint } from "../src/wire.js";
import { cases, toHex } from "./support.js";

const contract = (id, name, layout, ...fields) => ({
    id, name: `Samples.${name}`, kind: "message", struct: false, version: 1, serializer: "binary", compressor: null, layout,
    fields: fields.map(([field, type], i) => ({ number: i + 1, name: field, type, code: type, shape: `${i + 1}00000000` })),
});

/** A list of items, whose field Version has a type; and the request for the list. */
const schemaWith = version => new Schema({
    contracts: [
        contract(1, "Ask", "o"),
        contract(2, "ModList", "o;Mods [@3]", ["Mods", "[m3]"]),
        contract(3, "Mod", `o;Name s;Version ${version}`, ["Name", "s"], ["Version", version]),
    ],
});

const announcement = (schema, ...names) => {
    const own = names.map(name => schema.find(name));
    return writeContracts(own, layoutsOf(schema, own));
};

const frame = (header, payload = []) => {
    const message = concat(writeHeader(header), payload);
    return concat(writeUvarint(message.length), message);
};

const control = (opcode, payload) => frame({ type: opcode, kind: Kind.CONTROL }, payload);

const OURS = "The contracts of message type 2 (Samples.ModList on this side, Samples.ModList on the remote side) differ: ModList.Mods[].Version is string here and int32 there.";
const THEIRS = OURS.replace("string here and int32 there", "int32 here and string there");
const GOODBYE = toHex(control(3, concat([7], toUtf8(THEIRS))));

/** A client of a server that announces contracts. Returns the client, what it sends, and a function that sends to it. */
function make(context, contracts, rest = control(0, [])) {
    const sent = [];
    let socket;
    class ScriptedWebSocket {
        readyState = 1;

        constructor() {
            socket = this;
            setImmediate(() => {
                this.onopen();
                this.onmessage({ data: concat(control(0, concat(writeHello(new Uint8Array(16), false).slice(0, -1), contracts)), rest).buffer });
            });
        }

        send(bytes) {
            assert.equal(this.readyState, 1);
            sent.push(toHex(bytes));
        }

        close() {
            this.readyState = 3;
            this.onclose();
        }
    }
    const client = new Client("ws://script/", schemaWith("s"), { WebSocket: ScriptedWebSocket });
    context.after(() => client.close());
    return {
        client, sent,
        async receive(bytes) {
            socket.onmessage({ data: bytes.slice().buffer });
            await new Promise(resolve => setImmediate(resolve));
        },
    };
}

test("a handled contract is compared with all messages inside at connect", async context => {
    const { client, sent } = make(context, announcement(schemaWith("i4"), "ModList"));
    client.on("ModList", () => assert.fail("An event was read."));
    await assert.rejects(client.connect(), { name: "ConnectionError", reason: "WrongContract", text: OURS, message: `The connection ended: WrongContract. ${OURS}` });
    assert.equal(sent.at(-1), GOODBYE);
});

test("a handled contract is compared with later announcements", async context => {
    const { client, sent, receive } = make(context, [1]);
    const ended = [];
    client.on("ModList", () => assert.fail("An event was read."));
    client.disconnected = (...given) => ended.push(given);
    await client.connect();
    await receive(control(0, announcement(schemaWith("i4"), "ModList")));
    assert.deepEqual(ended, [["WrongContract", OURS]]);
    assert.equal(sent.at(-1), GOODBYE);
});

test("a sent contract is compared at its first use", async context => {
    const { client } = make(context, announcement(schemaWith("i4"), "ModList"));
    await client.connect();
    for (let i = 0; i < 2; i++)
        await assert.rejects(client.send("ModList", { Mods: [] }), { name: "ContractMismatch", message: OURS, path: "ModList.Mods[].Version" });
});

test("a reply is compared before it is read", async context => {
    const { client, receive } = make(context, announcement(schemaWith("i4"), "Ask", "ModList"));
    await client.connect();
    const asked = assert.rejects(client.request("Ask"), { name: "ContractMismatch", message: OURS });
    await receive(frame({ type: 2, kind: Kind.REPLY, correlation: 1 }, schemaWith("i4").encode("ModList", { Mods: [{ Name: "a", Version: 5 }] })));
    await asked;
});

test("a schema of format 1 is compared by shapes", async context => {
    const other = contract(2, "ModList", undefined, ["Mods", "[m3]"]);
    const same = make(context, announcement(new Schema({ contracts: [other] }), "ModList"));
    await same.client.connect();
    await same.client.send("ModList", { Mods: [] });
    other.fields[0].shape = "100000007";
    const { client } = make(context, announcement(new Schema({ contracts: [other] }), "ModList"));
    await client.connect();
    await assert.rejects(client.send("ModList", { Mods: [] }), { name: "ContractMismatch", message: /the first difference is the field Mods\.$/, path: "Mods" });
});

test("the text of a goodbye is in the error", async context => {
    const refused = make(context, [1], control(3, concat([7], toUtf8(`${OURS}\x1B[2J`))));
    await assert.rejects(refused.client.connect(), { message: `The connection ended: WrongContract. ${OURS}\uFFFD[2J` });
    const { client, receive } = make(context, [1]);
    await client.connect();
    const asked = assert.rejects(client.request("Ask"), { reason: "WrongContract", message: `The connection ended: WrongContract. ${OURS}` });
    await receive(control(3, concat([7], toUtf8(OURS))));
    await asked;
});

test("contracts and layouts of many announcements are limited", async context => {
    for (const [size, count, text] of [[150_000, 6, "The contracts that the server announced have more than 524288 characters."], [1, 5000, "The server announced more than 4096 contracts."]]) {
        const { client, receive } = make(context, [1]);
        const ended = [];
        client.disconnected = (...given) => ended.push(given);
        await client.connect();
        for (let id = 10; id < 10 + count && ended.length === 0; id++) {
            const one = new Schema({ contracts: [contract(id, "Other", undefined)] }).find(id);
            await receive(control(0, writeContracts([one], `${id} 1 ${"x".repeat(size)} o\n`)));
        }
        assert.deepEqual(ended, [["Malformed", text]]);
    }
});

test("a handshake that cannot be read is a ConnectionError", async context => {
    for (const contracts of ["02", "020502FF010100000001", "FFFFFFFFFF", ""])
        await assert.rejects(make(context, fromHex(contracts)).client.connect(), { name: "ConnectionError", reason: "NotAPeer" });
});

test("mutated layouts are compared without an error", () => {
    let state = 36;
    const draw = bound => {
        state ^= state << 13;
        state ^= state >>> 17;
        state ^= state << 5;
        return (state >>> 0) % bound;
    };
    const alphabet = [..."[](){}<>?@:;,= \n\0onui48_Aé😀0123456789"];
    for (const { ours, theirs } of Array.from({ length: 50 }, () => cases("layouts")).flat()) {
        const text = [...theirs];
        for (let i = 0; i <= draw(4); i++)
            text.splice(draw(text.length + 1), draw(2), ...Array.from({ length: draw(3) }, () => alphabet[draw(alphabet.length)]));
        const difference = new Comparison(new Layouts(ours), new Layouts(text.join(""))).find(0, 0);
        if (difference)
            assert.doesNotMatch(difference.here, /[\0-\x08\x0B-\x1F\x7F-\x9F]/);
    }
});

test("large layouts are compared in limited time", { timeout: 30_000 }, () => {
    const size = 190_000;
    const ours = "5 1 M o;A (X f4,Y i4<Red=0,Blue=1>);B {s:[@0]};C [[[i4]]]\n";
    for (const theirs of [
        `5 1 M o;A ${"[".repeat(size)}\n`, `5 1 M o;A ${"(".repeat(size)}\n`, `5 1 M o;A (X f4,${"(".repeat(size)}\n`, `5 1 M o;A (X f4,Y i4<${"Red=0,".repeat(size / 6)}>)\n`,
        `5 1 M o${";A i4".repeat(size / 5)}\n`, "\n".repeat(size), `${"0".repeat(size)} 1 M o\n`, `5 1 M o;A ${"@".repeat(size)}\n`, `5 1 M o;A (X f4,Y i4<Red=0>);B {s:[@${"0".repeat(size)}]}\n`,
        `5 1 M o;A i4${"\n5 1 M o;A i4".repeat(size / 14)}`, `5 1 M o;${"A".repeat(size)}`, `5 1 M o;A (${"A".repeat(size)} f4)\n`,
    ]) {
        const difference = new Comparison(new Layouts(ours), new Layouts(theirs)).find(0, 0);
        assert.ok((difference?.here.length ?? 0) < 1000);
    }
});

test("messages inside without an end are a difference", () => {
    const cycle = length => new Layouts(Array.from({ length }, (_, i) => `5 1 M o;A @${(i + 1) % length}\n`).join(""));
    assert.match(new Comparison(cycle(5), cycle(7)).find(0, 0).here, /^the layout of M\.A(\.A)+ is finite here and without an end there$/);
    assert.equal(new Comparison(cycle(3), cycle(3)).find(0, 0), null);
});

test("a list of contracts keeps its limit", () => {
    const fields = Array.from({ length: 1000 }, (_, i) => `Field${String(i).padStart(5, "0")} i4`);
    const schema = new Schema({ contracts: Array.from({ length: 99 }, (_, i) => contract(i + 1, `Message${i}`, `o;${fields.join(";")}`)) });
    const own = [...schema.contracts.values()];
    const written = writeContracts(own, layoutsOf(schema, own));
    assert.ok(written.length > 150 * 1024 && written.length < 224 * 1024 + 64, String(written.length));
    const told = [...readContracts(written).values()];
    assert.equal(told.length, own.length);
    const layouts = new Layouts(told[0].layouts);
    assert.notEqual(layouts.line(0), null);
    assert.equal(layouts.line(told[98].line), null);
    assert.equal(layoutsOf(schemaWith("s"), []), "");
});

test("the members of an enum are written out once", () => {
    const schema = new Schema({ contracts: [contract(1, "First", "o;A i4<X=0,Y=1>;B i4<>;C i4<Z=0>"), contract(2, "Second", "o;A [i4<Z=0>];B @1;C i2<X=0,Y=1>")] });
    const text = layoutsOf(schema, [schema.find(2), schema.find(1)]);
    assert.equal(text, "2 1 Second o;A [i4<Z=0>];B @1;C i2<X=0,Y=1>\n1 1 First o;A i4<=1>;B i4<>;C i4<=0>\n");
    const full = "2 1 Second o;A [i4<Z=0>];B @1;C i2<X=0,Y=1>\n1 1 First o;A i4<X=0,Y=2>;B i4<>;C i4<Z=0>\n";
    assert.equal(new Comparison(new Layouts(text), new Layouts(full)).find(0, 0).here, "the member Y of Second.B.A is 1 here and 2 there");
    assert.equal(new Comparison(new Layouts(text), new Layouts(full.replace("Y=2", "Y=1"))).find(0, 0), null);
});

test("layouts are the same if each line that the schema knows is the same text", () => {
    const schema = new Schema({ contracts: [contract(7, "First", "o;A i4<X=0,Y=1>;B i4<>"), contract(2, "Second", "o;A [i4<X=0,Y=1>];B @7"), contract(3, "Plain", undefined)] });
    const text = layoutsOf(schema, [schema.find(2), schema.find(7)]);
    assert.ok(areSame(schema, text));
    assert.ok(areSame(schema, `${text}9 1 Unknown o;A s\n3 1 Plain o;A s\n\n`));
    for (const [from, to] of [["Y=1", "Y=2"], ["B @1", "B @0"], ["B @1", "B @7"], ["<=0>", "<=1>"], ["2 1", "2 2"], ["[i4", "[i8"]])
        assert.ok(!areSame(schema, text.replace(from, to)), `${from} ${to}`);
});

test("a line that grows when it is written out is another text", { timeout: 30_000 }, () => {
    const schema = new Schema({ contracts: [contract(1, "First", "o;A i4<X=0,Y=1>")] });
    assert.ok(!areSame(schema, `1 1 First o;A i4<${"A=1,".repeat(20_000)}B=2>${"<=0>".repeat(20_000)}\n`));
});
