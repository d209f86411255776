/** A document that `MessageSchemaFile` writes: docs/contracts.md. */
export interface SchemaDocument {
    format: number;
    assembly: string;
    contracts: object[];
}

/** A field, or a type of a union: then `number` is the tag. */
export interface Field {
    readonly number: number;
    readonly name: string;
    readonly shape: bigint;
    readonly default: unknown;
    /** Whether only the .NET program knows the value of a missing field. */
    readonly isComputed: boolean;
}

/** A contract of the schema. */
export interface Contract {
    readonly id: number;
    readonly name: string;
    readonly kind: "message" | "tolerant" | "union";
    readonly isStruct: boolean;
    readonly version: number;
    readonly serializer: string;
    readonly compressor: string | null;
    /** All that the bytes depend on, as text: docs/binary-format.md. Null in a schema of format 1. */
    readonly layout: string | null;
    /** The id of the reply, or of the items of a stream. Null if there is none, or if it is not known. */
    readonly reply: number | null;
    readonly fields: readonly Field[];
}

/** A `DateTime`: ticks of 100 ns since the year 1, and the kind (0 none, 1 UTC, 2 local, whose ticks are in UTC). */
export interface Time {
    ticks: bigint;
    kind: 0 | 1 | 2;
}

/** A `DateTimeOffset`: the ticks that its clock shows, and its offset from UTC in minutes. */
export interface OffsetTime {
    ticks: bigint;
    minutes: number;
}

/** The value of a field. */
export type Value = number | bigint | boolean | string | null | Uint8Array | Time | OffsetTime | Value[] | Map<Value, Value> | Message;

/** A message: the names of its fields with their values. A type of a union has the key `$type`. */
export interface Message {
    [field: string]: Value | undefined;
}

/** A payload that is malformed, or a value that a contract can't hold. */
export class PayloadError extends Error {}

/** Bytes that break a rule of the wire format. `status` is the name of the verdict, or a sentence. */
export class WireError extends Error {
    readonly status: string;
}

/** A refused request. A handler throws one to refuse: codes from 1000 up are the program's. */
export class Fault extends Error {
    constructor(code: number, text: string);
    readonly code: number;
    readonly text: string;
}

/** A connection that ended or was refused, by either side. `text` says more, for example which contract differs. `reason` is a name of the table of disconnect reasons in docs/wire-format.md. */
export class ConnectionError extends Error {
    constructor(reason: string, text?: string);
    readonly reason: string;
    readonly text: string;
}

/** The two sides know a type of message by different contracts. The message names the contract, the path and both sides. */
export class ContractMismatch extends Error {
    constructor(text: string, path?: string | null);
    /** The path of the field that differs, such as `ModList.Mods[].Version`; null if the serializers or the versions differ. */
    readonly path: string | null;
}

/** The contracts of one or more schema documents. Encodes and decodes payloads. */
export class Schema {
    constructor(...documents: SchemaDocument[]);
    /** Fetches schema documents. */
    static load(...urls: (string | URL)[]): Promise<Schema>;
    /** The contracts, by id. */
    readonly contracts: ReadonlyMap<number, Contract>;
    /** Finds a contract by its id, its full name, or the end of its name if only one contract has it. Throws a PayloadError. */
    find(name: string | number): Contract;
    /** Writes a message's payload, of an object with the names of its fields. Fields that are missing have their default. Throws a PayloadError, also for a missing field whose default only the .NET program knows. */
    encode(name: string | number, value?: object): Uint8Array;
    /** Reads a message's payload. Throws a PayloadError. */
    decode<T = Message>(name: string | number, payload: Uint8Array): T;
}

export interface ClientOptions {
    /** The token of the server (default: none). */
    token?: Uint8Array;
    /** Whether to connect again after the connection was lost, until `close` (default: false). */
    reconnect?: boolean;
    /** The time for a handshake, and for a request without its own time, in milliseconds (default: 5000). */
    timeout?: number;
    /** The WebSocket class (default: the global one). */
    WebSocket?: new (url: string) => WebSocket;
}

export interface RequestOptions {
    /** The time for the reply, in milliseconds. */
    timeout?: number;
    /** Cancels the request. */
    signal?: AbortSignal | null;
}

/** A connection to a server. Handlers start in the order in which messages arrive. */
export class Client {
    /** `url` is the server's URL, such as `ws://127.0.0.1:7777/`, or a function that returns it for each attempt. */
    constructor(url: string | (() => string | Promise<string>), schema: Schema, options?: ClientOptions);
    readonly schema: Schema;
    readonly isConnected: boolean;
    /** Called after each connection, also after a reconnect. */
    connected: () => void;
    /** Called with the reason and a text when the connection has ended. */
    disconnected: (reason: string, text: string) => void;
    /** Called with an error of a handler, of a message that can't be read, or of an attempt to reconnect (default: console.error). */
    failed: (error: unknown) => void;
    /** Functions that decompress, by the end of the compressor's name. LZ4Compressor is included. */
    decompressors: Record<string, (bytes: Uint8Array, size: number) => Uint8Array>;
    /** Handles an event. Call it before `connect`. */
    on<T = Message>(event: string | number, handler: (event: T) => unknown): void;
    /** Answers a request of the server. Call it before `connect`. */
    onRequest<T = Message>(request: string | number, reply: string | number, handler: (request: T) => object | Promise<object>): void;
    /** Connects. Rejects with a ConnectionError. */
    connect(): Promise<this>;
    /** Sends an event. Throws a ConnectionError, a ContractMismatch or a PayloadError. */
    send(event: string | number, value?: object): void;
    /** Sends a request, and resolves with the reply. Rejects with a Fault, a ConnectionError, a ContractMismatch, a PayloadError, or a DOMException named TimeoutError. */
    request<T = Message>(request: string | number, value?: object, options?: RequestOptions): Promise<T>;
    /** Says goodbye, closes the connection, and does not reconnect. */
    close(): void;
}

/** The Date of a `Time` or an `OffsetTime`. A Date has milliseconds; ticks have 100 ns. */
export function toDate(time: Time | OffsetTime): Date;

/** A `Time` in UTC. */
export function fromDate(date: Date): Time;

/** The bytes of a hexadecimal text, such as a token. Throws a WireError for other text. */
export function fromHex(text: string): Uint8Array;

/** Decompresses an LZ4 block of exactly `size` bytes. Throws a WireError. */
export function decompressLz4(block: Uint8Array, size: number): Uint8Array;
