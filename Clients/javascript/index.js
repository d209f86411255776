export { PayloadError, Schema, fromDate, toDate } from "./src/binary.js";
export { Client, ConnectionError, ContractMismatch, Fault } from "./src/client.js";
export { decompressLz4 } from "./src/compression.js";
export { WireError, fromHex } from "./src/wire.js";
