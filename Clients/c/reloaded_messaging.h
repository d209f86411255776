/* Reloaded.Messaging for C99: a client for hosts in .NET, for engines and tools. Clients/c/README.md explains it.
 *
 * The client starts no thread, has no global state, and allocates no memory: the program gives it one block, whose size rm_size() returns.
 * A client and its events belong to one thread at a time. Different clients can be used by different threads. */
#ifndef RELOADED_MESSAGING_H
#define RELOADED_MESSAGING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Statuses and limits ---------------------------------------------------------------------------------------------------- */

/* The results of functions. RM_OK is 0. */
typedef enum rm_status {
    RM_OK,
    RM_INCOMPLETE,         /* more bytes are needed to decide */
    RM_MALFORMED,          /* the bytes break a rule of the format */
    RM_INVALID_VALUE,      /* a value to send does not fit its contract, such as a missing message, text that is not UTF-8, a time out of range, or a request in rm_send() */
    RM_INVALID_PAYLOAD,    /* a received payload does not fit its contract */
    RM_TOO_LARGE,          /* a message exceeds a limit of this side or of the server */
    RM_NO_MEMORY,          /* the given memory is too small */
    RM_FULL,               /* the bytes that wait to be sent, or the open requests, are at their limit; try again after a later rm_poll() */
    RM_WRONG_CONTRACT,     /* the contract of the message, or of its reply, differs from the contract of the server */
    RM_UNKNOWN,            /* no such request, no such server, or a contract that rm_config does not have */
    RM_INVALID_ARGUMENT,   /* an argument or a limit in rm_config is out of range */
    RM_INVALID_ENDPOINT,   /* the text is no endpoint */
    RM_NOT_LOCAL,          /* TCP is limited to loopback addresses: this client has no encryption */
    RM_WEAK_TOKEN,         /* a token for TCP has fewer than 16 bytes */
    RM_NOT_PRIVATE,        /* other users can access the entry of a published server */
    RM_NO_CONNECTION,      /* no connection could be made, or the client is not connected */
    RM_CONNECTION_LOST,    /* the connection ended without a goodbye */
    RM_TIMED_OUT,          /* the time limit has passed */
    RM_REFUSED,            /* the handshake failed; rm_reason() and rm_reason_text() say why */
    RM_STREAM,             /* the reply is a stream, which this client does not read; the stream was closed */
    RM_SYSTEM              /* the system has no random bytes or no socket */
} rm_status;

/* Returns the name of a status, such as "RM_FULL". */
const char *rm_status_name(rm_status status);

enum {
    RM_MAX_CONTROL = 256 * 1024,   /* bytes of a control message, such as a hello */
    RM_MAX_CONTRACTS = 4096,       /* contracts in one list of a hello */
    RM_MAX_REQUESTS = 1024,        /* open requests in each direction */
    RM_MAX_UNREADABLE = 16,        /* messages that cannot be read, before the connection ends */
    RM_MAX_DEPTH = 64,             /* messages inside each other */
    RM_MAX_HEADER = 17,            /* bytes of a header */
    RM_MAX_TEXT = 1024,            /* bytes of the text of a goodbye; of a fault, 1000 are sent */
    RM_MAX_ADDRESS = 108,          /* bytes of an address, with its end */
    RM_PING_INTERVAL = 2000,       /* milliseconds between pings */
    RM_KEEP_ALIVE = 15000          /* milliseconds without a byte, before the connection ends */
};

/* ---- Values of payloads ----------------------------------------------------------------------------------------------------- */

/* Text in UTF-8, without a zero byte at its end. data is NULL for a null reference. A text that was read points into the payload. */
typedef struct rm_text {
    const char *data;
    uint32_t size;
} rm_text;

/* A byte[]. data is NULL for a null reference. Bytes that were read point into the payload. */
typedef struct rm_bytes {
    const uint8_t *data;
    uint32_t size;
} rm_bytes;

typedef struct rm_guid { uint8_t bytes[16]; } rm_guid;                        /* in the order of the wire: an int, two shorts, eight bytes */
typedef struct rm_decimal { uint32_t low, middle, high, flags; } rm_decimal;  /* flags: bits 16 to 23 are the scale, bit 31 is the sign */
typedef struct rm_int128 { uint64_t low, high; } rm_int128;                   /* Int128 in two's complement, or UInt128 */
typedef struct rm_time { int64_t ticks; uint8_t kind; } rm_time;              /* ticks of 100 ns since 0001-01-01; kind 0 none, 1 UTC, 2 local */
typedef struct rm_offset_time { int64_t ticks; int16_t minutes; } rm_offset_time; /* ticks of the clock, and its offset from UTC */

