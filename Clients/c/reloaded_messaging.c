/* Reloaded.Messaging for C99. The order of the sections: bytes, payloads, LZ4, SHA-256, headers and frames, the handshake, the client,
 * its sockets, published servers. docs/specification/wire-format.md and docs/specification/binary-format.md specify all bytes. Needs POSIX. */
#define _POSIX_C_SOURCE 200809L
#include "reloaded_messaging.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0 /* a system without it needs SIGPIPE ignored by the program */
#endif

enum {
    OP_HELLO, OP_PING, OP_PONG, OP_GOODBYE, OP_CANCEL, /* the types of control messages */
    MAX_PING = 64,
    MAX_FAULT_TEXT = 1000,
    MAX_NAME = 200,          /* bytes of a name of the server in a text */
    DIFFERENCE_SIZE = 300,   /* of the text of a difference, with the end */
    MAX_QUIET = 256,         /* messages without an event in one rm_poll(), so that a flood does not keep a tick */
    RECEIVE_ROOM = 64 * 1024, /* bytes that are received in advance */
    ANSWER_ROOM = 4096       /* bytes to send that are reserved for answers to control messages, faults and a goodbye */
};

static const uint32_t TYPE_STREAM = 0xFFFF0020u, TYPE_BLOCK = 0xFFFF0021u, TYPE_ITEM_BLOCK = 0xFFFF0029u, TYPE_ACKNOWLEDGEMENT = 0xFFFF0040u;
static const uint32_t LARGEST_MESSAGE = 2147483591u, LARGEST_SIZE = 2147483647u;
static const uint32_t OWN_CORRELATION = 0x80000000u; /* set in the ids of requests whose replies the client drops */

const char *rm_status_name(rm_status status)
{
    static const char *const names[] = {
        "RM_OK", "RM_INCOMPLETE", "RM_MALFORMED", "RM_INVALID_VALUE", "RM_INVALID_PAYLOAD", "RM_TOO_LARGE", "RM_NO_MEMORY", "RM_FULL", "RM_WRONG_CONTRACT",
        "RM_UNKNOWN", "RM_INVALID_ARGUMENT", "RM_INVALID_ENDPOINT", "RM_NOT_LOCAL", "RM_WEAK_TOKEN", "RM_NOT_PRIVATE", "RM_NO_CONNECTION", "RM_CONNECTION_LOST",
        "RM_TIMED_OUT", "RM_REFUSED", "RM_STREAM", "RM_SYSTEM",
    };
    return (size_t)status < sizeof names / sizeof *names ? names[status] : "unknown";
}

const char *rm_reason_name(uint32_t reason)
{
    static const char *const names[] = {
        "Requested", "Goodbye", "ConnectionLost", "HandshakeTimeout", "NotAPeer", "WrongVersion", "WrongToken", "WrongContract", "TooManyPeers", "FrameTooLarge",
        "Malformed", "RepliesUnread", "TooManyRunningHandlers", "NotResponding", "TlsFailed", "WrongProtection", "Tampered", "NotAuthenticated", "Kicked", "Idle",
        "TooManyMessages", "TooManyBytes", "LockedOut", "TooManyUnauthenticated", "TooManyUnauthenticatedFromAddress", "TooManyPeersFromAddress", "NotReading",
        "WrongOrigin", "Banned",
    };
    return reason < sizeof names / sizeof *names ? names[reason] : names[RM_REASON_GOODBYE];
}

/* ---- Bytes ------------------------------------------------------------------------------------------------------------------ */

static uint64_t get_number(const uint8_t *data, size_t size)
{
    uint64_t value = 0;
    while (size-- > 0)
        value = value << 8 | data[size];
    return value;
}

static void put_number(uint8_t *data, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++, value >>= 8)
        data[i] = (uint8_t)value;
}

/* Copies that allow NULL for no bytes. */
static void copy(void *to, const void *from, size_t size)
{
    if (size > 0)
        memcpy(to, from, size);
}

/* Clears bytes that are secret. A compiler must not leave that out. */
static void clear(void *data, size_t size)
{
    volatile uint8_t *at = data;
    while (size-- > 0)
        *at++ = 0;
}

static bool is_utf8(const uint8_t *text, size_t size)
{
    size_t i = 0;
    while (i < size) {
        uint8_t first = text[i++];
        if (first < 0x80)
            continue;
        size_t more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;
        if (first < 0xC2 || first > 0xF4 || more > size - i)
            return false;
        uint8_t second = text[i];
        if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) || (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F))
            return false;
        for (; more > 0; more--) {
            if ((text[i++] & 0xC0) != 0x80)
                return false;
        }
    }
    return true;
}

/* Returns the size of the beginning of a valid text that has at most the given size. */
static size_t cut(const char *text, size_t size, size_t most)
{
    if (size <= most)
        return size;
    while (most > 0 && ((uint8_t)text[most] & 0xC0) == 0x80)
        most--;
    return most;
}

rm_verdict rm_parse_uvarint(const uint8_t *data, size_t size, size_t *position, uint32_t *value)
{
    uint32_t number = 0;
    size_t at = *position;
    for (uint32_t shift = 0; at < size; shift += 7) {
        uint8_t byte = data[at++];
        if (byte < 0x80) {
            if (shift > 0 && (byte == 0 || (shift == 28 && byte > 0x0F)))
                return RM_VERDICT_BAD_VARINT;
            *value = number | (uint32_t)byte << shift;
            *position = at;
            return RM_VERDICT_OK;
        }
        if (shift == 28)
            return RM_VERDICT_BAD_VARINT;
        number |= (uint32_t)(byte & 0x7F) << shift;
    }
    return RM_VERDICT_TRUNCATED;
}

static size_t put_uvarint(uint8_t *data, uint32_t value)
{
    size_t size = 0;
    for (; value >= 0x80; value >>= 7)
        data[size++] = (uint8_t)(value | 0x80);
    data[size++] = (uint8_t)value;
    return size;
}

/* ---- Payloads: writing ------------------------------------------------------------------------------------------------------ */

rm_text rm_string(const char *text)
{
    rm_text value = {text, 0};
    if (text != NULL)
        value.size = (uint32_t)strlen(text);
    return value;
}

static void stop_writing(rm_writer *writer, rm_status status)
{
    if (writer->status == RM_OK)
        writer->status = status;
}

void rm_reject(rm_writer *writer)
{
    stop_writing(writer, RM_INVALID_VALUE);
}

void rm_write_bytes(rm_writer *writer, const void *data, size_t size)
{
    if (writer->status != RM_OK)
        return;
    if (size > writer->capacity - writer->size) {
        stop_writing(writer, RM_NO_MEMORY);
        return;
    }
    copy(writer->data + writer->size, data, size);
    writer->size += size;
}

static void write_number(rm_writer *writer, uint64_t value, size_t size)
{
    uint8_t bytes[8];
    put_number(bytes, value, size);
    rm_write_bytes(writer, bytes, size);
}

void rm_write_uvarint(rm_writer *writer, uint32_t value)
{
    uint8_t bytes[5];
    rm_write_bytes(writer, bytes, put_uvarint(bytes, value));
}

void rm_write_u1(rm_writer *writer, uint8_t value) { write_number(writer, value, 1); }
void rm_write_u2(rm_writer *writer, uint16_t value) { write_number(writer, value, 2); }
void rm_write_u4(rm_writer *writer, uint32_t value) { write_number(writer, value, 4); }
void rm_write_u8(rm_writer *writer, uint64_t value) { write_number(writer, value, 8); }

void rm_write_f4(rm_writer *writer, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    rm_write_u4(writer, bits);
}

void rm_write_f8(rm_writer *writer, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    rm_write_u8(writer, bits);
}

void rm_write_u16(rm_writer *writer, rm_int128 value)
{
    rm_write_u8(writer, value.low);
    rm_write_u8(writer, value.high);
}

void rm_write_guid(rm_writer *writer, rm_guid value) { rm_write_bytes(writer, value.bytes, sizeof value.bytes); }

static const int64_t LAST_TICK = INT64_C(3155378975999999999);

static bool is_decimal(rm_decimal value) { return (value.flags >> 16 & 0xFF) <= 28 && (value.flags & 0x7F00FFFF) == 0; }
static bool is_time(rm_time value) { return value.kind <= 2 && value.ticks >= 0 && value.ticks <= LAST_TICK; }

static int64_t moment_of(rm_offset_time value) { return value.ticks - value.minutes * INT64_C(600000000); }

static bool is_offset_time(rm_offset_time value)
{
    return value.minutes >= -840 && value.minutes <= 840 && value.ticks >= 0 && value.ticks <= LAST_TICK && moment_of(value) >= 0 && moment_of(value) <= LAST_TICK;
}

void rm_write_decimal(rm_writer *writer, rm_decimal value)
{
    if (!is_decimal(value))
        rm_reject(writer);
    rm_write_u4(writer, value.low);
    rm_write_u4(writer, value.middle);
    rm_write_u4(writer, value.high);
    rm_write_u4(writer, value.flags);
}

void rm_write_time(rm_writer *writer, rm_time value)
{
    if (!is_time(value))
        rm_reject(writer);
    rm_write_u8(writer, (uint64_t)value.ticks | (uint64_t)value.kind << 62);
}

void rm_write_offset_time(rm_writer *writer, rm_offset_time value)
{
    if (!is_offset_time(value))
        rm_reject(writer);
    rm_write_u8(writer, (uint64_t)value.ticks);
    rm_write_u2(writer, (uint16_t)value.minutes);
}

void rm_write_range(rm_writer *writer, int64_t value, int64_t most, size_t size)
{
    if (value < 0 || value > most)
        rm_reject(writer);
    write_number(writer, (uint64_t)value, size);
}

void rm_write_null(rm_writer *writer, bool nullable)
{
    if (!nullable)
        rm_reject(writer);
    rm_write_u1(writer, 0);
}

bool rm_write_count(rm_writer *writer, const void *items, uint32_t count, bool nullable)
{
    if (count > LARGEST_SIZE || (items == NULL && count > 0)) {
        rm_reject(writer);
        return false;
    }
    rm_write_uvarint(writer, items == NULL && nullable ? 0 : count + 1);
    return writer->status == RM_OK && count > 0;
}

void rm_write_text(rm_writer *writer, rm_text value, bool nullable)
{
    if (rm_write_count(writer, value.data, value.size, nullable)) {
        if (!is_utf8((const uint8_t *)value.data, value.size))
            rm_reject(writer);
        rm_write_bytes(writer, value.data, value.size);
    }
}

void rm_write_byte_array(rm_writer *writer, rm_bytes value, bool nullable)
{
    if (rm_write_count(writer, value.data, value.size, nullable))
        rm_write_bytes(writer, value.data, value.size);
}

size_t rm_begin(rm_writer *writer)
{
    if (++writer->depth >= RM_MAX_DEPTH)
        rm_reject(writer);
    return writer->size;
}

void rm_finish(rm_writer *writer, size_t start)
{
    uint8_t prefix[5];
    size_t length = writer->size - start;
    writer->depth--;
    if (writer->status != RM_OK)
        return;
    size_t size = put_uvarint(prefix, (uint32_t)length + 1); /* a writer has less than 2^31 bytes */
    rm_write_bytes(writer, prefix, size);
    if (writer->status != RM_OK)
        return;
    memmove(writer->data + start + size, writer->data + start, length);
    memcpy(writer->data + start, prefix, size);
}

rm_status rm_pack(const rm_contract *contract, const void *value, uint8_t *payload, size_t capacity, size_t *size)
{
    rm_writer writer = {payload, capacity < LARGEST_SIZE ? capacity : LARGEST_SIZE, 0, 0, RM_OK};
    contract->pack(&writer, value);
    *size = writer.size;
    return writer.status;
}

/* ---- Payloads: reading ------------------------------------------------------------------------------------------------------ */

