export { Client } from "./src/client.js";
export { decompressLz4 } from "./src/compression.js";
export { ConnectionError, ContractMismatch, Fault, PayloadError, TransferError } from "./src/errors.js";
export { Schema, fromDate, toDate } from "./src/schema.js";
export { WireError, fromHex } from "./src/wire.js";