/* Returns a text for a string that ends with a zero byte; NULL gives a null reference. */
rm_text rm_string(const char *text);

/* ---- Writing and reading payloads -------------------------------------------------------------------------------------------
 * The code that `reloaded-messaging export --to c` writes uses these functions. The status of a writer or reader is that of the
 * first failed call; later calls do nothing, and readers return zeros. */

typedef struct rm_writer {
    uint8_t *data;
    size_t capacity, size;
    uint32_t depth;
    rm_status status; /* RM_OK, RM_NO_MEMORY, RM_INVALID_VALUE */
} rm_writer;

typedef struct rm_reader {
    const uint8_t *data;
    size_t position, end;
    uint8_t *memory;        /* for lists, dictionaries and messages inside */
    size_t memory_size;
    uint32_t depth;
    rm_status status; /* RM_OK, RM_NO_MEMORY, RM_INVALID_PAYLOAD */
} rm_reader;

/* The end of the enclosing message, which rm_leave() restores. */
typedef struct rm_scope { size_t end; } rm_scope;

void rm_write_bytes(rm_writer *writer, const void *data, size_t size);
void rm_write_uvarint(rm_writer *writer, uint32_t value);
void rm_write_u1(rm_writer *writer, uint8_t value);
void rm_write_u2(rm_writer *writer, uint16_t value);
void rm_write_u4(rm_writer *writer, uint32_t value);
void rm_write_u8(rm_writer *writer, uint64_t value);
void rm_write_f4(rm_writer *writer, float value);
void rm_write_f8(rm_writer *writer, double value);
void rm_write_u16(rm_writer *writer, rm_int128 value);
void rm_write_guid(rm_writer *writer, rm_guid value);
void rm_write_decimal(rm_writer *writer, rm_decimal value);
void rm_write_time(rm_writer *writer, rm_time value);
void rm_write_offset_time(rm_writer *writer, rm_offset_time value);
void rm_write_range(rm_writer *writer, int64_t value, int64_t most, size_t size); /* a number of 4 or 8 bytes from 0 to most */
void rm_write_text(rm_writer *writer, rm_text value, bool nullable);
void rm_write_byte_array(rm_writer *writer, rm_bytes value, bool nullable);
/* Writes the count of a list. Returns whether items follow. */
bool rm_write_count(rm_writer *writer, const void *items, uint32_t count, bool nullable);
/* Begins and ends a message inside another one, or a value of a numbered field. */
size_t rm_begin(rm_writer *writer);
void rm_finish(rm_writer *writer, size_t start);
/* Writes a null message. Fails if the contract excludes null. */
void rm_write_null(rm_writer *writer, bool nullable);
/* Fails a writer: a value does not fit its contract. */
void rm_reject(rm_writer *writer);

uint32_t rm_read_uvarint(rm_reader *reader);
bool rm_read_b(rm_reader *reader);
uint8_t rm_read_u1(rm_reader *reader);
uint16_t rm_read_u2(rm_reader *reader);
uint32_t rm_read_u4(rm_reader *reader);
uint64_t rm_read_u8(rm_reader *reader);
float rm_read_f4(rm_reader *reader);
double rm_read_f8(rm_reader *reader);
rm_int128 rm_read_u16(rm_reader *reader);
rm_guid rm_read_guid(rm_reader *reader);
rm_decimal rm_read_decimal(rm_reader *reader);
rm_time rm_read_time(rm_reader *reader);
rm_offset_time rm_read_offset_time(rm_reader *reader);
int64_t rm_read_range(rm_reader *reader, int64_t most, size_t size);
rm_text rm_read_text(rm_reader *reader, bool nullable);
rm_bytes rm_read_byte_array(rm_reader *reader, bool nullable);
/* Reads the count of a list, and takes memory for its items. Returns NULL if the list is null or invalid. */
void *rm_read_items(rm_reader *reader, uint32_t *count, size_t item_size, bool nullable);
/* Takes memory for a value, set to zero. Returns NULL if there is not enough. */
void *rm_take(rm_reader *reader, size_t size);
/* Enters a message inside another one, or the value of a numbered field. Returns false if it is null or invalid. */
bool rm_enter(rm_reader *reader, rm_scope *scope, bool nullable);
/* Enters the next numbered field, whose number is larger than *last: -1 before the first field. */
bool rm_enter_field(rm_reader *reader, rm_scope *scope, int64_t *last);
void rm_leave(rm_reader *reader, const rm_scope *scope);
/* Fails if bytes follow a numbered field's value. */
void rm_expect_end(rm_reader *reader);
/* Returns whether no byte is left in the message, or whether the reader has failed. */
bool rm_at_end(const rm_reader *reader);
/* Fails a reader: the payload does not fit its contract. */
void rm_fail(rm_reader *reader);
/* Remembers where the keys of a dictionary, or the items of a set, begin, so that equal ones can be refused. */
uint32_t *rm_begin_keys(rm_reader *reader, uint32_t count);
/* Fails if two keys are equal as .NET compares them. code is the type of a key, as in docs/specification/binary-format.md. */
void rm_check_keys(rm_reader *reader, uint32_t *starts, uint32_t count, const char *code);

