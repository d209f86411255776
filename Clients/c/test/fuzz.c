/* Gives hostile bytes to every part of the client that reads bytes. The first byte of an input chooses the part. Compile it with libFuzzer,
 * or with fuzz_driver.c. The client's source is included, because some of its functions are not public. */
#include "../reloaded_messaging.c"
#define RM_CONTRACTS_IMPLEMENTATION
#include "contracts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t fuzz_seed(uint32_t number, uint8_t *data, size_t capacity);

static const uint8_t token[16] = "sixteen bytes...";
static uint64_t client_memory[1 << 17], value[512], memory[1 << 12];
static uint8_t packed[2][1 << 16], plain[1 << 16];

static rm_contract contracts[rm_contract_count]; /* every second one is compressed */
static const rm_contract *pointers[rm_contract_count];

static void require(bool is_true)
{
    if (!is_true)
        abort();
}

static rm_client *create_client(bool has_token)
{
    rm_config config = {0};
    for (uint32_t i = 0; i < rm_contract_count; i++) {
        contracts[i] = *rm_contracts[i];
        contracts[i].compressor = i % 2 == 0 ? "lz4" : NULL;
        pointers[i] = &contracts[i];
    }
    config.contracts = pointers;
    config.contract_count = rm_contract_count;
    config.max_message = 4096;
    config.send_capacity = 65536;
    config.max_requests = 4;
    config.token = token;
    config.token_size = has_token ? sizeof token : 0;
    rm_client *client = rm_create(&config, client_memory, sizeof client_memory);
    require(client != NULL);
    for (uint32_t i = 0; i < rm_contract_count; i += 2)
        require(rm_handle(client, pointers[i]) == RM_OK);
    return client;
}

/* Keys of a dictionary are compared without an error, whatever their type is. */
static void compare_keys_of(const uint8_t *data, size_t size, uint8_t choice)
{
    static const char *const codes[] = {"s", "f2", "f4", "f8", "d", "t", "to", "ts", "dd", "tt", "g", "b", "c2", "i16", "?s", "?(s:f4)", "(?i4:s)", "(f4f4)", "(s:(?t:d))", "i8"};
    const char *code = codes[choice % (sizeof codes / sizeof *codes)];
    uint32_t starts[64], sorted[64], count = 0;
    rm_reader reader = {data, 0, size, NULL, 0, 0, RM_OK};
    while (count < 64 && !rm_at_end(&reader)) {
        starts[count] = (uint32_t)reader.position;
        for (const char *at = code; *at != 0;) {
            char letter = *at;
            if (letter == '(' || letter == ')' || letter == ':') {
                at++;
                continue;
            }
            if (letter == '?') {
                const char *rest = at + 1;
                bool has_value = rm_read_b(&reader);
                at++;
                if (!has_value) {
                    skip_type(&rest);
                    at = rest;
                }
                continue;
            }
            size_t width = take_type(&at, &letter);
            if (letter == 's')
                rm_read_text(&reader, true);
            else if (letter == 'd')
                rm_read_decimal(&reader);
            else if (letter == 't')
                rm_read_time(&reader);
            else if (letter == 'o')
                rm_read_offset_time(&reader);
            else
                take_bytes(&reader, width);
        }
        if (reader.status != RM_OK)
            break;
        count++;
    }
    reader.status = RM_OK;
    bool has_equal = false;
    for (uint32_t i = 0; i < count; i++) {
        sorted[i] = starts[i];
        for (uint32_t j = 0; j < i; j++) {
            int forward = compare_keys(data, starts[i], starts[j], code), backward = compare_keys(data, starts[j], starts[i], code);
            has_equal |= forward == 0;
            require((forward > 0) == (backward < 0) && (forward < 0) == (backward > 0)); /* an order */
        }
    }
    rm_check_keys(&reader, sorted, count, code);
    require((reader.status != RM_OK) == has_equal);
}

/* What is read is written, and read again to the same bytes. */
static void read_payload(const rm_contract *contract, const uint8_t *data, size_t size)
{
    size_t first, second;
    if (rm_unpack(contract, data, size, value, memory, sizeof memory) != RM_OK || rm_pack(contract, value, packed[0], sizeof packed[0], &first) == RM_NO_MEMORY)
        return;
    require(rm_unpack(contract, packed[0], first, value, memory, sizeof memory) == RM_OK);
    require(rm_pack(contract, value, packed[1], sizeof packed[1], &second) == RM_OK);
    require(first == second && memcmp(packed[0], packed[1], first) == 0);
}