static void stop_reading(rm_reader *reader, rm_status status)
{
    if (reader->status == RM_OK)
        reader->status = status;
    reader->end = reader->position;
}

void rm_fail(rm_reader *reader) { stop_reading(reader, RM_INVALID_PAYLOAD); }

bool rm_at_end(const rm_reader *reader) { return reader->position == reader->end; }

static const uint8_t *take_bytes(rm_reader *reader, size_t size)
{
    if (reader->status != RM_OK || size > reader->end - reader->position) {
        rm_fail(reader);
        return NULL;
    }
    reader->position += size;
    return reader->data + reader->position - size;
}

static uint64_t read_number(rm_reader *reader, size_t size)
{
    const uint8_t *bytes = take_bytes(reader, size);
    return bytes == NULL ? 0 : get_number(bytes, size);
}

uint32_t rm_read_uvarint(rm_reader *reader)
{
    uint32_t value = 0;
    if (reader->status != RM_OK || rm_parse_uvarint(reader->data, reader->end, &reader->position, &value) != RM_VERDICT_OK)
        rm_fail(reader);
    return value;
}

uint8_t rm_read_u1(rm_reader *reader) { return (uint8_t)read_number(reader, 1); }
uint16_t rm_read_u2(rm_reader *reader) { return (uint16_t)read_number(reader, 2); }
uint32_t rm_read_u4(rm_reader *reader) { return (uint32_t)read_number(reader, 4); }
uint64_t rm_read_u8(rm_reader *reader) { return read_number(reader, 8); }

bool rm_read_b(rm_reader *reader)
{
    uint8_t value = rm_read_u1(reader);
    if (value > 1)
        rm_fail(reader);
    return value == 1;
}