/* ---- Contracts -------------------------------------------------------------------------------------------------------------- */

/* A type of message. `reloaded-messaging export --to c` writes one for each type of a schema. */
typedef struct rm_contract {
    uint32_t id;
    int32_t version;
    const char *name;
    const char *serializer;
    const char *compressor;          /* the name of the format, or of the compressor's class if the schema does not know the format; NULL if payloads are never compressed */
    const struct rm_contract *reply; /* NULL if the message is no request, or if its reply is not known */
    const uint64_t *shape;
    uint32_t shape_size;
    void (*pack)(rm_writer *writer, const void *value);
    void (*unpack)(rm_reader *reader, void *value);
    size_t size;                     /* of the struct */
    bool is_request;                 /* whether the schema says that the message is a request, which rm_send() refuses */
} rm_contract;

/* Writes the payload of a value. Returns RM_NO_MEMORY or RM_INVALID_VALUE if it fails. */
rm_status rm_pack(const rm_contract *contract, const void *value, uint8_t *payload, size_t capacity, size_t *size);

/* Reads a payload into the contract's struct. Texts and bytes point into the payload; lists and messages inside take memory, which
 * may be NULL for messages that have none. Returns RM_NO_MEMORY or RM_INVALID_PAYLOAD if it fails. */
rm_status rm_unpack(const rm_contract *contract, const uint8_t *payload, size_t size, void *value, void *memory, size_t memory_size);

/* ---- Frames and headers -----------------------------------------------------------------------------------------------------
 * These functions are useful without a connection, such as for recordings and tests. */

typedef enum rm_kind { RM_KIND_EVENT, RM_KIND_REQUEST, RM_KIND_REPLY, RM_KIND_FAULT, RM_KIND_CONTROL } rm_kind;

typedef struct rm_header {
    uint32_t type;        /* the opcode of a control message */
    rm_kind kind;
    uint32_t correlation; /* 0 for events and control messages */
    bool is_compressed;
    uint32_t size;        /* of the payload after decompression */
} rm_header;

/* The verdicts on headers and numbers, with the names that docs/specification/wire-format.md uses. */
typedef enum rm_verdict {
    RM_VERDICT_OK, RM_VERDICT_EMPTY, RM_VERDICT_TRUNCATED, RM_VERDICT_BAD_VARINT, RM_VERDICT_RESERVED_BITS, RM_VERDICT_RESERVED_KIND,
    RM_VERDICT_NOT_SHORTEST, RM_VERDICT_SIZE_OUT_OF_RANGE
} rm_verdict;

/* Reads a number at *position, and moves the position behind it. */
rm_verdict rm_parse_uvarint(const uint8_t *data, size_t size, size_t *position, uint32_t *value);

/* Reads the header of a message. header_size is the position of the payload. */
rm_verdict rm_read_header(const uint8_t *message, size_t size, rm_header *header, size_t *header_size);

/* Writes a header of at most RM_MAX_HEADER bytes, and returns its size. */
size_t rm_write_header(const rm_header *header, uint8_t *data);

/* Reads the first frame of a stream. Returns RM_INCOMPLETE, RM_MALFORMED or RM_TOO_LARGE if there is none. A control message may
 * have control_limit bytes where limit is lower. The frame ends behind the message. */
rm_status rm_read_frame(const uint8_t *stream, size_t size, size_t limit, size_t control_limit, const uint8_t **message, size_t *message_size);

/* Decompresses a bare LZ4 block. Returns whether it has exactly the given size after decompression. */
bool rm_decompress_lz4(const uint8_t *block, size_t block_size, uint8_t *output, size_t size);

/* Computes HMAC-SHA-256, and SHA-256. */
void rm_hmac_sha256(const uint8_t *key, size_t key_size, const uint8_t *data, size_t size, uint8_t hash[32]);
void rm_sha256(const uint8_t *data, size_t size, uint8_t hash[32]);

