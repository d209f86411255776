/* Gives hostile bytes to every part of the client that reads bytes. The first byte of an input chooses the part. Compile it with libFuzzer,
 * or with fuzz_driver.c. The client's source is included, because some of its functions are not public. */
#include "../reloaded_messaging.c"
#define RM_CONTRACTS_IMPLEMENTATION
#include "contracts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint8_t token[16] = "sixteen bytes...";
static uint64_t client_memory[1 << 17], value[512], memory[1 << 12];
static uint8_t packed[2][1 << 16], plain[1 << 16];

static void require(bool is_true)
{
    if (!is_true)
        abort();
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

/* A server sends the bytes, and closes. The program answers each request, and sends requests. */
static void run_connection(const uint8_t *data, size_t size, bool has_handshake, bool has_token)
{
    static const uint8_t handshake[] = {0x1D, 0x7F, 4, 0, 'R', 'L', 'M', '3', 1, 0, 0x80, 0x80, 0x40, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 1, 3, 0x7F, 4, 0};
    rm_config config = {0};
    config.contracts = rm_contracts;
    config.contract_count = rm_contract_count;
    config.max_message = 4096;
    config.send_capacity = 65536;
    config.max_requests = 4;
    config.token = token;
    config.token_size = has_token ? sizeof token : 0;
    int sockets[2];
    rm_client *client = rm_create(&config, client_memory, sizeof client_memory);
    require(client != NULL && socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0);
    for (uint32_t i = 0; i < rm_contract_count; i += 2)
        require(rm_handle(client, rm_contracts[i]) == RM_OK);
    client->socket = sockets[0];
    fcntl(sockets[0], F_SETFL, O_NONBLOCK);
    fcntl(sockets[1], F_SETFL, O_NONBLOCK);
    if (has_handshake)
        require(write(sockets[1], handshake, sizeof handshake) == (ssize_t)sizeof handshake);
    if (size > 0 && write(sockets[1], data, size) < 0)
        size = 0;
    shutdown(sockets[1], SHUT_WR);
    if (start(client, now_ms() + 5000) == RM_OK) {
        rm_event event;
        require(rm_is_connected(client));
        for (int i = 0; i < 3; i++)
            rm_request(client, &Shift_contract, &value, 5000, &event, NULL); /* their ids are 1 to 3 */
        for (int i = 0; rm_poll(client, &event); i++) {
            require(i < 100000);
            if (event.contract != NULL && (event.kind == RM_EVENT_MESSAGE || event.kind == RM_EVENT_REQUEST || event.kind == RM_EVENT_REPLY))
                rm_read(client, &event, value, memory, sizeof memory);
            if (event.kind == RM_EVENT_REQUEST && event.id % 3 == 0)
                rm_fault(client, event.id, 1000, "No.");
            if (event.kind == RM_EVENT_REQUEST && event.id % 3 == 1)
                rm_acknowledge(client, event.id);
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
    switch (data[0] % 6) {
    case 0:
        run_connection(bytes, size, true, false);
        break;
    case 1:
        run_connection(bytes, size, false, data[1] % 2 == 1);
        break;
    case 2:
    case 3:
        read_payload(rm_contracts[data[1] % rm_contract_count], bytes, size);
        break;
    case 4:
        rm_decompress_lz4(bytes, size, plain, (size_t)data[1] * 100);
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
