/**
 * A client with one version of a contract, for the tests in Reloaded.Messaging.Generators.Tests/Evolution: exchanges values with C# servers that have another version.
 * Reads commands as JSON, one a line: the schema of the client, the port and the token of the server, what to do, and the payload of the value to send. Writes one line for each.
 */

import { createInterface } from "node:readline";
import { Client, ConnectionError, ContractMismatch, Fault, PayloadError, Schema, fromHex } from "../node.js";
import { toHex } from "./support.js";
import { TestWebSocket } from "./websocket.js";

async function run(command) {
    const schema = new Schema(command.schema);
    const client = new Client(`ws://127.0.0.1:${command.port}/`, schema, { token: fromHex(command.token), timeout: 30_000, WebSocket: globalThis.WebSocket ?? TestWebSocket });
    try {
        if (command.do === "announce")
            client.onRequest("M", "Shown", () => ({ Text: "" }));
        await client.connect();
        if (command.do === "send")
            return { text: (await client.request("M", schema.decode("M", fromHex(command.payload)))).Text };
        if (command.do === "ask")
            return { payload: toHex(schema.encode("M", await client.request("Question"))) };
        return { text: "connected" };
    } catch (error) {
        if (![ConnectionError, ContractMismatch, Fault, PayloadError].some(type => error instanceof type))
            throw error;
        return { error: error.name, text: error.message };
    } finally {
        await client.close();
    }
}

for await (const line of createInterface({ input: process.stdin }))
    console.log(JSON.stringify(await run(JSON.parse(line))));