/* ---- Client ----------------------------------------------------------------------------------------------------------------- */

/* Why a connection ended, with the numbers of docs/specification/wire-format.md. */
typedef enum rm_reason_code {
    RM_REASON_REQUESTED, RM_REASON_GOODBYE, RM_REASON_CONNECTION_LOST, RM_REASON_HANDSHAKE_TIMEOUT, RM_REASON_NOT_A_PEER, RM_REASON_WRONG_VERSION,
    RM_REASON_WRONG_TOKEN, RM_REASON_WRONG_CONTRACT, RM_REASON_TOO_MANY_PEERS, RM_REASON_FRAME_TOO_LARGE, RM_REASON_MALFORMED, RM_REASON_REPLIES_UNREAD,
    RM_REASON_TOO_MANY_RUNNING_HANDLERS, RM_REASON_NOT_RESPONDING, RM_REASON_TLS_FAILED, RM_REASON_WRONG_PROTECTION, RM_REASON_TAMPERED,
    RM_REASON_NOT_AUTHENTICATED, RM_REASON_KICKED, RM_REASON_IDLE, RM_REASON_TOO_MANY_MESSAGES, RM_REASON_TOO_MANY_BYTES, RM_REASON_LOCKED_OUT,
    RM_REASON_TOO_MANY_UNAUTHENTICATED, RM_REASON_TOO_MANY_UNAUTHENTICATED_FROM_ADDRESS, RM_REASON_TOO_MANY_PEERS_FROM_ADDRESS, RM_REASON_NOT_READING,
    RM_REASON_WRONG_ORIGIN, RM_REASON_BANNED
} rm_reason_code;

/* Returns the name of a reason, such as "WrongToken". An unknown number has the name of RM_REASON_GOODBYE. */
const char *rm_reason_name(uint32_t reason);

/* The codes of faults that the library uses. Codes from 1000 up belong to the program. */
enum { RM_FAULT_HANDLER_FAILED = 1, RM_FAULT_NO_HANDLER, RM_FAULT_INVALID_REQUEST, RM_FAULT_REPLY_FAILED, RM_FAULT_CANCELED, RM_FAULT_TOO_MANY_STREAMS, RM_FAULT_STOPPING };

/* Decompresses a payload whose contract names a compressor other than "lz4". Returns whether the output has exactly the given size,
 * and all of the input was used. */
typedef bool (*rm_decompressor)(void *user, const char *compressor, const uint8_t *input, size_t input_size, uint8_t *output, size_t size);

/* The settings of a client. A field that is 0 has its default. The arrays have to outlive the client; the token is copied. */
typedef struct rm_config {
    const rm_contract *const *contracts; /* every contract that the program sends or receives, such as rm_contracts of exported code */
    uint32_t contract_count;
    const uint8_t *token;      /* NULL for none; at least 16 bytes over TCP */
    size_t token_size;
    uint32_t max_message;      /* bytes of a received message, with its header, and after decompression (128-2147483591; default: 1 MiB) */
    uint32_t send_capacity;    /* bytes that wait to be sent (65536 and more; default: 1 MiB) */
    uint32_t max_requests;     /* open requests of this side, and unanswered ones of the server (1-1024; default: 64) */
    rm_decompressor decompress; /* NULL if no contract needs one: a payload that cannot be decompressed counts as unreadable */
    void *decompress_user;
} rm_config;

typedef struct rm_client rm_client;

/* Returns the size of the memory for a client, or 0 if a setting is out of range. */
size_t rm_size(const rm_config *config);

/* Creates a client in the given memory, which has to be aligned as malloc() aligns it. Returns NULL if a setting is out of range, or
 * if the memory is too small. */
rm_client *rm_create(const rm_config *config, void *memory, size_t size);

/* Closes the connection with a goodbye, and clears the token. The memory belongs to the program again. */
void rm_destroy(rm_client *client);

/* Says that the program handles events or requests of a contract, and announces the contract at the next connection. Requests
 * of other types are answered with RM_FAULT_NO_HANDLER, and other events are dropped. */
rm_status rm_handle(rm_client *client, const rm_contract *contract);

/* Connects, and waits for the handshake at most the given time. The endpoint is "tcp://127.0.0.1:PORT", "tcp://[::1]:PORT",
 * "tcp://localhost:PORT" or "unix:///PATH". A client can connect again after RM_EVENT_DISCONNECTED; before, this returns RM_INVALID_ARGUMENT. */