float rm_read_f4(rm_reader *reader)
{
    uint32_t bits = rm_read_u4(reader);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

double rm_read_f8(rm_reader *reader)
{
    uint64_t bits = rm_read_u8(reader);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

rm_int128 rm_read_u16(rm_reader *reader)
{
    rm_int128 value;
    value.low = rm_read_u8(reader);
    value.high = rm_read_u8(reader);
    return value;
}

rm_guid rm_read_guid(rm_reader *reader)
{
    rm_guid value = {{0}};
    const uint8_t *bytes = take_bytes(reader, sizeof value.bytes);
    if (bytes != NULL)
        memcpy(value.bytes, bytes, sizeof value.bytes);
    return value;
}

rm_decimal rm_read_decimal(rm_reader *reader)
{
    rm_decimal value;
    value.low = rm_read_u4(reader);
    value.middle = rm_read_u4(reader);
    value.high = rm_read_u4(reader);
    value.flags = rm_read_u4(reader);
    if (!is_decimal(value))
        rm_fail(reader);
    return value;
}

rm_time rm_read_time(rm_reader *reader)
{
    uint64_t bits = rm_read_u8(reader);
    rm_time value = {(int64_t)(bits & ((UINT64_C(1) << 62) - 1)), (uint8_t)(bits >> 62)};
    if (!is_time(value))
        rm_fail(reader);
    return value;
}

rm_offset_time rm_read_offset_time(rm_reader *reader)
{
    rm_offset_time value;
    value.ticks = (int64_t)rm_read_u8(reader);
    value.minutes = (int16_t)rm_read_u2(reader);
    if (!is_offset_time(value))
        rm_fail(reader);
    return value;
}

int64_t rm_read_range(rm_reader *reader, int64_t most, size_t size)
{
    uint64_t value = read_number(reader, size);
    if (value > (uint64_t)most) {
        rm_fail(reader);
        return 0;
    }
    return (int64_t)value;
}

/* Reads a length or a count, which is one less than the number on the wire. Returns false for null, and after a failure. */
static bool read_length(rm_reader *reader, uint32_t *length, bool nullable)
{
    uint32_t number = rm_read_uvarint(reader);
    *length = number == 0 ? 0 : number - 1;
    if (reader->status != RM_OK || (number == 0 && !nullable) || *length > reader->end - reader->position) {
        rm_fail(reader);
        *length = 0;
        return false;
    }
    return number > 0;
}

rm_bytes rm_read_byte_array(rm_reader *reader, bool nullable)
{
    rm_bytes value = {NULL, 0};
    if (read_length(reader, &value.size, nullable))
        value.data = take_bytes(reader, value.size);
    return value;
}

rm_text rm_read_text(rm_reader *reader, bool nullable)
{
    rm_bytes bytes = rm_read_byte_array(reader, nullable);
    rm_text value = {(const char *)bytes.data, bytes.size};
    if (bytes.data != NULL && !is_utf8(bytes.data, bytes.size))
        rm_fail(reader);
    return value;
}

void *rm_take(rm_reader *reader, size_t size)
{
    size_t padding = (size_t)(-(uintptr_t)reader->memory & 15);
    if (reader->status != RM_OK)
        return NULL;
    if (reader->memory == NULL || padding > reader->memory_size || size > reader->memory_size - padding) {
        stop_reading(reader, RM_NO_MEMORY);
        return NULL;
    }
    void *value = reader->memory + padding;
    reader->memory += padding + size;
    reader->memory_size -= padding + size;
    memset(value, 0, size);
    return value;
}

void *rm_read_items(rm_reader *reader, uint32_t *count, size_t item_size, bool nullable)
{
    *count = 0;
    uint32_t length;
    if (!read_length(reader, &length, nullable))
        return NULL;
    if (length > reader->memory_size / item_size) {
        stop_reading(reader, RM_NO_MEMORY);
        return NULL;
    }
    void *items = length == 0 ? (void *)(uintptr_t)(reader->data + reader->position) : rm_take(reader, length * item_size); /* an empty list is not null */
    if (items != NULL)
        *count = length;
    return items;
}

static void enter(rm_reader *reader, rm_scope *scope, uint32_t length)
{
    scope->end = reader->end;
    reader->end = reader->position + length;
    if (++reader->depth >= RM_MAX_DEPTH)
        rm_fail(reader);
}

bool rm_enter(rm_reader *reader, rm_scope *scope, bool nullable)
{
    uint32_t length;
    if (!read_length(reader, &length, nullable))
        return false;
    enter(reader, scope, length);
    return reader->status == RM_OK;
}

bool rm_enter_field(rm_reader *reader, rm_scope *scope, int64_t *last)
{
    uint32_t length, number = rm_read_uvarint(reader);
    if (number <= *last || !read_length(reader, &length, false) || length == 0) {
        rm_fail(reader);
        return false;
    }
    *last = number;
    enter(reader, scope, length);
    return reader->status == RM_OK;
}

void rm_leave(rm_reader *reader, const rm_scope *scope)
{
    if (reader->status != RM_OK)
        return;
    reader->position = reader->end;
    reader->end = scope->end;
    reader->depth--;
}

void rm_expect_end(rm_reader *reader)
{
    if (!rm_at_end(reader))
        rm_fail(reader);
}

rm_status rm_unpack(const rm_contract *contract, const uint8_t *payload, size_t size, void *value, void *memory, size_t memory_size)
{
    static const uint8_t nothing[1] = {0};
    rm_reader reader = {payload == NULL ? nothing : payload, 0, payload == NULL ? 0 : size, memory, memory == NULL ? 0 : memory_size, 0, RM_OK};
    contract->unpack(&reader, value);
    return reader.status;
}

/* ---- Payloads: equal keys --------------------------------------------------------------------------------------------------- */

/* Takes a type from a code, such as f4 from (f4s:i2), and returns its size on the wire; 0 for a text, a struct and a nullable value. */
static size_t take_type(const char **code, char *letter)
{
    const char *at = *code;
    *letter = *at++;
    if (*letter == 'b')
        *code = at;
    else if (*letter == 'g' || (*letter == 'd' && *at != 'd')) {
        *code = at;
        return 16;
    } else if (*letter == 'd') { /* dd */
        *code = at + 1;
        *letter = 'i';
        return 4;
    } else if (*letter == 't') {
        if (*at == 'o') {
            *letter = 'o';
            *code = at + 1;
            return 10;
        }
        *letter = *at == 's' || *at == 't' ? 'i' : 't';
        *code = *letter == 'i' ? at + 1 : at;
        return 8;
    } else if (strchr("iufc", *letter) != NULL) {
        size_t size = 0;
        for (; *at >= '0' && *at <= '9'; at++)
            size = size * 10 + (size_t)(*at - '0');
        *code = at;
        return size;
    } else {
        *code = at;
        return 0;
    }
    return 1;
}

static void skip_type(const char **code)
{
    char letter;
    if (take_type(code, &letter) == 0 && letter == '?')
        skip_type(code);
    else if (letter == '(') {
        while (**code != ')') {
            if (**code == ':')
                ++*code;
            skip_type(code);
        }
        ++*code;
    }
}

/* Replaces the bits of a float by a number that is equal for equal floats: 0.0 equals -0.0, and all NaNs are equal. */
static uint64_t canonical_float(uint64_t bits, size_t size)
{
    unsigned mantissa = size == 2 ? 10 : size == 4 ? 23 : 52;
    uint64_t sign = UINT64_C(1) << (size * 8 - 1), infinity = (sign - 1) >> mantissa << mantissa;
    if ((bits & ~sign) == 0)
        return 0;
    return (bits & ~sign) > infinity ? infinity + 1 : bits;
}

/* Removes zeros at the end of a decimal, so that equal numbers have equal bytes. */
static void canonical_decimal(const uint8_t *data, uint32_t parts[4])
{
    for (int i = 0; i < 4; i++)
        parts[i] = (uint32_t)get_number(data + 4 * i, 4);
    if (parts[0] == 0 && parts[1] == 0 && parts[2] == 0) {
        parts[3] = 0;
        return;
    }
    while ((parts[3] >> 16 & 0xFF) > 0) {
        uint32_t quotient[3];
        uint64_t rest = 0;
        for (int i = 2; i >= 0; i--) {
            rest = rest << 32 | parts[i];
            quotient[i] = (uint32_t)(rest / 10);
            rest %= 10;
        }
        if (rest != 0)
            return;
        memcpy(parts, quotient, sizeof quotient);
        parts[3] -= 1u << 16;
    }
}

static int order(uint64_t a, uint64_t b) { return a < b ? -1 : a > b; }

/* Compares two values that were read before, and moves behind them. Returns 0 for values that are equal in .NET. After a difference, the positions have no meaning. */
static int compare_values(const uint8_t **a, const uint8_t **b, const char **code)
{
    char letter;
    size_t size = take_type(code, &letter);
    if (letter == '(') {
        while (**code != ')') {
            if (**code == ':')
                ++*code;
            int result = compare_values(a, b, code);
            if (result != 0)
                return result;
        }
        ++*code;
        return 0;
    }
    if (letter == '?') {
        uint8_t has_a = *(*a)++, has_b = *(*b)++;
        if (has_a != has_b)
            return order(has_a, has_b);
        if (has_a)
            return compare_values(a, b, code);
        skip_type(code);
        return 0;
    }
    if (letter == 's') {
        uint32_t size_a = 0, size_b = 0;
        size_t at_a = 0, at_b = 0;
        rm_parse_uvarint(*a, 5, &at_a, &size_a);
        rm_parse_uvarint(*b, 5, &at_b, &size_b);
        if (size_a != size_b)
            return order(size_a, size_b);
        *a += at_a;
        *b += at_b;
        size = size_a == 0 ? 0 : size_a - 1;
    }
    const uint8_t *from_a = *a, *from_b = *b;
    *a += size;
    *b += size;
    if (letter == 'f')
        return order(canonical_float(get_number(from_a, size), size), canonical_float(get_number(from_b, size), size));
    if (letter == 't') /* without the kind */
        return order(get_number(from_a, 8) << 2, get_number(from_b, 8) << 2);
    if (letter == 'o') {
        rm_offset_time first = {(int64_t)get_number(from_a, 8), (int16_t)get_number(from_a + 8, 2)}, second = {(int64_t)get_number(from_b, 8), (int16_t)get_number(from_b + 8, 2)};
        return order((uint64_t)moment_of(first), (uint64_t)moment_of(second));
    }
    if (letter == 'd') {
        uint32_t first[4], second[4];
        canonical_decimal(from_a, first);
        canonical_decimal(from_b, second);
        return memcmp(first, second, sizeof first);
    }
    return memcmp(from_a, from_b, size);
}

static int compare_keys(const uint8_t *data, uint32_t a, uint32_t b, const char *code)
{
    const uint8_t *at_a = data + a, *at_b = data + b;
    return compare_values(&at_a, &at_b, &code);
}

/* Sorts by a heap: a hostile order takes no longer than another one. Without a code, the numbers themselves are sorted. */
static void sort(uint32_t *items, uint32_t count, const uint8_t *data, const char *code)
{
#define IS_LESS(x, y) (code == NULL ? (x) < (y) : compare_keys(data, (x), (y), code) < 0)
    for (uint32_t heap = count / 2, end = count; end > 1;) {
        uint32_t item;
        if (heap > 0)
            item = items[--heap];
        else {
            item = items[--end];
            items[end] = items[0];
        }
        uint32_t at = heap;
        for (uint32_t child; (child = 2 * at + 1) < end; at = child) {
            if (child + 1 < end && IS_LESS(items[child], items[child + 1]))
                child++;
            if (!IS_LESS(item, items[child]))
                break;
            items[at] = items[child];
        }
        items[at] = item;
    }
#undef IS_LESS
}

uint32_t *rm_begin_keys(rm_reader *reader, uint32_t count)
{
    return count == 0 ? NULL : rm_take(reader, count * sizeof(uint32_t)); /* items are larger than that, so the product fits */
}

void rm_check_keys(rm_reader *reader, uint32_t *starts, uint32_t count, const char *code)
{
    if (reader->status != RM_OK || starts == NULL)
        return;
    sort(starts, count, reader->data, code);
    for (uint32_t i = 1; i < count; i++) {
        if (compare_keys(reader->data, starts[i - 1], starts[i], code) == 0) {
            rm_fail(reader);
            return;
        }
    }
}

/* ---- LZ4 -------------------------------------------------------------------------------------------------------------------- */

/* Reads the bytes after a length of 15. Returns false at the end of the block. */
static bool read_lz4_length(const uint8_t *block, size_t size, size_t *at, size_t *length)
{
    if (*length < 15)
        return true;
    for (;;) {
        if (*at == size)
            return false;
        uint8_t more = block[(*at)++];
        *length += more; /* a block has less than 2^31 bytes, so the sum fits in 64 bits, and is checked before it is used */
        if (*length > LARGEST_SIZE)
            return false;
        if (more < 255)
            return true;
    }
}

bool rm_decompress_lz4(const uint8_t *block, size_t block_size, uint8_t *output, size_t size)
{
    size_t at = 0, written = 0;
    while (at < block_size) {
        uint8_t token = block[at++];
        size_t literals = token >> 4, match = token & 15;
        if (!read_lz4_length(block, block_size, &at, &literals) || literals > block_size - at || literals > size - written)
            return false;
        copy(output + written, block + at, literals);
        at += literals;
        written += literals;
        if (at == block_size)
            return written == size && match == 0;
        if (block_size - at < 2)
            return false;
        size_t offset = (size_t)get_number(block + at, 2);
        at += 2;
        if (!read_lz4_length(block, block_size, &at, &match) || offset == 0 || offset > written)
            return false;
        match += 4;
        if (match > size - written)
            return false;
        for (; match > 0; match--, written++)
            output[written] = output[written - offset]; /* they may overlap */
    }
    return false;
}

/* ---- SHA-256 ---------------------------------------------------------------------------------------------------------------- */

typedef struct sha256 {
    uint32_t state[8];
    uint64_t size;
    uint8_t block[64];
} sha256;

static uint32_t rotate(uint32_t value, unsigned bits) { return value >> bits | value << (32 - bits); }

static void sha256_block(sha256 *hash, const uint8_t *block)
{
    static const uint32_t k[64] = {
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74,
        0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d,
        0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e,
        0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5,
        0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
    };
    uint32_t w[64], s[8];
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 | (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    for (int i = 16; i < 64; i++) {
        uint32_t a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + w[i - 7] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
    }
    memcpy(s, hash->state, sizeof s);
    for (int i = 0; i < 64; i++) {
        uint32_t first = s[7] + (rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25)) + ((s[4] & s[5]) ^ (~s[4] & s[6])) + k[i] + w[i];
        uint32_t second = (rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22)) + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += first;
        s[0] = first + second;
    }
    for (int i = 0; i < 8; i++)
        hash->state[i] += s[i];
}

static void sha256_start(sha256 *hash)
{
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memcpy(hash->state, start, sizeof start);
    hash->size = 0;
}

static void sha256_add(sha256 *hash, const uint8_t *data, size_t size)
{
    while (size > 0) {
        size_t at = (size_t)(hash->size % 64), part = size < 64 - at ? size : 64 - at;
        copy(hash->block + at, data, part);
        hash->size += part;
        data += part;
        size -= part;
        if (at + part == 64)
            sha256_block(hash, hash->block);
    }
}

static void sha256_end(sha256 *hash, uint8_t result[32])
{
    static const uint8_t padding[64] = {0x80};
    uint8_t length[8];
    for (int i = 0; i < 8; i++)
        length[i] = (uint8_t)(hash->size * 8 >> (56 - 8 * i));
    sha256_add(hash, padding, (size_t)(64 - (hash->size + 8) % 64));
    sha256_add(hash, length, 8);
    for (int i = 0; i < 32; i++)
        result[i] = (uint8_t)(hash->state[i / 4] >> (24 - 8 * (i % 4)));
    clear(hash, sizeof *hash);
}

void rm_sha256(const uint8_t *data, size_t size, uint8_t result[32])
{
    sha256 hash;
    sha256_start(&hash);
    sha256_add(&hash, data, size);
    sha256_end(&hash, result);
}

/* Makes a key of one block. */
static void make_hmac_key(const uint8_t *key, size_t size, uint8_t block[64])
{
    memset(block, 0, 64);
    if (size > 64)
        rm_sha256(key, size, block);
    else
        copy(block, key, size);
}

void rm_hmac_sha256(const uint8_t *key, size_t key_size, const uint8_t *data, size_t size, uint8_t result[32])
{
    sha256 hash;
    uint8_t block[64];
    make_hmac_key(key, key_size, block);
    for (int i = 0; i < 64; i++)
        block[i] ^= 0x36;
    sha256_start(&hash);
    sha256_add(&hash, block, 64);
    sha256_add(&hash, data, size);
    sha256_end(&hash, result);
    for (int i = 0; i < 64; i++)
        block[i] ^= 0x36 ^ 0x5C;
    sha256_start(&hash);
    sha256_add(&hash, block, 64);
    sha256_add(&hash, result, 32);
    sha256_end(&hash, result);
    clear(block, sizeof block);
}

/* ---- Headers and frames ----------------------------------------------------------------------------------------------------- */

static bool has_correlation(rm_kind kind) { return kind >= RM_KIND_REQUEST && kind <= RM_KIND_FAULT; }

rm_verdict rm_read_header(const uint8_t *message, size_t size, rm_header *header, size_t *header_size)
{
    memset(header, 0, sizeof *header);
    if (size == 0)
        return RM_VERDICT_EMPTY;
    header->is_compressed = message[0] >= 0x80;
    header->type = message[0] & 0x7F;
    size_t at = 1;
    if (header->type < 127) {
        if (header->is_compressed) {
            if (size < 5)
                return RM_VERDICT_TRUNCATED;
            header->size = (uint32_t)get_number(message + 1, 4);
            at = 5;
        }
    } else {
        if (size < 2)
            return RM_VERDICT_TRUNCATED;
        if ((message[1] & 0xF8) != 0)
            return RM_VERDICT_RESERVED_BITS;
        if (message[1] > RM_KIND_CONTROL)
            return RM_VERDICT_RESERVED_KIND;
        header->kind = (rm_kind)message[1];
        at = 2;
        rm_verdict verdict = rm_parse_uvarint(message, size, &at, &header->type);
        if (verdict == RM_VERDICT_OK && header->kind == RM_KIND_EVENT && header->type < 127)
            return RM_VERDICT_NOT_SHORTEST;
        if (verdict == RM_VERDICT_OK && has_correlation(header->kind))
            verdict = rm_parse_uvarint(message, size, &at, &header->correlation);
        if (verdict == RM_VERDICT_OK && header->is_compressed)
            verdict = rm_parse_uvarint(message, size, &at, &header->size);
        if (verdict != RM_VERDICT_OK)
            return verdict;
    }
    *header_size = at;
    return header->size > LARGEST_SIZE ? RM_VERDICT_SIZE_OUT_OF_RANGE : RM_VERDICT_OK;
}

size_t rm_write_header(const rm_header *header, uint8_t *data)
{
    uint8_t flag = header->is_compressed ? 0x80 : 0;
    if (header->kind == RM_KIND_EVENT && header->type < 127) {
        data[0] = (uint8_t)(flag | header->type);
        if (!header->is_compressed)
            return 1;
        put_number(data + 1, header->size, 4);
        return 5;
    }
    data[0] = flag | 0x7F;
    data[1] = (uint8_t)header->kind;
    size_t size = 2 + put_uvarint(data + 2, header->type);
    if (has_correlation(header->kind))
        size += put_uvarint(data + size, header->correlation);
    if (header->is_compressed)
        size += put_uvarint(data + size, header->size);
    return size;
}

rm_status rm_read_frame(const uint8_t *stream, size_t size, size_t limit, size_t control_limit, const uint8_t **message, size_t *message_size)
{
    uint32_t length;
    size_t at = 0;
    rm_verdict verdict = rm_parse_uvarint(stream, size, &at, &length);
    if (verdict != RM_VERDICT_OK)
        return verdict == RM_VERDICT_TRUNCATED ? RM_INCOMPLETE : RM_MALFORMED;
    if (length == 0)
        return RM_MALFORMED;
    if (length > limit) {
        bool may_be_control = (size - at < 1 || stream[at] == 0x7F) && (size - at < 2 || stream[at + 1] == RM_KIND_CONTROL);
        if (!may_be_control || length > control_limit)
            return RM_TOO_LARGE;
    }
    if (size - at < length)
        return RM_INCOMPLETE;
    *message = stream + at;
    *message_size = length;
    return RM_OK;
}

/* Reads the payload of a fault. */
static bool read_fault(const uint8_t *payload, size_t size, uint32_t *code, rm_text *text)
{
    size_t at = 0;
    if (rm_parse_uvarint(payload, size, &at, code) != RM_VERDICT_OK || *code > LARGEST_SIZE || !is_utf8(payload + at, size - at))
        return false;
    text->data = (const char *)payload + at;
    text->size = (uint32_t)(size - at);
    return true;
}

/* ---- The state of a client -------------------------------------------------------------------------------------------------- */

typedef enum client_state { STATE_IDLE, STATE_HANDSHAKE, STATE_OPEN, STATE_ENDED } client_state;
typedef enum handshake_step { STEP_HELLO, STEP_PROOF, STEP_CONTRACTS } handshake_step;
typedef enum contract_state { CONTRACT_UNKNOWN, CONTRACT_EQUAL, CONTRACT_DIFFERS } contract_state;

typedef struct open_request {
    uint32_t id;
    bool is_open;
    uint64_t deadline;
    const rm_contract *contract;
    void *user;
} open_request;

typedef struct open_answer {
    uint32_t id, type;
    bool is_open;
} open_answer;

struct rm_client {
    rm_config config;
    int socket;
    client_state state;
    handshake_step step;
    uint32_t reason, remote_max, unreadable;
    char text[RM_MAX_TEXT + 1];
    char difference[RM_MAX_TEXT + 1];   /* of a contract, as the server sees it */
    bool has_token;
    uint8_t token_key[64], nonce[16], remote_nonce[16], ping[8];
    uint64_t last_poll, last_received, next_ping, next_deadline;
    uint32_t last_id, last_own_id;
    rm_statistics statistics;
    uint8_t *in, *out, *plain;
    size_t in_start, in_end, in_capacity, out_start, out_end, out_capacity;
    open_request *requests;
    open_answer *answers;
    uint8_t *contracts; /* a contract_state for each contract */
    bool *is_handled;   /* for each contract */
    uint32_t *ids;      /* of a list of contracts, to find equal ones */
};

static bool has_compressor(const rm_config *config)
{
    for (uint32_t i = 0; i < config->contract_count; i++) {
        if (config->contracts[i]->compressor != NULL)
            return true;
    }
    return false;
}

/* Fills in the defaults. Returns whether the settings are in range. */
static bool complete(rm_config *config)
{
    if (config->max_message == 0)
        config->max_message = 1 << 20;
    if (config->send_capacity == 0)
        config->send_capacity = 1 << 20;
    if (config->max_requests == 0)
        config->max_requests = 64;
    return config->max_message >= 128 && config->max_message <= LARGEST_MESSAGE && config->send_capacity >= 65536 && config->send_capacity <= LARGEST_MESSAGE
        && config->max_requests <= RM_MAX_REQUESTS && config->contract_count <= RM_MAX_CONTRACTS && (config->contracts != NULL || config->contract_count == 0)
        && (config->token != NULL || config->token_size == 0);
}

static uint64_t aligned(uint64_t size) { return (size + 15) & ~UINT64_C(15); }

/* The parts of the memory of a client. */
typedef struct client_layout { uint64_t requests, answers, contracts, handled, ids, in, out, plain, size; uint32_t in_capacity, out_capacity; } client_layout;

static client_layout make_layout(const rm_config *config)
{
    client_layout layout;
    uint32_t largest = config->max_message < RM_MAX_CONTROL ? RM_MAX_CONTROL : config->max_message;
    layout.in_capacity = largest + 5 + (largest < LARGEST_MESSAGE - RECEIVE_ROOM ? RECEIVE_ROOM : 0);
    layout.out_capacity = config->send_capacity + ANSWER_ROOM;
    layout.requests = aligned(sizeof(rm_client));
    layout.answers = layout.requests + aligned(config->max_requests * (uint64_t)sizeof(open_request));
    layout.contracts = layout.answers + aligned(config->max_requests * (uint64_t)sizeof(open_answer));
    layout.handled = layout.contracts + aligned(config->contract_count);
    layout.ids = layout.handled + aligned(config->contract_count * (uint64_t)sizeof(bool));
    layout.in = layout.ids + RM_MAX_CONTRACTS * (uint64_t)sizeof(uint32_t);
    layout.out = layout.in + aligned(layout.in_capacity);
    layout.plain = layout.out + aligned(layout.out_capacity);
    layout.size = layout.plain + (has_compressor(config) ? config->max_message : 0);
    return layout;
}

size_t rm_size(const rm_config *config)
{
    rm_config full = *config;
    if (!complete(&full))
        return 0;
    uint64_t size = make_layout(&full).size;
    return size > SIZE_MAX / 2 ? 0 : (size_t)size;
}

rm_client *rm_create(const rm_config *config, void *memory, size_t size)
{
    size_t needed = rm_size(config);
    if (needed == 0 || memory == NULL || size < needed || ((uintptr_t)memory & (sizeof(void *) - 1)) != 0)
        return NULL;
    rm_client *client = memory;
    uint8_t *start = memory;
    memset(client, 0, sizeof *client);
    client->config = *config;
    complete(&client->config);
    client_layout layout = make_layout(&client->config);
    client->socket = -1;
    client->requests = (open_request *)(void *)(start + layout.requests);
    client->answers = (open_answer *)(void *)(start + layout.answers);
    client->contracts = start + layout.contracts;
    client->is_handled = (bool *)(void *)(start + layout.handled);
    client->ids = (uint32_t *)(void *)(start + layout.ids);
    client->in = start + layout.in;
    client->in_capacity = layout.in_capacity;
    client->out = start + layout.out;
    client->out_capacity = layout.out_capacity;
    client->plain = start + layout.plain;
    memset(client->requests, 0, client->config.max_requests * sizeof *client->requests);
    memset(client->answers, 0, client->config.max_requests * sizeof *client->answers);
    for (uint32_t i = 0; i < config->contract_count; i++)
        client->is_handled[i] = false;
    if (rm_set_token(client, config->token, config->token_size) != RM_OK)
        return NULL;
    client->config.token = NULL; /* it was copied */
    return client;
}

rm_status rm_set_token(rm_client *client, const uint8_t *token, size_t size)
{
    if (size > 1 << 20 || (token == NULL && size > 0))
        return RM_INVALID_ARGUMENT;
    client->has_token = size > 0;
    client->config.token_size = size;
    make_hmac_key(token, size, client->token_key);
    return RM_OK;
}

void rm_destroy(rm_client *client)
{
    rm_close(client);
    clear(client->token_key, sizeof client->token_key);
}

/* Returns the index of a contract, or -1. */
static int64_t find_contract(const rm_client *client, uint32_t id)
{
    for (uint32_t i = 0; i < client->config.contract_count; i++) {
        if (client->config.contracts[i]->id == id)
            return i;
    }
    return -1;
}

rm_status rm_handle(rm_client *client, const rm_contract *contract)
{
    int64_t index = find_contract(client, contract->id);
    if (index < 0)
        return RM_UNKNOWN;
    client->is_handled[index] = true;
    return RM_OK;
}

static uint64_t now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

/* ---- Sending ---------------------------------------------------------------------------------------------------------------- */

/* Sends what the system takes now. Returns false if the connection is lost. */
static bool flush(rm_client *client)
{
    while (client->out_start < client->out_end) {
        ssize_t sent = send(client->socket, client->out + client->out_start, client->out_end - client->out_start, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            return errno == EAGAIN || errno == EWOULDBLOCK;
        client->out_start += (size_t)sent;
        client->statistics.sent_bytes += (uint64_t)sent;
    }
    client->out_start = client->out_end = 0;
    return true;
}

static void compact_out(rm_client *client)
{
    if (client->out_start == 0)
        return;
    memmove(client->out, client->out + client->out_start, client->out_end - client->out_start);
    client->out_end -= client->out_start;
    client->out_start = 0;
}

/* What a message contains after its header. */
typedef struct content {
    const rm_contract *contract; /* with a value, or NULL */
    const void *value;
    const void *bytes;           /* without a contract */
    size_t size;
    void (*write)(const rm_client *client, rm_writer *writer); /* in place of bytes, or NULL */
} content;

/* Appends a frame to the bytes that wait. Returns RM_NO_MEMORY if it does not fit below the capacity. */
static rm_status append(rm_client *client, const rm_header *header, const content *content, size_t capacity)
{
    uint8_t bytes[RM_MAX_HEADER];
    size_t size = rm_write_header(header, bytes);
    if (client->out_end + 1 + size > capacity)
        return RM_NO_MEMORY;
    uint8_t *start = client->out + client->out_end;
    rm_writer writer = {start + 1, capacity - client->out_end - 1, 0, 0, RM_OK}; /* most frames have a prefix of one byte */
    rm_write_bytes(&writer, bytes, size);
    if (content->contract != NULL) {
        writer.data += size;
        writer.capacity -= size;
        writer.size = 0;
        content->contract->pack(&writer, content->value);
        writer.size += size;
    } else if (content->write != NULL)
        content->write(client, &writer);
    else
        rm_write_bytes(&writer, content->bytes, content->size);
    if (writer.status != RM_OK)
        return writer.status;
    if (header->kind != RM_KIND_CONTROL && client->state == STATE_OPEN && writer.size > client->remote_max)
        return RM_TOO_LARGE;
    size_t prefix = put_uvarint(bytes, (uint32_t)writer.size);
    if (client->out_end + prefix + writer.size > capacity)
        return RM_NO_MEMORY;
    if (prefix > 1)
        memmove(start + prefix, start + 1, writer.size);
    memcpy(start, bytes, prefix);
    client->out_end += prefix + writer.size;
    return RM_OK;
}

/* Sends a message of the program. */
static rm_status send_message(rm_client *client, const rm_header *header, const content *content)
{
    if (client->state != STATE_OPEN)
        return RM_NO_CONNECTION;
    size_t capacity = client->config.send_capacity;
    rm_status status = append(client, header, content, capacity);
    if (status == RM_NO_MEMORY) {
        flush(client); /* a lost connection is noticed by the next rm_poll() */
        compact_out(client);
        bool is_empty = client->out_end == 0;
        status = append(client, header, content, capacity);
        if (status == RM_NO_MEMORY)
            status = is_empty ? RM_TOO_LARGE : RM_FULL;
    }
    if (status == RM_OK)
        client->statistics.sent_messages++;
    return status;
}

/* Sends an answer of the client itself. rm_poll() has checked the room. */
static void send_answer(rm_client *client, rm_kind kind, uint32_t type, uint32_t correlation, const void *bytes, size_t size)
{
    rm_header header = {type, kind, correlation, false, 0};
    content content = {NULL, NULL, bytes, size, NULL};
    if (append(client, &header, &content, client->out_capacity) == RM_NO_MEMORY) {
        compact_out(client);
        append(client, &header, &content, client->out_capacity);
    }
}

static bool has_answer_room(const rm_client *client)
{
    return client->out_capacity - (client->out_end - client->out_start) >= ANSWER_ROOM;
}

static size_t make_fault(uint8_t *payload, uint32_t code, const char *text)
{
    size_t size = put_uvarint(payload, code), length = text == NULL ? 0 : strlen(text);
    if (length > 0 && is_utf8((const uint8_t *)text, length)) {
        length = cut(text, length, MAX_FAULT_TEXT);
        memcpy(payload + size, text, length);
        size += length;
    }
    return size;
}

static void send_fault(rm_client *client, const rm_header *request, uint32_t code, const char *text)
{
    uint8_t payload[5 + MAX_FAULT_TEXT];
    send_answer(client, RM_KIND_FAULT, request->type, request->correlation, payload, make_fault(payload, code, text));
}

static void send_cancel(rm_client *client, uint32_t id)
{
    uint8_t payload[5];
    if (has_answer_room(client))
        send_answer(client, RM_KIND_CONTROL, OP_CANCEL, 0, payload, put_uvarint(payload, id));
}

/* ---- The end of a connection ------------------------------------------------------------------------------------------------ */

/* Keeps a text of the server, without control characters. */
static void set_text(rm_client *client, const char *text, size_t size)
{
    if (!is_utf8((const uint8_t *)text, size))
        size = 0;
    size = cut(text, size, RM_MAX_TEXT);
    copy(client->text, text, size);
    client->text[size] = 0;
    for (uint8_t *at = (uint8_t *)client->text, *end = at + size; at < end; at++) {
        if (*at < ' ' || *at == 0x7F)
            *at = '?';
        else if (*at == 0xC2 && at + 1 < end && at[1] < 0xA0) {
            *at++ = '?';
            *at = '?';
        }
    }
}

/* Ends the connection. The goodbye, if there is one, contains a text of this side. */
static void end(rm_client *client, uint32_t reason, const char *text, bool says_goodbye, const char *goodbye)
{
    if (client->state != STATE_HANDSHAKE && client->state != STATE_OPEN)
        return;
    client->reason = reason;
    if (text != client->text)
        set_text(client, text, strlen(text));
    if (says_goodbye) {
        uint8_t payload[1 + RM_MAX_TEXT];
        size_t size = cut(goodbye, strlen(goodbye), RM_MAX_TEXT);
        payload[0] = (uint8_t)reason;
        copy(payload + 1, goodbye, size);
        send_answer(client, RM_KIND_CONTROL, OP_GOODBYE, 0, payload, 1 + size);
        flush(client);
    }
    close(client->socket);
    client->socket = -1;
    client->in_start = client->in_end = client->out_start = client->out_end = 0;
    memset(client->answers, 0, client->config.max_requests * sizeof *client->answers);
    client->state = client->state == STATE_OPEN ? STATE_ENDED : STATE_IDLE;
}

static void end_lost(rm_client *client) { end(client, RM_REASON_CONNECTION_LOST, "", false, ""); }

void rm_close(rm_client *client) { end(client, RM_REASON_REQUESTED, "", true, ""); }

static void count_unreadable(rm_client *client)
{
    client->statistics.unreadable_messages++;
    if (++client->unreadable > RM_MAX_UNREADABLE)
        end(client, RM_REASON_MALFORMED, "More than 16 messages could not be read.", true, "More than 16 messages could not be read.");
}

static void end_by_goodbye(rm_client *client, const uint8_t *payload, size_t size)
{
    uint32_t reason = size > 0 && payload[0] <= RM_REASON_BANNED ? payload[0] : RM_REASON_GOODBYE;
    set_text(client, (const char *)payload + 1, size > 0 ? size - 1 : 0);
    end(client, reason, client->text, false, "");
}

/* ---- Hellos and contracts --------------------------------------------------------------------------------------------------- */

typedef struct hello {
    bool has_token, has_contracts; /* without contracts, they follow the proof */
    uint32_t max_message;
    const uint8_t *nonce;
    size_t contracts;              /* their position */
} hello;

static const uint8_t LATER_CONTRACTS[13] = {2, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 1, 1, 0, 0, 0, 0, 1};

/* Writes the difference between the contracts of both sides, first as this side sees it. */
static void describe(rm_client *client, const rm_contract *own, rm_text name, const char *ours, const char *theirs)
{
    int size = (int)cut(name.data, name.size, MAX_NAME);
    snprintf(client->text, sizeof client->text, "The contracts of message type %u (%.200s on this side, %.*s on the remote side) differ: %.300s.", (unsigned)own->id, own->name, size, name.data, ours);
    snprintf(client->difference, sizeof client->difference, "The contracts of message type %u (%.*s on this side, %.200s on the remote side) differ: %.300s.", (unsigned)own->id, size, name.data, own->name, theirs);
    set_text(client, client->text, strlen(client->text));
}

static bool has_text(rm_text text, const char *other) { return text.size == strlen(other) && memcmp(text.data, other, text.size) == 0; }

/* Compares an announced encoding, which is a serializer, or a serializer, a plus sign and a compressor, with those of this side. Describes a difference.
 * A compressor's name with a dot is that of a class, whose format is not known. */
static bool is_same_encoding(const char *serializer, const char *compressor, rm_text theirs, char here[DIFFERENCE_SIZE], char there[DIFFERENCE_SIZE])
{
    const char *what = "serializer", *ours = serializer, *advice = "", *none = "none", *format = compressor == NULL ? none : compressor;
    size_t at = theirs.size;
    while (at > 0 && theirs.data[at - 1] != '+')
        at--;
    rm_text their_format = rm_string(none);
    if (at > 0) {
        their_format.data = theirs.data + at;
        their_format.size = theirs.size - (uint32_t)at;
        theirs.size = (uint32_t)at - 1;
    }
    if (has_text(theirs, serializer)) {
        bool is_class = strchr(format, '.') != NULL || (their_format.size > 0 && memchr(their_format.data, '.', their_format.size) != NULL);
        if (has_text(their_format, format) || (is_class && strcmp(format, none) != 0 && !has_text(their_format, none)))
            return true;
        what = "compressor";
        ours = format;
        theirs = their_format;
        advice = "; both sides need the same format";
    }
    int size = (int)cut(theirs.data, theirs.size, 100);
    snprintf(here, DIFFERENCE_SIZE, "the %s is %.100s here and %.*s there%s", what, ours, size, theirs.data, advice);
    snprintf(there, DIFFERENCE_SIZE, "the %s is %.*s here and %.100s there%s", what, size, theirs.data, ours, advice);
    return false;
}

/* Compares an announced contract, whose shape the reader is at, with the contract of this side. */
static bool is_equal(rm_client *client, const rm_contract *own, rm_text name, rm_text encoding, int32_t version, const uint8_t *shape, uint32_t count)
{
    char here[DIFFERENCE_SIZE], there[DIFFERENCE_SIZE];
    if (!is_same_encoding(own->serializer, own->compressor, encoding, here, there)) {
        describe(client, own, name, here, there);
        return false;
    }
    if (version != own->version) {
        snprintf(here, sizeof here, "the version is %d here and %d there", (int)own->version, (int)version);
        snprintf(there, sizeof there, "the version is %d here and %d there", (int)version, (int)own->version);
        describe(client, own, name, here, there);
        return false;
    }
    for (uint32_t i = 0; i < own->shape_size; i++) {
        for (uint32_t j = 0; j < count; j++) {
            uint64_t entry = get_number(shape + 8 * (size_t)j, 8);
            if (entry >> 32 == own->shape[i] >> 32 && entry != own->shape[i]) {
                snprintf(here, sizeof here, "the first difference is field %u", (unsigned)(entry >> 32));
                describe(client, own, name, here, here);
                return false;
            }
        }
    }
    return true;
}

/* Returns whether this side handles a contract, or replies with it. */
static bool is_announced(const rm_client *client, uint32_t index)
{
    if (client->is_handled[index])
        return true;
    for (uint32_t i = 0; i < client->config.contract_count; i++) {
        if (client->is_handled[i] && client->config.contracts[i]->reply != NULL && client->config.contracts[i]->reply->id == client->config.contracts[index]->id)
            return true;
    }
    return false;
}

/* Reads a list of contracts, up to the end of the payload. With a client, the valid list is compared. */
static rm_status read_contracts(const uint8_t *payload, size_t size, uint32_t *ids, rm_client *client)
{
    rm_reader reader = {payload, 0, size, NULL, 0, 0, RM_OK};
    uint32_t count;
    if (!read_length(&reader, &count, false) || count > RM_MAX_CONTRACTS)
        return RM_MALFORMED;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t id = rm_read_uvarint(&reader), fields;
        rm_text name = rm_read_text(&reader, false), encoding = rm_read_text(&reader, false);
        int32_t version = (int32_t)rm_read_u4(&reader);
        if (!read_length(&reader, &fields, false) && reader.status != RM_OK)
            return RM_MALFORMED;
        const uint8_t *shape = take_bytes(&reader, 8 * (size_t)fields);
        if (reader.status != RM_OK)
            return RM_MALFORMED;
        ids[i] = id;
        int64_t index = client == NULL ? -1 : find_contract(client, id);
        if (index < 0)
            continue;
        bool equal = is_equal(client, client->config.contracts[index], name, encoding, version, shape, fields);
        client->contracts[index] = equal ? CONTRACT_EQUAL : CONTRACT_DIFFERS;
        if (!equal && is_announced(client, (uint32_t)index))
            return RM_WRONG_CONTRACT;
    }
    if (!rm_at_end(&reader))
        return RM_MALFORMED;
    sort(ids, count, NULL, NULL);
    for (uint32_t i = 1; i < count; i++) {
        if (ids[i - 1] == ids[i])
            return RM_MALFORMED;
    }
    return RM_OK;
}

/* Compares a list of contracts after it was read whole. A server may announce a few contracts in each of many hellos. */
static rm_status learn(rm_client *client, const uint8_t *payload, size_t size)
{
    rm_status status = read_contracts(payload, size, client->ids, NULL);
    return status == RM_OK ? read_contracts(payload, size, client->ids, client) : status;
}

/* Reads a first hello. Returns RM_REFUSED for another version of the protocol. */
static rm_status read_hello(const uint8_t *payload, size_t size, hello *result, uint32_t *ids)
{
    if (size < 5 || memcmp(payload, "RLM3", 4) != 0)
        return RM_MALFORMED;
    if (payload[4] != 1)
        return RM_REFUSED;
    size_t at = 6;
    if (size < 6 || payload[5] > 1 || rm_parse_uvarint(payload, size, &at, &result->max_message) != RM_VERDICT_OK || result->max_message < 128 || size - at < 16)
        return RM_MALFORMED;
    if (result->max_message > LARGEST_SIZE)
        result->max_message = LARGEST_SIZE;
    result->has_token = payload[5] == 1;
    result->nonce = payload + at;
    result->contracts = at + 16;
    size_t rest = size - result->contracts;
    result->has_contracts = rest != sizeof LATER_CONTRACTS || memcmp(payload + result->contracts, LATER_CONTRACTS, rest) != 0;
    return result->has_contracts ? read_contracts(payload + result->contracts, rest, ids, NULL) : RM_OK;
}

static void write_contracts(const rm_client *client, rm_writer *writer)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < client->config.contract_count; i++)
        count += is_announced(client, i);
    rm_write_uvarint(writer, count + 1);
    for (uint32_t i = 0; i < client->config.contract_count; i++) {
        const rm_contract *one = client->config.contracts[i];
        if (!is_announced(client, i))
            continue;
        rm_write_uvarint(writer, one->id);
        rm_write_text(writer, rm_string(one->name), false);
        size_t serializer = strlen(one->serializer), compressor = one->compressor == NULL ? 0 : 1 + strlen(one->compressor);
        rm_write_uvarint(writer, (uint32_t)(serializer + compressor) + 1);
        rm_write_bytes(writer, one->serializer, serializer);
        if (compressor > 0) {
            rm_write_bytes(writer, "+", 1);
            rm_write_bytes(writer, one->compressor, compressor - 1);
        }
        rm_write_u4(writer, (uint32_t)one->version);
        rm_write_uvarint(writer, one->shape_size + 1);
        for (uint32_t j = 0; j < one->shape_size; j++)
            rm_write_u8(writer, one->shape[j]);
    }
}

