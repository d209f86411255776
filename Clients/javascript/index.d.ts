/// <reference lib="esnext.disposable" />

/** A document that `MessageSchemaFile` writes: docs/specification/schema.md. */
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
    /** The name of the compressor's format, or of its class if the schema does not know the format. Null if payloads are never compressed. */
    readonly compressor: string | null;
    /** All that the bytes depend on, as text: docs/specification/binary-format.md. Null in a schema of format 1. */
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
    /** Whether the server sent the fault. A handler does not pass such a fault on. */
    readonly isRemote: boolean;
}

/** A connection that ended or was refused, by either side. `text` says more, for example which contract differs. `reason` is a name of the table of disconnect reasons in docs/specification/wire-format.md. */
export class ConnectionError extends Error {
    constructor(reason: string, text?: string);
    readonly reason: string;
    readonly text: string;
}

/** The two sides know a type of message by different contracts. The message names the contract, the path and both sides. */
export class ContractMismatch extends Error {
    constructor(text: string, path?: string | null);
    /** The path of the field that differs, such as `ModList.Mods[].Version`; null if the serializers, the compressors or the versions differ. */
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

/** The transfer of a file failed after it had begun. `cause` is the error. */
export class TransferError extends Error {
    constructor(name: string, progress: Progress, cause: Error);
    readonly progress: Progress;
}

/** The state of a transfer, in bytes. `resumed` bytes were not sent again. */
export interface Progress {
    readonly transferred: number;
    readonly length: number;
    readonly resumed: number;
}

export interface TransferOptions {
    /** Called after each block. */
    progress?: (progress: Progress) => void;
    /** Ends the transfer. */
    signal?: AbortSignal | null;
}

/** A file that the server wants to send. */
export interface FileOffer {
    /** The name that the server gave to the file. Do not use it as a path. */
    readonly name: string;
    /** The length in bytes. */
    readonly length: number;
    /** Receives the file as a Blob. */
    receive(options?: TransferOptions): Promise<Blob>;
    /** Receives the file to a path (Node only). Until all bytes have arrived, they are in a file `.reloaded-*.part` of the same folder, which a later transfer continues. */
    save(path: string, options?: TransferOptions): Promise<Progress>;
}

export interface ClientOptions {
    /** The token of the server (default: none, or the published one of `process:ID/NAME`). */
    token?: Uint8Array;
    /** Whether to repeat the first connection until the server is there, and to connect again after the connection was lost, until `close` (default: false). */
    reconnect?: boolean;
    /** Whether unanswered requests are sent again in their order over the next connection, so that the server may handle a request twice (default: false). */
    resend?: boolean;
    /** The time for a handshake, and for a request without its own time, in milliseconds (default: 5000). */
    timeout?: number;
    /** The WebSocket class for `ws` and `wss` (default: the global one, which Node 20 lacks). */
    WebSocket?: new (url: string) => WebSocket;
    /** Encrypts `tcp` (Node only): the options of `tls.connect` of node:tls, such as `{ ca }`; `{}` for the authorities of Node. */
    tls?: object;
}

/** A canceled call rejects with the reason of its signal. */
export interface SignalOptions {
    signal?: AbortSignal | null;
}

export interface RequestOptions extends SignalOptions {
    /** The time for the reply, or for the opening of a stream, in milliseconds. A request with items or progress has none by default. */
    timeout?: number;
}

/** The source of items: an iterable, such as an async generator, or a function that returns it. The signal is aborted when the items are read no more. */
export type Source<Item> = AsyncIterable<Item> | Iterable<Item> | ((signal: AbortSignal) => AsyncIterable<Item> | Iterable<Item>);

/** Items that are sent with a request, in blocks that its handler requests: the name of their contract, and their source. They end with the request. An error of the source is that of the call. */
export interface ItemsOptions<Item, Value> {
    items?: [item: Item, source: Source<Value>] | null;
}

/** What a handler uses beside the request. */
export interface HandlerOptions<Item> {
    /** The contract of the items that arrive with the request. They are `items` of the call, can be read once, and end with the handler. */
    items?: Item | null;
}

/** What a handler of requests with a reply uses beside the request. */
export interface ReplyOptions<Item, Report> extends HandlerOptions<Item> {
    /** The contract of the reports of the progress of the request. `report` of the call sends a report, which replaces one that waits because the server is slow, and which is dropped after the reply. */
    progress?: Report | null;
}

export interface ProgressOptions {
    /** Called with each report of the handler, in order, and never after the reply. While its promise is pending, the newest report replaces the one that waits. Its error cancels the request. */
    progress?: ((report: any) => unknown) | null;
}

/** What a handler of requests gets with the request. */
export interface Call {
    /** Aborted when the server cancels the request or leaves the stream, and when the connection ends. */
    readonly signal: AbortSignal;
    readonly isCanceled: boolean;
}

/** The same for a handler that reads items, or reports progress. */
export type CallWith<Item, Report = never> = Call & ([Item] extends [never] ? unknown : { readonly items: AsyncIterable<Item> }) & ([Report] extends [never] ? unknown : { readonly report: (progress: Report) => void });

/** What a client has sent and received over all its connections, and its state at the moment. */
export interface Statistics {
    readonly connections: number;
    readonly sentBytes: number;
    readonly receivedBytes: number;
    readonly sentEvents: number;
    readonly receivedEvents: number;
    /** Requests of the program, also for streams. */
    readonly sentRequests: number;
    /** Requests of the server, also those for parts of streams and files. */
    readonly receivedRequests: number;
    readonly resentRequests: number;
    /** Requests of this side that were refused. */
    readonly faults: number;
    readonly timeouts: number;
    readonly failedHandlers: number;
    /** Events without a handler. */
    readonly unhandledMessages: number;
    readonly unreadableMessages: number;
    /** At the moment, with the blocks of streams that were requested in advance. */
    readonly unansweredRequests: number;
    /** At the moment. */
    readonly runningHandlers: number;
    /** At the moment: bytes that wait to be sent. */
    readonly pendingBytes: number;
    /** The last round trip in milliseconds; null before the first one. */
    readonly roundTrip: number | null;
}

/** The messages of a program by their full names: `Messages`, `Replies` and `StreamItems` of `reloaded-messaging export --to typescript`. */
export interface Contracts {
    messages: object;
    replies: object;
    items: object;
}

/** A client without types: any name, and any object. */
export interface AnyContracts {
    messages: { [name: string]: any };
    replies: { [name: string]: any };
    items: { [name: string]: any };
}

type Tail<Name> = Name extends `${string}.${infer Rest}` ? Rest | Tail<Rest> : never;
type Named<Map, Name> = { [Key in keyof Map]: Key extends Name ? Map[Key] : Name extends string ? (Key extends `${string}.${Name}` ? Map[Key] : never) : never }[keyof Map];
type NameOf<Map> = string extends keyof Map ? string | number : (keyof Map & string) | Tail<keyof Map>;
type Found<Map, Name> = string extends keyof Map ? any : Named<Map, Name>;
/** The fields of a value. Fields with a default can be missing. */
type Sent<Map, Name> = string extends keyof Map ? object : Partial<Named<Map, Name>>;
type ReplyTo<C extends Contracts, Name> = string extends keyof C["replies"] ? any : [Named<C["replies"], Name>] extends [never] ? {} : Named<C["replies"], Name>;

/** A connection to a server. Handlers begin in the order in which messages arrive. A handler that is registered later is announced then. */
export class Client<C extends Contracts = AnyContracts> {
    /**
     * `endpoint` is `ws://HOST:PORT/PATH` or `wss://HOST:PORT/PATH`; in Node also `tcp://HOST:PORT`, `unix:PATH` or `process:ID/NAME`; or a function that returns it for each attempt.
     */
    constructor(endpoint: string | (() => string | Promise<string>), schema: Schema, options?: ClientOptions);
    readonly schema: Schema;
    readonly isConnected: boolean;
    /** The counters up to now. */
    readonly statistics: Statistics;
    /** Called after each connection, also after a reconnect. */
    connected: () => void;
    /** Called with the reason and a text when the connection has ended. */
    disconnected: (reason: string, text: string) => void;
    /** Called with an error of a handler, of a message that can't be read, or of an attempt to connect that is repeated (default: console.error). A ConnectionError of an attempt has no stack. */
    failed: (error: unknown) => void;
    /** Functions that compress, by the `compressor` of the contract. A function returns the compressed bytes. Node has `brotli`. */
    readonly compressors: Record<string, (bytes: Uint8Array) => Uint8Array>;
    /** Functions that decompress, by the `compressor` of the contract. `lz4` is included; `brotli` where the platform has it. */
    readonly decompressors: Record<string, (bytes: Uint8Array, size: number) => Uint8Array | Promise<Uint8Array>>;
    /** Handles an event. */
    on<Name extends NameOf<C["messages"]>>(event: Name, handler: (event: Found<C["messages"], Name>) => unknown): void;
    /** Answers a request of the server. With `null` in place of a reply, the request is acknowledged when the handler has completed. */
    onRequest<Name extends NameOf<C["messages"]>, Reply extends NameOf<C["messages"]> | null, Item extends NameOf<C["messages"]> = never, Report extends NameOf<C["messages"]> = never>(
        request: Name, reply: Reply, handler: (request: Found<C["messages"], Name>, call: CallWith<Found<C["messages"], Item>, Sent<C["messages"], Report>>) => Reply extends null ? unknown : Sent<C["messages"], Reply> | Promise<Sent<C["messages"], Reply>>,
        options?: ReplyOptions<Item, Report>): void;
    /** Answers a request of the server with a stream, for example of an async generator. A consumer that is slow stops the generator. */
    onStream<Name extends NameOf<C["messages"]>, Item extends NameOf<C["messages"]>, Received extends NameOf<C["messages"]> = never>(
        request: Name, item: Item, handler: (request: Found<C["messages"], Name>, call: CallWith<Found<C["messages"], Received>>) => AsyncIterable<Sent<C["messages"], Item>> | Iterable<Sent<C["messages"], Item>>,
        options?: HandlerOptions<Received>): void;
    /** Handles files that the server sends: the handler awaits `offer.receive` or `offer.save`, or throws a Fault to refuse the file. */
    onFile(handler: (offer: FileOffer) => Promise<unknown>): void;
    /** Handles requests for files: the handler returns the file with this name, in Node also as a path. The name comes from the server; do not use it as a path. */
    onFileRequest(handler: (name: string) => Blob | string | Promise<Blob | string>): void;
    /** Connects. Rejects with a ConnectionError. */
    connect(options?: SignalOptions): Promise<this>;
    /** Waits until there is a connection. Rejects with a ConnectionError if the client does not reconnect. */
    waitConnected(options?: SignalOptions): Promise<void>;
    /** Sends an event. Waits while 4 MiB wait to be sent. Rejects with a ConnectionError, a ContractMismatch or a PayloadError. */
    send<Name extends NameOf<C["messages"]>>(event: Name, value?: Sent<C["messages"], Name>, options?: SignalOptions): Promise<void>;
    /** Sends a request, and resolves with the reply, which is empty for a request without a reply. Rejects with a Fault, a ConnectionError, a ContractMismatch, a PayloadError, or a DOMException named TimeoutError. */
    request<Name extends NameOf<C["messages"]>, Item extends NameOf<C["messages"]> = never>(request: Name, value?: Sent<C["messages"], Name>, options?: RequestOptions & ProgressOptions & ItemsOptions<Item, Sent<C["messages"], Item>>): Promise<ReplyTo<C, Name>>;
    /** Sends a request whose reply is a stream. Four blocks of 64 KiB are requested in advance, so a slow loop slows down the server. Leaving the loop closes the stream. A Fault follows the items before it. */
    stream<Name extends NameOf<C["messages"]>, Item extends NameOf<C["messages"]> = never>(request: Name, value?: Sent<C["messages"], Name>, options?: RequestOptions & ItemsOptions<Item, Sent<C["messages"], Item>>): AsyncGenerator<Found<C["items"], Name>, void, undefined>;
    /** Sends a file, in Node also of a path, and waits until the server has saved it. With `reconnect`, the transfer continues after each new connection. Rejects with a Fault if the server refuses, and with a TransferError if the transfer fails later. */
    sendFile(source: Blob | string, name?: string, options?: TransferOptions): Promise<Progress>;
    /** Requests a file of the server. */
    receiveFile(name: string, options?: TransferOptions): Promise<Blob>;
    /** Requests a file of the server, and saves it at a path (Node only). Until all bytes have arrived, they are in a file `.reloaded-*.part` of the same folder, which a later transfer continues. */
    saveFile(name: string, path: string, options?: TransferOptions): Promise<Progress>;
    /** Ends the connection with a goodbye, and does not reconnect. Before, waits up to `drain` milliseconds for requests, handlers, and streams and files that the server reads (default: 5000). */
    close(drain?: number): Promise<void>;
    /** The same, for `await using`. */
    [Symbol.asyncDispose](): Promise<void>;
}

/** The ids of the processes of this user that have published a server with a name (Node on Linux only). Rejects with an error named PermissionError if other users can access the entries. */
export function findServers(name: string): Promise<number[]>;

/** The Date of a `Time` or an `OffsetTime`. A Date has milliseconds; ticks have 100 ns. */
export function toDate(time: Time | OffsetTime): Date;

/** A `Time` in UTC. */
export function fromDate(date: Date): Time;

/** The bytes of a hexadecimal text, such as a token. Throws a WireError for other text. */
export function fromHex(text: string): Uint8Array;

/** Decompresses an LZ4 block of exactly `size` bytes. Throws a WireError. */
export function decompressLz4(block: Uint8Array, size: number): Uint8Array;