rm_status rm_connect(rm_client *client, const char *endpoint, uint32_t timeout_ms);

/* An address and a token of a server that a process of this user has published. */
typedef struct rm_server {
    char endpoint[RM_MAX_ADDRESS + 8];
    uint8_t token[64];
    size_t token_size;
} rm_server;

/* Finds a server that a process has published under a name (Linux). Returns RM_UNKNOWN if there is none, and RM_NOT_PRIVATE if
 * other users can access its entry. */
rm_status rm_find_server(uint32_t process_id, const char *name, rm_server *server);

/* Replaces the token, for the next connection. Returns RM_INVALID_ARGUMENT if the token has more than 2^20 bytes. */
rm_status rm_set_token(rm_client *client, const uint8_t *token, size_t size);

typedef enum rm_event_kind {
    RM_EVENT_MESSAGE,      /* an event of the server */
    RM_EVENT_REQUEST,      /* a request of the server: answer it with rm_reply(), rm_acknowledge() or rm_fault() */
    RM_EVENT_CANCELED,     /* the server no longer waits for the reply to the request with this id, which is still answered */
    RM_EVENT_REPLY,        /* a reply to a request of this side; contract is NULL, and there is no payload, for an acknowledgement */
    RM_EVENT_FAULT,        /* the server refused a request, or its handler failed: code and text */
    RM_EVENT_FAILED,       /* a request has ended without a reply: status */
    RM_EVENT_DISCONNECTED  /* the connection has ended: code is an rm_reason_code, and text is the server's. The requests have ended before. */
} rm_event_kind;

/* What rm_poll() returns. Its pointers are valid until the next call of rm_poll(), rm_connect() or rm_destroy() for the client. */
typedef struct rm_event {
    rm_event_kind kind;
    uint32_t id;                 /* of a request */
    const rm_contract *contract; /* of the payload; for RM_EVENT_FAULT and RM_EVENT_FAILED, of the request */
    const uint8_t *payload;      /* after decompression */
    size_t size;
    void *user;                  /* what was given to rm_request() */
    rm_status status;
    uint32_t code;
    rm_text text;                /* of the server: validated UTF-8, which may contain any character */
} rm_event;

/* Sends and receives what is possible without waiting. Returns true with the next event, and false if there is none now. Call it
 * in each tick until it returns false; the server ends a connection that is not polled for 15 s. */
bool rm_poll(rm_client *client, rm_event *event);

/* Waits until rm_poll() may have something to do, at most the given time. For programs without ticks. */
void rm_wait(const rm_client *client, uint32_t timeout_ms);

/* Reads the payload of an event into the struct of its contract, as rm_unpack() does. An invalid event of the server counts as unreadable. */
rm_status rm_read(rm_client *client, const rm_event *event, void *value, void *memory, size_t memory_size);

/* Sends an event. RM_OK means that it waits to be sent: rm_poll() sends it. */
rm_status rm_send(rm_client *client, const rm_contract *contract, const void *value);

/* Sends a request. It ends with exactly one event: RM_EVENT_REPLY, RM_EVENT_FAULT or RM_EVENT_FAILED, unless it is canceled. id may be NULL. */
rm_status rm_request(rm_client *client, const rm_contract *contract, const void *value, uint32_t timeout_ms, void *user, uint32_t *id);

/* Cancels a request: it has no event, and the server's handler is told. */
rm_status rm_cancel(rm_client *client, uint32_t id);

/* Answer a request of the server. A request whose answer returned RM_OK has ended; otherwise, answer it again. */
rm_status rm_reply(rm_client *client, uint32_t id, const rm_contract *contract, const void *value);
rm_status rm_acknowledge(rm_client *client, uint32_t id);
rm_status rm_fault(rm_client *client, uint32_t id, uint32_t code, const char *text);

/* Ends the connection with a goodbye. The next calls of rm_poll() return the events of the end. */
void rm_close(rm_client *client);

bool rm_is_connected(const rm_client *client);

/* The reason and the text of the last connection's end, or of a refused handshake. */
uint32_t rm_reason(const rm_client *client);
const char *rm_reason_text(const rm_client *client);

typedef struct rm_statistics {
    uint64_t sent_messages, received_messages; /* without control messages */
    uint64_t sent_bytes, received_bytes;
    uint64_t unhandled_messages;               /* events without rm_handle(), and replies to no open request */
    uint64_t unreadable_messages;
} rm_statistics;

/* Returns the counts since the client was created. */
rm_statistics rm_get_statistics(const rm_client *client);

#ifdef __cplusplus
}
#endif
#endif