/* Writes the payload of a first hello. */
static void write_hello(const rm_client *client, rm_writer *writer)
{
    rm_write_bytes(writer, "RLM3\1", 5);
    rm_write_u1(writer, client->has_token);
    rm_write_uvarint(writer, client->config.max_message);
    rm_write_bytes(writer, client->nonce, sizeof client->nonce);
    if (client->has_token)
        rm_write_bytes(writer, LATER_CONTRACTS, sizeof LATER_CONTRACTS);
    else
        write_contracts(client, writer);
}

static void make_proof(const rm_client *client, char role, const uint8_t own[16], const uint8_t other[16], uint8_t proof[32])
{
    uint8_t data[33];
    data[0] = (uint8_t)role;
    memcpy(data + 1, own, 16);
    memcpy(data + 17, other, 16);
    rm_hmac_sha256(client->token_key, sizeof client->token_key, data, sizeof data, proof);
}

static bool are_equal_in_constant_time(const uint8_t *a, const uint8_t *b, size_t size)
{
    uint8_t difference = 0;
    for (size_t i = 0; i < size; i++)
        difference |= a[i] ^ b[i];
    return difference == 0;
}

/* ---- The handshake ---------------------------------------------------------------------------------------------------------- */

static rm_status send_hello(rm_client *client, void (*write)(const rm_client *, rm_writer *))
{
    rm_header header = {OP_HELLO, RM_KIND_CONTROL, 0, false, 0};
    content content = {NULL, NULL, NULL, 0, write};
    size_t before = client->out_end;
    rm_status status = append(client, &header, &content, client->out_capacity - ANSWER_ROOM);
    if (status == RM_NO_MEMORY || client->out_end - before > RM_MAX_CONTROL)
        return RM_TOO_LARGE;
    return status;
}