/* A server sends the bytes, and closes. The program answers requests with small ids, and sends requests. */
static void run_connection(const uint8_t *data, size_t size, bool has_handshake, bool has_token, bool waits)
{
    static const uint8_t handshake[] = {0x1D, 0x7F, 4, 0, 'R', 'L', 'M', '3', 1, 0, 0x80, 0x80, 0x40, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 1, 3, 0x7F, 4, 0};
    int sockets[2];
    rm_client *client = create_client(has_token);
    require(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0);
    client->socket = sockets[0];
    fcntl(sockets[0], F_SETFL, O_NONBLOCK);
    fcntl(sockets[1], F_SETFL, O_NONBLOCK);
    if (has_handshake)
        require(write(sockets[1], handshake, sizeof handshake) == (ssize_t)sizeof handshake);
    if (size > 0 && write(sockets[1], data, size) < 0)
        size = 0;
    if (!waits)
        shutdown(sockets[1], SHUT_WR);
    if (start(client, now_ms() + (waits ? 1 : 5000)) == RM_OK) {
        rm_event event;
        require(rm_is_connected(client));
        for (int i = 0; i < 3; i++)
            rm_request(client, &Shift_contract, &value, i == 1 ? 0 : 5000, &event, NULL); /* their ids are 1 to 3, and the time of one is over */
        rm_cancel(client, 3);
        for (int i = 0; rm_is_connected(client) || client->state == STATE_ENDED; i++) {
            require(i < 100000);
            if (!rm_poll(client, &event)) {
                rm_wait(client, 0);
                if (i % 2 == 1)
                    client->next_ping = 0;
                if (i > 2)
                    shutdown(sockets[1], SHUT_WR);
                continue;
            }
            if (event.contract != NULL && (event.kind == RM_EVENT_MESSAGE || event.kind == RM_EVENT_REQUEST || event.kind == RM_EVENT_REPLY))
                rm_read(client, &event, value, memory, sizeof memory);
            if (event.kind == RM_EVENT_REQUEST && event.id < 8 && event.id % 3 == 0)
                rm_fault(client, event.id, 1000, "No.");
            if (event.kind == RM_EVENT_REQUEST && event.id < 8 && event.id % 3 == 1)
                rm_acknowledge(client, event.id);
            if (event.kind == RM_EVENT_REQUEST && event.id < 8 && event.id % 3 == 2)
                rm_reply(client, event.id, event.contract, value);
            if (event.kind == RM_EVENT_CANCELED)
                rm_fault(client, event.id, RM_FAULT_CANCELED, "");
            if (event.kind == RM_EVENT_FAULT)
                require(is_utf8((const uint8_t *)event.text.data, event.text.size));
        }
    }
    require(is_utf8((const uint8_t *)rm_reason_text(client), strlen(rm_reason_text(client))));
    rm_destroy(client);
    close(sockets[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 3)
        return 0;
    uint8_t *copied = malloc(size - 2); /* its end is watched */
    const uint8_t *bytes = copied;
    memcpy(copied, data + 2, size - 2);
    size -= 2;
    switch (data[0] % 7) {
    case 0:
        run_connection(bytes, size, true, false, data[1] % 2 == 1);
        break;
    case 1:
        run_connection(bytes, size, false, data[1] % 2 == 1, false);
        break;
    case 2:
    case 3:
        read_payload(rm_contracts[data[1] % rm_contract_count], bytes, size);
        break;
    case 4:
        rm_decompress_lz4(bytes, size, plain, (size_t)data[1] * 100);
        break;
    case 5:
        compare_keys_of(bytes, size, data[1]);
        break;
    default: {
        static uint32_t ids[RM_MAX_CONTRACTS];
        rm_header header;
        hello hello;
        size_t at;
        uint32_t code;
        rm_text text;
        uint8_t written[RM_MAX_HEADER];
        if (rm_read_header(bytes, size, &header, &at) == RM_VERDICT_OK)
            require(rm_write_header(&header, written) == at && memcmp(written, bytes, at) == 0);
        read_hello(bytes, size, &hello, ids);
        read_fault(bytes, size, &code, &text);
        break;
    }
    }
    free(copied);
    return 0;
}

/* Writes an input to begin with: all contracts with their defaults, in each part that reads messages. Returns 0 after the last one. */
size_t fuzz_seed(uint32_t number, uint8_t *data, size_t capacity)
{
    rm_client *client = create_client(false);
    uint32_t index = number / 3;
    if (index >= rm_contract_count)
        return 0;
    const rm_contract *contract = pointers[index];
    rm_header header = {contract->id, number % 3 == 0 ? RM_KIND_EVENT : number % 3 == 1 ? RM_KIND_REQUEST : RM_KIND_REPLY, 1, false, 0};
    content message = {contract, value, NULL, 0, NULL};
    rm_unpack(contract, NULL, 0, value, NULL, 0); /* the defaults */
    if (number % 3 == 0) /* a handshake with some contracts, and an event */
        for (uint32_t i = 0; i < rm_contract_count; i++)
            client->is_handled[i] = i / 8 == index / 8;
    data[0] = number % 3 == 0 ? 1 : 0;
    data[1] = (uint8_t)(number % 2);
    if (number % 3 == 0 && (send_hello(client, write_hello) != RM_OK || send_hello(client, write_contracts) != RM_OK))
        return 2;
    send_answer(client, RM_KIND_CONTROL, OP_HELLO, 0, NULL, 0);
    if (number % 3 != 0)
        client->out_end = 0;
    append(client, &header, &message, client->out_capacity);
    send_cancel(client, 1);
    size_t size = client->out_end < capacity - 2 ? client->out_end : capacity - 2;
    memcpy(data + 2, client->out, size);
    return 2 + size;
}