static rm_status refuse(rm_client *client, uint32_t reason, const char *text, const char *goodbye)
{
    end(client, reason, text, true, goodbye);
    return RM_REFUSED;
}

/* Compares the contracts of a hello in the handshake. */
static rm_status accept_contracts(rm_client *client, const uint8_t *payload, size_t size)
{
    rm_status status = learn(client, payload, size);
    if (status == RM_WRONG_CONTRACT)
        return refuse(client, RM_REASON_WRONG_CONTRACT, client->text, client->difference);
    return status == RM_OK ? RM_OK : refuse(client, RM_REASON_NOT_A_PEER, "The contracts cannot be read.", "The contracts cannot be read.");
}

static rm_status accept_hello(rm_client *client, const uint8_t *payload, size_t size)
{
    hello hello;
    rm_status status = read_hello(payload, size, &hello, client->ids);
    if (status == RM_MALFORMED)
        return refuse(client, RM_REASON_NOT_A_PEER, "The hello cannot be read.", "The hello cannot be read.");
    if (status == RM_REFUSED)
        return refuse(client, RM_REASON_WRONG_VERSION, "", "");
    if (hello.has_token != client->has_token)
        return refuse(client, RM_REASON_WRONG_TOKEN, hello.has_token ? "The server has a token." : "The server has no token.", "");
    client->remote_max = hello.max_message;
    memcpy(client->remote_nonce, hello.nonce, sizeof client->remote_nonce);
    if (client->has_token) {
        uint8_t proof[32];
        make_proof(client, 'C', client->nonce, client->remote_nonce, proof);
        send_answer(client, RM_KIND_CONTROL, OP_HELLO, 0, proof, sizeof proof);
        client->step = STEP_PROOF; /* contracts before the proof, of an earlier version of the library, are not compared */
        return RM_OK;
    }
    client->step = STEP_CONTRACTS;
    if (hello.has_contracts)
        status = accept_contracts(client, payload + hello.contracts, size - hello.contracts);
    if (status == RM_OK)
        send_answer(client, RM_KIND_CONTROL, OP_HELLO, 0, NULL, 0);
    return status;
}

static rm_status accept_proof(rm_client *client, const uint8_t *payload, size_t size)
{
    uint8_t proof[32];
    make_proof(client, 'S', client->remote_nonce, client->nonce, proof);
    if (size != sizeof proof || !are_equal_in_constant_time(payload, proof, sizeof proof))
        return refuse(client, RM_REASON_WRONG_TOKEN, "The server does not know the token.", "");
    client->step = STEP_CONTRACTS;
    rm_status status = send_hello(client, write_contracts);
    if (status == RM_OK)
        send_answer(client, RM_KIND_CONTROL, OP_HELLO, 0, NULL, 0);
    return status;
}

/* Handles a message of the handshake. */
static rm_status shake(rm_client *client, const uint8_t *message, size_t size)
{
    rm_header header;
    size_t at;
    if (rm_read_header(message, size, &header, &at) != RM_VERDICT_OK || header.kind != RM_KIND_CONTROL || header.is_compressed) {
        end(client, RM_REASON_NOT_A_PEER, "", false, "");
        return RM_REFUSED;
    }
    const uint8_t *payload = message + at;
    size -= at;
    if (header.type == OP_GOODBYE) {
        end_by_goodbye(client, payload, size);
        return RM_REFUSED;
    }
    if (header.type != OP_HELLO) {
        end(client, RM_REASON_NOT_A_PEER, "", false, "");
        return RM_REFUSED;
    }
    if (client->step == STEP_HELLO)
        return accept_hello(client, payload, size);
    if (client->step == STEP_PROOF)
        return accept_proof(client, payload, size);
    if (size > 0)
        return accept_contracts(client, payload, size);
    client->state = STATE_OPEN;
    return RM_OK;
}

/* ---- Receiving -------------------------------------------------------------------------------------------------------------- */

typedef enum received { RECEIVED_NOTHING, RECEIVED_BYTES, RECEIVED_END } received;

static received receive(rm_client *client)
{
    if (client->in_start == client->in_end)
        client->in_start = client->in_end = 0;
    if (client->in_start > 0 && client->in_capacity - client->in_end < client->in_capacity / 4) {
        memmove(client->in, client->in + client->in_start, client->in_end - client->in_start);
        client->in_end -= client->in_start;
        client->in_start = 0;
    }
    ssize_t size;
    do
        size = recv(client->socket, client->in + client->in_end, client->in_capacity - client->in_end, 0);
    while (size < 0 && errno == EINTR);
    if (size < 0)
        return errno == EAGAIN || errno == EWOULDBLOCK ? RECEIVED_NOTHING : RECEIVED_END;
    client->in_end += (size_t)size;
    client->statistics.received_bytes += (uint64_t)size;
    return size == 0 ? RECEIVED_END : RECEIVED_BYTES;
}

/* Takes the next frame from the received bytes. */
static rm_status take_frame(rm_client *client, const uint8_t **message, size_t *size)
{
    size_t limit = client->state == STATE_HANDSHAKE ? RM_MAX_CONTROL : client->config.max_message;
    rm_status status = rm_read_frame(client->in + client->in_start, client->in_end - client->in_start, limit, RM_MAX_CONTROL, message, size);
    if (status == RM_OK)
        client->in_start = (size_t)(*message - client->in) + *size;
    return status;
}

/* Decompresses a payload, if it is compressed. */
static bool expand(rm_client *client, const rm_contract *contract, const rm_header *header, rm_event *event)
{
    if (!header->is_compressed)
        return true;
    if (contract->compressor == NULL || header->size > client->config.max_message || event->size == 0)
        return false;
    bool is_valid = strcmp(contract->compressor, "lz4") == 0 ? rm_decompress_lz4(event->payload, event->size, client->plain, header->size)
        : client->config.decompress != NULL && client->config.decompress(client->config.decompress_user, contract->compressor, event->payload, event->size, client->plain, header->size);
    event->payload = client->plain;
    event->size = header->size;
    return is_valid;
}

static open_answer *find_answer(rm_client *client, uint32_t id)
{
    for (uint32_t i = 0; i < client->config.max_requests; i++) {
        if (client->answers[i].is_open && client->answers[i].id == id)
            return &client->answers[i];
    }
    return NULL;
}

static bool accept_event(rm_client *client, const rm_header *header, rm_event *event)
{
    int64_t index = find_contract(client, header->type);
    if (index < 0 || !client->is_handled[index]) {
        client->statistics.unhandled_messages++;
        return false;
    }
    event->kind = RM_EVENT_MESSAGE;
    event->contract = client->config.contracts[index];
    if (expand(client, event->contract, header, event))
        return true;
    count_unreadable(client);
    return false;
}

static bool accept_request(rm_client *client, const rm_header *header, rm_event *event)
{
    int64_t index = find_contract(client, header->type);
    if (index < 0 || !client->is_handled[index]) {
        if (header->type == TYPE_ITEM_BLOCK)
            send_fault(client, header, RM_FAULT_INVALID_REQUEST, "The client sends no items with its requests.");
        else
            send_fault(client, header, RM_FAULT_NO_HANDLER, "No handler answers requests of this type.");
        return false;
    }
    if (find_answer(client, header->correlation) != NULL) {
        count_unreadable(client); /* the id belongs to another open request */
        return false;
    }
    open_answer *answer = NULL;
    for (uint32_t i = 0; i < client->config.max_requests && answer == NULL; i++) {
        if (!client->answers[i].is_open)
            answer = &client->answers[i];
    }
    if (answer == NULL) {
        send_fault(client, header, RM_FAULT_HANDLER_FAILED, "Too many requests wait for their replies.");
        return false;
    }
    event->kind = RM_EVENT_REQUEST;
    event->contract = client->config.contracts[index];
    if (!expand(client, event->contract, header, event)) {
        send_fault(client, header, RM_FAULT_INVALID_REQUEST, "The request cannot be decompressed.");
        return false;
    }
    *answer = (open_answer){header->correlation, header->type, true};
    return true;
}

/* Takes a request out of the table. */
static void close_request(open_request *request, rm_event *event)
{
    request->is_open = false;
    event->id = request->id;
    event->user = request->user;
    event->contract = request->contract;
}

/* Closes a stream that this side does not read: a block of 0 bytes is requested. */
static void close_stream(rm_client *client, const uint8_t *payload, size_t size)
{
    uint8_t request[8] = {0};
    if (size != 4)
        return;
    memcpy(request, payload, 4);
    send_answer(client, RM_KIND_REQUEST, TYPE_BLOCK, OWN_CORRELATION | client->last_own_id++ % OWN_CORRELATION, request, sizeof request);
}

static bool accept_reply(rm_client *client, const rm_header *header, rm_event *event)
{
    open_request *request = &client->requests[header->correlation % client->config.max_requests];
    if (!request->is_open || request->id != header->correlation) {
        client->statistics.unhandled_messages++;
        if (header->kind == RM_KIND_REPLY && header->type == TYPE_STREAM && !header->is_compressed)
            close_stream(client, event->payload, event->size);
        return false;
    }
    close_request(request, event);
    event->kind = RM_EVENT_FAILED;
    if (header->kind == RM_KIND_FAULT) {
        event->status = RM_INVALID_PAYLOAD;
        if (!header->is_compressed && read_fault(event->payload, event->size, &event->code, &event->text)) {
            event->kind = RM_EVENT_FAULT;
            event->status = RM_OK;
        }
        return true;
    }
    if (header->type == TYPE_STREAM) {
        event->status = RM_STREAM;
        if (!header->is_compressed)
            close_stream(client, event->payload, event->size);
        return true;
    }
    const rm_contract *expected = request->contract->reply;
    if (header->type == TYPE_ACKNOWLEDGEMENT && expected == NULL) {
        event->kind = RM_EVENT_REPLY;
        event->contract = NULL;
        return true;
    }
    int64_t index = find_contract(client, header->type);
    event->status = RM_WRONG_CONTRACT;
    if (index < 0 || (expected != NULL && expected->id != header->type) || client->contracts[index] == CONTRACT_DIFFERS)
        return true;
    event->status = RM_INVALID_PAYLOAD;
    if (expand(client, client->config.contracts[index], header, event)) {
        event->kind = RM_EVENT_REPLY;
        event->status = RM_OK;
        event->contract = client->config.contracts[index];
    }
    return true;
}

static bool accept_control(rm_client *client, const rm_header *header, rm_event *event)
{
    const uint8_t *payload = event->payload;
    size_t size = event->size, at = 0;
    if (header->is_compressed) {
        count_unreadable(client);
        return false;
    }
    switch (header->type) {
    case OP_HELLO:
        switch (learn(client, payload, size)) {
        case RM_OK:
            break;
        case RM_WRONG_CONTRACT:
            end(client, RM_REASON_WRONG_CONTRACT, client->text, true, client->difference);
            break;
        default:
            end(client, RM_REASON_MALFORMED, "A hello cannot be read.", true, "A hello cannot be read.");
            break;
        }
        break;
    case OP_PING:
        if (size > MAX_PING)
            count_unreadable(client);
        else
            send_answer(client, RM_KIND_CONTROL, OP_PONG, 0, payload, size);
        break;
    case OP_PONG:
        if (size != sizeof client->ping)
            count_unreadable(client);
        break;
    case OP_GOODBYE:
        end_by_goodbye(client, payload, size);
        break;
    case OP_CANCEL:
        if (rm_parse_uvarint(payload, size, &at, &event->id) != RM_VERDICT_OK) {
            count_unreadable(client);
            break;
        }
        if (find_answer(client, event->id) == NULL)
            break;
        event->kind = RM_EVENT_CANCELED;
        event->size = 0;
        return true;
    default: /* an opcode of a later version */
        break;
    }
    return false;
}

/* Handles a message. Returns whether there is an event for the program. */
static bool accept_message(rm_client *client, const uint8_t *message, size_t size, rm_event *event)
{
    rm_header header;
    size_t at;
    if (rm_read_header(message, size, &header, &at) != RM_VERDICT_OK) {
        count_unreadable(client);
        return false;
    }
    event->id = header.correlation;
    event->payload = message + at;
    event->size = size - at;
    if (header.kind == RM_KIND_CONTROL)
        return accept_control(client, &header, event);
    client->statistics.received_messages++;
    switch (header.kind) {
    case RM_KIND_EVENT:
        return accept_event(client, &header, event);
    case RM_KIND_REQUEST:
        return accept_request(client, &header, event);
    default:
        return accept_reply(client, &header, event);
    }
}

/* ---- Polling ---------------------------------------------------------------------------------------------------------------- */

/* Finds a request whose time is over. */
static bool expire(rm_client *client, uint64_t now, rm_event *event)
{
    if (now < client->next_deadline)
        return false;
    client->next_deadline = UINT64_MAX;
    for (uint32_t i = 0; i < client->config.max_requests; i++) {
        open_request *request = &client->requests[i];
        if (request->is_open && request->deadline <= now) {
            client->next_deadline = now; /* there may be others */
            close_request(request, event);
            send_cancel(client, request->id);
            event->kind = RM_EVENT_FAILED;
            event->status = RM_TIMED_OUT;
            return true;
        }
        if (request->is_open && request->deadline < client->next_deadline)
            client->next_deadline = request->deadline;
    }
    return false;
}

/* Returns the events of an ended connection: its open requests, and then the end. */
static bool next_end(rm_client *client, rm_event *event)
{
    memset(event, 0, sizeof *event);
    for (uint32_t i = 0; i < client->config.max_requests; i++) {
        if (client->requests[i].is_open) {
            close_request(&client->requests[i], event);
            event->kind = RM_EVENT_FAILED;
            event->status = RM_CONNECTION_LOST;
            return true;
        }
    }
    client->state = STATE_IDLE;
    event->kind = RM_EVENT_DISCONNECTED;
    event->code = client->reason;
    event->text = rm_string(client->text);
    return true;
}

/* Sends a ping when it is time. Returns false if nothing has arrived for too long. */
static bool keep_alive(rm_client *client, uint64_t now)
{
    if (now - client->last_received > RM_KEEP_ALIVE)
        return false;
    if (now >= client->next_ping && has_answer_room(client)) {
        put_number(client->ping, now, sizeof client->ping);
        send_answer(client, RM_KIND_CONTROL, OP_PING, 0, client->ping, sizeof client->ping);
        client->next_ping = now + RM_PING_INTERVAL;
    }
    return true;
}

bool rm_poll(rm_client *client, rm_event *event)
{
    memset(event, 0, sizeof *event);
    if (client->state == STATE_ENDED)
        return next_end(client, event);
    if (client->state != STATE_OPEN)
        return false;
    uint64_t now = now_ms();
    if (now - client->last_poll > RM_PING_INTERVAL)
        client->last_received = now; /* the program did not poll, so the silence says nothing */
    client->last_poll = now;
    if (expire(client, now, event))
        return true;
    for (uint32_t quiet = 0; quiet < MAX_QUIET; quiet++) {
        if (!has_answer_room(client)) {
            if (!flush(client))
                end_lost(client);
            else if (!has_answer_room(client)) {
                client->last_received = now; /* this side does not read */
                break;
            }
        }
        if (client->state != STATE_OPEN)
            return next_end(client, event);
        const uint8_t *message;
        size_t size;
        rm_status status = take_frame(client, &message, &size);
        if (status == RM_OK) {
            client->last_received = now;
            memset(event, 0, sizeof *event);
            if (accept_message(client, message, size, event))
                return true;
        } else if (status == RM_INCOMPLETE) {
            received result = receive(client);
            if (result == RECEIVED_NOTHING)
                break;
            client->last_received = now;
            if (result == RECEIVED_END)
                end_lost(client);
        } else {
            uint32_t reason = status == RM_TOO_LARGE ? RM_REASON_FRAME_TOO_LARGE : RM_REASON_MALFORMED;
            end(client, reason, "", true, "");
        }
        if (client->state != STATE_OPEN)
            return next_end(client, event);
    }
    if (!keep_alive(client, now))
        end(client, RM_REASON_NOT_RESPONDING, "", false, "");
    else if (!flush(client))
        end_lost(client);
    memset(event, 0, sizeof *event);
    return client->state == STATE_ENDED && next_end(client, event);
}

void rm_wait(const rm_client *client, uint32_t timeout_ms)
{
    const uint8_t *message;
    size_t size;
    uint64_t now = now_ms(), until = now + timeout_ms;
    if (client->state != STATE_OPEN)
        return;
    bool reads = has_answer_room(client);
    if (reads && rm_read_frame(client->in + client->in_start, client->in_end - client->in_start, client->config.max_message, RM_MAX_CONTROL, &message, &size) != RM_INCOMPLETE)
        return;
    if (client->next_deadline < until)
        until = client->next_deadline;
    if (client->next_ping < until)
        until = client->next_ping;
    struct pollfd descriptor = {client->socket, (short)((reads ? POLLIN : 0) | (client->out_start < client->out_end ? POLLOUT : 0)), 0};
    poll(&descriptor, 1, until <= now ? 0 : (int)(until - now)); /* an interrupted wait is a short one */
}

rm_status rm_read(rm_client *client, const rm_event *event, void *value, void *memory, size_t memory_size)
{
    if (event->contract == NULL || (event->kind != RM_EVENT_MESSAGE && event->kind != RM_EVENT_REQUEST && event->kind != RM_EVENT_REPLY))
        return RM_INVALID_ARGUMENT;
    rm_status status = rm_unpack(event->contract, event->payload, event->size, value, memory, memory_size);
    if (status == RM_INVALID_PAYLOAD && event->kind == RM_EVENT_MESSAGE)
        count_unreadable(client);
    return status;
}

/* ---- Messages of the program ------------------------------------------------------------------------------------------------ */

/* Compares a contract before its message is sent. */
static rm_status check_contract(const rm_client *client, const rm_contract *contract)
{
    int64_t index = find_contract(client, contract->id);
    if (index < 0)
        return RM_UNKNOWN;
    return client->contracts[index] == CONTRACT_DIFFERS ? RM_WRONG_CONTRACT : RM_OK;
}

static rm_status send_checked(rm_client *client, rm_kind kind, uint32_t id, const rm_contract *contract, const void *value)
{
    rm_status status = client->state == STATE_OPEN ? check_contract(client, contract) : RM_NO_CONNECTION;
    if (status == RM_OK && kind == RM_KIND_REQUEST && contract->reply != NULL)
        status = check_contract(client, contract->reply);
    if (status != RM_OK)
        return status;
    rm_header header = {contract->id, kind, id, false, 0};
    content content = {contract, value, NULL, 0, NULL};
    return send_message(client, &header, &content);
}

rm_status rm_send(rm_client *client, const rm_contract *contract, const void *value)
{
    return contract->is_request ? RM_INVALID_VALUE : send_checked(client, RM_KIND_EVENT, 0, contract, value);
}

rm_status rm_request(rm_client *client, const rm_contract *contract, const void *value, uint32_t timeout_ms, void *user, uint32_t *id)
{
    uint32_t count = client->config.max_requests, next = client->last_id;
    open_request *request = NULL;
    for (uint32_t i = 0; i < count && request == NULL; i++) {
        next = (next + 1) % OWN_CORRELATION;
        if (!client->requests[next % count].is_open)
            request = &client->requests[next % count];
    }
    if (request == NULL)
        return client->state == STATE_OPEN ? RM_FULL : RM_NO_CONNECTION;
    rm_status status = send_checked(client, RM_KIND_REQUEST, next, contract, value);
    if (status != RM_OK)
        return status;
    client->last_id = next;
    *request = (open_request){next, true, now_ms() + timeout_ms, contract, user};
    if (request->deadline < client->next_deadline)
        client->next_deadline = request->deadline;
    if (id != NULL)
        *id = next;
    return RM_OK;
}

rm_status rm_cancel(rm_client *client, uint32_t id)
{
    open_request *request = &client->requests[id % client->config.max_requests];
    if (!request->is_open || request->id != id)
        return RM_UNKNOWN;
    request->is_open = false;
    if (client->state == STATE_OPEN)
        send_cancel(client, id);
    return RM_OK;
}

static rm_status answer_with(rm_client *client, uint32_t id, rm_kind kind, uint32_t type, const content *content)
{
    open_answer *answer = find_answer(client, id);
    if (answer == NULL)
        return client->state == STATE_OPEN ? RM_UNKNOWN : RM_NO_CONNECTION;
    rm_header header = {kind == RM_KIND_FAULT ? answer->type : type, kind, id, false, 0};
    rm_status status = send_message(client, &header, content);
    if (status == RM_OK)
        answer->is_open = false;
    return status;
}

rm_status rm_reply(rm_client *client, uint32_t id, const rm_contract *contract, const void *value)
{
    rm_status status = check_contract(client, contract);
    content content = {contract, value, NULL, 0, NULL};
    return status == RM_OK ? answer_with(client, id, RM_KIND_REPLY, contract->id, &content) : status;
}

rm_status rm_acknowledge(rm_client *client, uint32_t id)
{
    content content = {NULL, NULL, NULL, 0, NULL};
    return answer_with(client, id, RM_KIND_REPLY, TYPE_ACKNOWLEDGEMENT, &content);
}

rm_status rm_fault(rm_client *client, uint32_t id, uint32_t code, const char *text)
{
    uint8_t payload[5 + MAX_FAULT_TEXT];
    if (code > LARGEST_SIZE)
        return RM_INVALID_ARGUMENT;
    content content = {NULL, NULL, payload, make_fault(payload, code, text), NULL};
    return answer_with(client, id, RM_KIND_FAULT, 0, &content);
}

bool rm_is_connected(const rm_client *client) { return client->state == STATE_OPEN; }
uint32_t rm_reason(const rm_client *client) { return client->reason; }
const char *rm_reason_text(const rm_client *client) { return client->text; }
rm_statistics rm_get_statistics(const rm_client *client) { return client->statistics; }

/* ---- Sockets ---------------------------------------------------------------------------------------------------------------- */

typedef union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
    struct sockaddr_un local;
} address;

/* Reads "tcp://127.0.0.1:5000" or "unix:///run/game.sock". */
static rm_status parse_endpoint(const char *text, address *result, socklen_t *size)
{
    memset(result, 0, sizeof *result);
    if (strncmp(text, "unix://", 7) == 0) {
        size_t length = strlen(text + 7);
        if (length == 0 || length >= sizeof result->local.sun_path)
            return RM_INVALID_ENDPOINT;
        result->local.sun_family = AF_UNIX;
        memcpy(result->local.sun_path, text + 7, length + 1);
        *size = sizeof result->local;
        return RM_OK;
    }
    const char *host = text + 6, *colon = strrchr(text, ':');
    if (strncmp(text, "tcp://", 6) != 0 || colon < host)
        return RM_INVALID_ENDPOINT;
    char name[64], *after;
    bool is_v6 = host[0] == '[' && colon[-1] == ']';
    size_t length = (size_t)(colon - host);
    if (is_v6) {
        host++;
        length -= 2;
    }
    unsigned long port = colon[1] >= '0' && colon[1] <= '9' ? strtoul(colon + 1, &after, 10) : 0;
    if (length >= sizeof name || port == 0 || port > 65535 || *after != 0)
        return RM_INVALID_ENDPOINT;
    memcpy(name, host, length);
    name[length] = 0;
    if (is_v6) {
        result->v6.sin6_family = AF_INET6;
        result->v6.sin6_port = htons((uint16_t)port);
        *size = sizeof result->v6;
        if (inet_pton(AF_INET6, name, &result->v6.sin6_addr) != 1)
            return RM_INVALID_ENDPOINT;
        return IN6_IS_ADDR_LOOPBACK(&result->v6.sin6_addr) ? RM_OK : RM_NOT_LOCAL;
    }
    result->v4.sin_family = AF_INET;
    result->v4.sin_port = htons((uint16_t)port);
    *size = sizeof result->v4;
    if (inet_pton(AF_INET, strcmp(name, "localhost") == 0 ? "127.0.0.1" : name, &result->v4.sin_addr) != 1)
        return length == 0 ? RM_INVALID_ENDPOINT : RM_NOT_LOCAL; /* the name of another machine */
    return ntohl(result->v4.sin_addr.s_addr) >> 24 == 127 ? RM_OK : RM_NOT_LOCAL;
}

static bool make_random(uint8_t *data, size_t size)
{
    int file = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    ssize_t count = file < 0 ? -1 : read(file, data, size);
    if (file >= 0)
        close(file);
    return count == (ssize_t)size;
}

/* Waits until a socket is ready. Returns false if the time is over. */
static bool wait_for(int descriptor, short events, uint64_t deadline)
{
    for (;;) {
        uint64_t now = now_ms();
        if (now >= deadline)
            return false;
        struct pollfd one = {descriptor, events, 0};
        if (poll(&one, 1, deadline - now > 1000000 ? 1000000 : (int)(deadline - now)) > 0)
            return true;
    }
}

static rm_status open_socket(rm_client *client, const address *to, socklen_t size, uint64_t deadline)
{
    int one = 1, error = 0;
    socklen_t error_size = sizeof error;
    client->socket = socket(to->any.sa_family, SOCK_STREAM, 0);
    if (client->socket < 0)
        return RM_SYSTEM;
    fcntl(client->socket, F_SETFD, FD_CLOEXEC);
    fcntl(client->socket, F_SETFL, O_NONBLOCK);
    if (to->any.sa_family != AF_UNIX)
        setsockopt(client->socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
#ifdef SO_NOSIGPIPE
    setsockopt(client->socket, SOL_SOCKET, SO_NOSIGPIPE, &one, sizeof one);
#endif
    while (connect(client->socket, &to->any, size) != 0) {
        if (errno == EAGAIN) { /* the queue of a Unix socket is full */
            if (now_ms() >= deadline)
                return RM_TIMED_OUT;
            poll(NULL, 0, 10);
        } else if (errno == EINPROGRESS || errno == EINTR) {
            if (!wait_for(client->socket, POLLOUT, deadline))
                return RM_TIMED_OUT;
            break;
        } else
            return RM_NO_CONNECTION;
    }
    return getsockopt(client->socket, SOL_SOCKET, SO_ERROR, &error, &error_size) == 0 && error == 0 ? RM_OK : RM_NO_CONNECTION;
}

/* Exchanges messages until the server has accepted. */
static rm_status run_handshake(rm_client *client, uint64_t deadline)
{
    client->state = STATE_HANDSHAKE;
    client->step = STEP_HELLO;
    rm_status status = make_random(client->nonce, sizeof client->nonce) ? send_hello(client, write_hello) : RM_SYSTEM;
    while (status == RM_OK && client->state == STATE_HANDSHAKE) {
        const uint8_t *message;
        size_t size;
        if (!flush(client))
            return RM_CONNECTION_LOST;
        status = take_frame(client, &message, &size);
        if (status == RM_OK)
            status = shake(client, message, size);
        else if (status == RM_INCOMPLETE) {
            status = RM_OK;
            short events = (short)(POLLIN | (client->out_start < client->out_end ? POLLOUT : 0));
            if (!wait_for(client->socket, events, deadline)) {
                client->reason = RM_REASON_HANDSHAKE_TIMEOUT;
                return RM_TIMED_OUT;
            }
            if (receive(client) == RECEIVED_END)
                return RM_CONNECTION_LOST;
        } else {
            client->reason = RM_REASON_NOT_A_PEER;
            return RM_REFUSED;
        }
    }
    return status;
}

/* Prepares the client for a connection over a connected socket, and makes the handshake. */
static rm_status start(rm_client *client, uint64_t deadline)
{
    client->reason = RM_REASON_CONNECTION_LOST;
    client->text[0] = 0;
    client->unreadable = 0;
    client->in_start = client->in_end = client->out_start = client->out_end = 0;
    memset(client->contracts, CONTRACT_UNKNOWN, client->config.contract_count);
    rm_status status = run_handshake(client, deadline);
    if (status == RM_OK) {
        client->last_poll = client->last_received = now_ms();
        client->next_ping = client->last_poll + RM_PING_INTERVAL;
        client->next_deadline = UINT64_MAX;
        return RM_OK;
    }
    if (client->socket >= 0)
        close(client->socket);
    client->socket = -1;
    client->state = STATE_IDLE;
    return status;
}

rm_status rm_connect(rm_client *client, const char *endpoint, uint32_t timeout_ms)
{
    address to;
    socklen_t size;
    if (client->state != STATE_IDLE)
        return RM_INVALID_ARGUMENT;
    rm_status status = parse_endpoint(endpoint, &to, &size);
    if (status != RM_OK)
        return status;
    if (to.any.sa_family != AF_UNIX && client->has_token && client->config.token_size < 16)
        return RM_WEAK_TOKEN;
    uint64_t deadline = now_ms() + timeout_ms;
    status = open_socket(client, &to, size, deadline);
    if (status == RM_OK)
        return start(client, deadline);
    if (client->socket >= 0)
        close(client->socket);
    client->socket = -1;
    return status;
}

/* ---- Published servers ------------------------------------------------------------------------------------------------------ */

/* Opens a file or folder that only this user can access. The checks use the open descriptor, so that another user cannot replace the path meanwhile. */
static rm_status open_private(int folder, const char *path, bool is_folder, int *opened)
{
    struct stat found;
    *opened = openat(folder, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (*opened < 0)
        return errno == ELOOP ? RM_NOT_PRIVATE : RM_UNKNOWN;
    if (fstat(*opened, &found) == 0 && (is_folder ? S_ISDIR(found.st_mode) : S_ISREG(found.st_mode)) && found.st_uid == geteuid() && (found.st_mode & 077) == 0)
        return RM_OK;
    close(*opened);
    return RM_NOT_PRIVATE;
}

/* Reads a whole file of less than the given size, and ends it with a zero byte. */
static bool read_file(int file, char *text, size_t capacity)
{
    size_t size = 0;
    for (;;) {
        ssize_t count = read(file, text + size, capacity - size);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0 || (size_t)count == capacity - size)
            return false;
        size += (size_t)count;
        if (count == 0) {
            text[size] = 0;
            return memchr(text, 0, size) == NULL;
        }
    }
}

/* Returns whether a process started at the time that field 22 of its stat says. An id may belong to another process later. */
static bool has_started_at(uint32_t process_id, const char *time)
{
    char path[32], text[1024];
    snprintf(path, sizeof path, "/proc/%u/stat", (unsigned)process_id);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    bool is_read = read_file(file, text, sizeof text);
    close(file);
    char *at = is_read ? strrchr(text, ')') : NULL;
    for (int field = 2; at != NULL && field < 22; field++)
        at = strchr(at + 1, ' ');
    if (at == NULL)
        return false;
    size_t size = strcspn(at + 1, " ");
    return strlen(time) == size && strncmp(at + 1, time, size) == 0;
}

static bool decode_base64(const char *text, uint8_t *data, size_t capacity, size_t *size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t bits = 0, count = 0;
    *size = 0;
    for (; *text != 0 && *text != '='; text++) {
        const char *digit = strchr(digits, *text);
        if (digit == NULL)
            return false;
        bits = bits << 6 | (uint32_t)(digit - digits);
        count += 6;
        if (count >= 8) {
            count -= 8;
            if (*size == capacity)
                return false;
            data[(*size)++] = (uint8_t)(bits >> count);
        }
    }
    return strspn(text, "=") == strlen(text);
}

/* Takes the next line of a text. Returns NULL at the end. */
static char *take_line(char **text)
{
    char *line = *text;
    size_t size = strcspn(line, "\n");
    if (*line == 0)
        return NULL;
    *text = line + size + (line[size] != 0);
    line[size] = 0;
    return line;
}

/* Reads an entry: the first address that this client can reach, and the token. */
static bool read_entry(uint32_t process_id, char *text, rm_server *server)
{
    char start[32], *line = take_line(&text);
    if (line == NULL || strcmp(line, "reloaded-messaging server 1") != 0 || (line = take_line(&text)) == NULL)
        return false;
    snprintf(start, sizeof start, "process %u ", (unsigned)process_id);
    if (strncmp(line, start, strlen(start)) != 0 || !has_started_at(process_id, line + strlen(start)))
        return false;
    while ((line = take_line(&text)) != NULL) {
        char kind[16], owner[8];
        unsigned port;
        int at = 0;
        if (strncmp(line, "token ", 6) == 0)
            return server->endpoint[0] != 0 && decode_base64(line + 6, server->token, sizeof server->token, &server->token_size);
        if (server->endpoint[0] != 0 || sscanf(line, "%15s %u %7s %n", kind, &port, owner, &at) != 3 || at == 0)
            continue;
        int size = 0;
        if (strcmp(kind, "Unix") == 0)
            size = snprintf(server->endpoint, sizeof server->endpoint, "unix://%s", line + at);
        else if (strcmp(kind, "Tcp") == 0)
            size = snprintf(server->endpoint, sizeof server->endpoint, strchr(line + at, ':') == NULL ? "tcp://%s:%u" : "tcp://[%s]:%u", line + at, port);
        if (size < 0 || (size_t)size >= sizeof server->endpoint)
            return false;
    }
    return false;
}

rm_status rm_find_server(uint32_t process_id, const char *name, rm_server *server)
{
    char path[256], entry[128], text[8192], user[1024];
    const char *runtime = getenv("XDG_RUNTIME_DIR"), *temporary = getenv("TMPDIR");
    int folder, servers, file, size;
    memset(server, 0, sizeof *server);
    if (runtime != NULL && runtime[0] == '/')
        size = snprintf(path, sizeof path, "%s/reloaded-messaging", runtime);
    else {
        struct passwd found, *result = NULL;
        if (getpwuid_r(geteuid(), &found, user, sizeof user, &result) != 0)
            return RM_SYSTEM;
        if (temporary == NULL)
            temporary = "/tmp";
        size = result != NULL ? snprintf(path, sizeof path, "%s/reloaded-messaging-%s", temporary, found.pw_name)
                              : snprintf(path, sizeof path, "%s/reloaded-messaging-%u", temporary, (unsigned)geteuid()); /* a user of a container */
    }
    if (size < 0 || (size_t)size >= sizeof path || strchr(name, '/') != NULL)
        return RM_INVALID_ARGUMENT;
    size = snprintf(entry, sizeof entry, "%s.%u", name, (unsigned)process_id);
    if (size < 0 || (size_t)size >= sizeof entry)
        return RM_INVALID_ARGUMENT;
    rm_status status = open_private(AT_FDCWD, path, true, &folder);
    if (status != RM_OK)
        return status;
    status = open_private(folder, "servers", true, &servers);
    close(folder);
    if (status != RM_OK)
        return status;
    status = open_private(servers, entry, false, &file);
    close(servers);
    if (status != RM_OK)
        return status;
    bool is_valid = read_file(file, text, sizeof text) && read_entry(process_id, text, server);
    close(file);
    clear(text, sizeof text);
    if (!is_valid)
        clear(server, sizeof *server);
    return is_valid ? RM_OK : RM_UNKNOWN;
}
