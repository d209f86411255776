/* Connects to the server of Reloaded.Messaging.Tests.PeerProcess, and prints a line for each step. A test compares the lines, and the
 * names of the steps with Clients/live-tests.json.
 * Usage: live ENDPOINT TOKEN, with the token in hexadecimal or "none"; or live observe ENDPOINT [TOKEN], to print all that happens. */
#define _POSIX_C_SOURCE 200809L
#include "reloaded_messaging.h"

#include "../example/brotli.h"
#define RM_CONTRACTS_IMPLEMENTATION
#include "contracts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONG = 30000 };

static uint64_t memory[1 << 16];
static char large[1 << 20];

static void require(bool is_true, const char *what)
{
    if (!is_true) {
        printf("wrong: %s\n", what);
        exit(1);
    }
}

/* Ends a step that Clients/live-tests.json lists. */
static void passed(const char *name) { printf("passed: %s\n", name); }

/* Waits for the next event. */
static rm_event next(rm_client *client)
{
    rm_event event;
    while (!rm_poll(client, &event)) {
        require(rm_is_connected(client), "connected");
        rm_wait(client, 1000);
    }
    return event;
}

static rm_event request(rm_client *client, const rm_contract *contract, const void *value, uint32_t timeout)
{
    require(rm_request(client, contract, value, timeout, memory, NULL) == RM_OK, contract->name);
    rm_event event = next(client);
    require(event.kind == RM_EVENT_REQUEST || event.user == memory, "user");
    return event;
}

static void print_end(const rm_event *event, const char *name)
{
    if (event->kind == RM_EVENT_FAULT)
        printf("%s: fault %u %.*s\n", name, (unsigned)event->code, (int)event->text.size, event->text.data);
    else if (event->kind == RM_EVENT_FAILED)
        printf("%s: %s\n", name, rm_status_name(event->status));
    else if (event->kind == RM_EVENT_DISCONNECTED)
        printf("%s: %s %.*s\n", name, rm_reason_name(event->code), (int)event->text.size, event->text.data);
    else
        printf("%s: event %d of %s with %zu bytes\n", name, (int)event->kind, event->contract == NULL ? "no contract" : event->contract->name, event->size);
}

static void sum(rm_client *client)
{
    int64_t numbers[] = {1, 2, -(INT64_C(1) << 62)};
    Sum value;
    Total total;
    Sum_init(&value);
    value.Numbers.items = numbers;
    value.Numbers.count = 3;
    rm_event event = request(client, &Sum_contract, &value, LONG);
    require(event.kind == RM_EVENT_REPLY && event.contract == &Total_contract && rm_read(client, &event, &total, memory, sizeof memory) == RM_OK, "Total");
    printf("Sum: %lld, mean %d %08X%08X%08X %08X, at %lld\n", (long long)total.Value, total.Mean.has_value, (unsigned)total.Mean.value.high, (unsigned)total.Mean.value.middle,
        (unsigned)total.Mean.value.low, (unsigned)total.Mean.value.flags, (long long)total.At.ticks);
    passed("a request gets its reply");

    value.Numbers.count = 1;
    for (numbers[0] = 0; numbers[0] < 64; numbers[0]++)
        require(rm_request(client, &Sum_contract, &value, LONG, memory + numbers[0], NULL) == RM_OK, "64 requests");
    for (int i = 0; i < 64; i++) {
        event = next(client);
        require(rm_read(client, &event, &total, NULL, 0) == RM_OK && total.Value == (uint64_t *)event.user - memory, "the own reply");
    }
    passed("many requests get their own replies");
}

static void shout(rm_client *client)
{
    char text[32];
    Shout value, got;
    Shout_init(&value);
    require(value.Times == 1, "default");
    value.Times = 2;
    for (int i = 0; i < 100; i++) {
        snprintf(text, sizeof text, "%d \303\237\342\202\254\360\237\230\200", i);
        value.Text = rm_string(text);
        require(rm_send(client, &Shout_contract, &value) == RM_OK, "send");
    }
    for (int i = 0; i < 200; i++) {
        rm_event event = next(client);
        require(event.kind == RM_EVENT_MESSAGE && rm_read(client, &event, &got, NULL, 0) == RM_OK, "Shout");
        int length = snprintf(text, sizeof text, "%d \303\237\342\202\254\360\237\230\200", i / 2);
        require((int)got.Text.size == length && strncmp(got.Text.data, text, got.Text.size) == 0, "the order of events");
    }
    passed("events come back in order");
    value.Text = rm_string("\355\240\200"); /* half of a surrogate pair */
    printf("Shout: %s\n", rm_status_name(rm_send(client, &Shout_contract, &value)));
    memset(large, 'x', sizeof large);
    value.Text = (rm_text){large, sizeof large};
    require(rm_send(client, &Shout_contract, &value) == RM_TOO_LARGE && rm_is_connected(client), "too large");
    passed("a message above the limit is refused here");

    Sum request;
    Count stream;
    Sum_init(&request);
    Count_init(&stream);
    require(rm_send(client, &Sum_contract, &request) == RM_INVALID_VALUE && rm_send(client, &Count_contract, &stream) == RM_INVALID_VALUE, "requests");
    passed("a request is not sent as an event");
}

/* The server asks this side while it answers. */
static void ask_back(rm_client *client, bool is_refused)
{
    AskBack value;
    Question question;
    Answer answer;
    AskBack_init(&value);
    value.Number = 21;
    rm_event event = request(client, &AskBack_contract, &value, LONG);
    require(event.kind == RM_EVENT_REQUEST && event.contract == &Question_contract && rm_read(client, &event, &question, NULL, 0) == RM_OK, "Question");
    Answer_init(&answer);
    answer.Number = 2 * question.Number;
    answer.ProcessId = -1;
    uint32_t id = event.id;
    rm_status status = is_refused ? rm_fault(client, id, 1000, "Not now.") : rm_reply(client, id, &Answer_contract, &answer);
    require(status == RM_OK && rm_fault(client, id, 1000, "") == RM_UNKNOWN, "one answer");
    event = next(client);
    if (event.kind != RM_EVENT_REPLY)
        print_end(&event, "AskBack");
    else {
        require(rm_read(client, &event, &answer, NULL, 0) == RM_OK, "Answer");
        printf("AskBack: %d %d\n", (int)answer.Number, (int)answer.ProcessId);
    }
    passed(is_refused ? "a failing handler of the client is a fault for the server" : "the server asks back while it is asked");

    require(rm_request(client, &AskBack_contract, &value, LONG, NULL, &id) == RM_OK, "AskBack");
    event = next(client);
    uint32_t asked = event.id;
    require(event.kind == RM_EVENT_REQUEST && rm_cancel(client, id) == RM_OK, "cancel");
    event = next(client);
    require(event.kind == RM_EVENT_CANCELED && event.id == asked && rm_fault(client, asked, RM_FAULT_CANCELED, "") == RM_OK, "canceled");
    passed("a handler sees that the server cancels its request");
}

static void faults(rm_client *client)
{
    Fail fail;
    Answer answer;
    Fail_init(&fail);
    fail.Code = 1234;
    fail.Text = rm_string("No: \303\237");
    rm_event event = request(client, &Fail_contract, &fail, LONG);
    print_end(&event, "Fail");
    fail.Code = 0;
    event = request(client, &Fail_contract, &fail, LONG);
    print_end(&event, "Fail");
    event = request(client, &Question_contract, &(Question){0}, LONG);
    print_end(&event, "Question");
    Answer_init(&answer);
    passed("faults have their code and text");
    event = request(client, &Answer_contract, &answer, LONG);
    print_end(&event, "Answer");
    passed("a request without a reply is acknowledged");
}

static void lines(rm_client *client, bool has_brotli)
{
    Repeat repeat;
    Lines got;
    Repeat_init(&repeat);
    repeat.Text = rm_string("again and again");
    repeat.Count = 1000;
    rm_event event = request(client, &Repeat_contract, &repeat, LONG);
    if (!has_brotli) {
        print_end(&event, "Repeat");
        return;
    }
    require(event.kind == RM_EVENT_REPLY && rm_read(client, &event, &got, memory, 1000) == RM_NO_MEMORY, "too little memory");
    require(rm_read(client, &event, &got, memory, sizeof memory) == RM_OK, "Lines");
    for (uint32_t i = 0; i < got.Text.count; i++)
        require(got.Text.items[i].size == 15, "a line");
    printf("Repeat: %u lines\n", (unsigned)got.Text.count);
    passed("a compressed reply is read");
}

static void unanswered(rm_client *client)
{
    Wait wait;
    Count count;
    uint32_t id;
    Wait_init(&wait);
    rm_event event = request(client, &Wait_contract, &wait, 50);
    print_end(&event, "Wait");
    require(rm_request(client, &Wait_contract, &wait, LONG, NULL, &id) == RM_OK, "Wait");
    printf("Cancel: %s, ", rm_status_name(rm_cancel(client, id)));
    printf("%s\n", rm_status_name(rm_cancel(client, id)));
    passed("a late request is canceled");
    Count_init(&count);
    count.To = 3;
    event = request(client, &Count_contract, &count, LONG);
    print_end(&event, "Count");
    for (int i = 0; i < 64; i++) /* the server's streams are limited, so each was closed */
        require(request(client, &Count_contract, &count, LONG).status == RM_STREAM, "Count");
    passed("a request for a stream is refused, and the stream is closed");
    for (int i = 0; i < 64; i++)
        require(rm_request(client, &Wait_contract, &wait, LONG, NULL, NULL) == RM_OK, "64 requests");
    printf("The 65th request: %s\n", rm_status_name(rm_request(client, &Wait_contract, &wait, LONG, NULL, NULL)));
}

/* The server disconnects this side while requests wait. */
static void leave(rm_client *client)
{
    Leave value;
    int failed = 0;
    Leave_init(&value);
    value.Reason = rm_string("Out: \303\237");
    require(rm_send(client, &Leave_contract, &value) == RM_OK, "Leave");
    rm_event event = next(client);
    for (; event.kind == RM_EVENT_FAILED; failed++)
        event = next(client);
    printf("Requests that failed: %d\n", failed);
    print_end(&event, "Leave");
    passed("a kick has its reason");
    printf("Afterwards: %s, %d\n", rm_status_name(rm_send(client, &Leave_contract, &value)), rm_poll(client, &event));
}

/* Contracts that differ from those of the server. */
static void differences(const rm_config *base, void *block, size_t size, const char *endpoint)
{
    rm_contract other = Sum_contract;
    const rm_contract *contracts[] = {&other, &Total_contract, &Shout_contract};
    rm_config config = {.contracts = contracts, .contract_count = 3, .token = base->token, .token_size = base->token_size};
    Sum value;
    other.version = 2;
    Sum_init(&value);
    for (int handles = 0; handles < 2; handles++) {
        rm_client *client = rm_create(&config, block, size);
        if (handles)
            require(rm_handle(client, &other) == RM_OK, "handle");
        rm_status status = rm_connect(client, endpoint, LONG);
        printf("Version 2: %s", rm_status_name(status));
        if (status == RM_OK)
            printf(", %s\n", rm_status_name(rm_request(client, &other, &value, LONG, NULL, NULL)));
        else
            printf(", %s: %s\n", rm_reason_name(rm_reason(client)), rm_reason_text(client));
        passed(handles ? "another contract of a handler is refused at connect" : "another contract is refused when it is sent");
        rm_destroy(client);
    }
    static const uint64_t shape[] = {UINT64_C(0x0000000112345678)};
    other.version = 1;
    other.shape = shape;
    rm_client *client = rm_create(&config, block, size);
    require(rm_connect(client, endpoint, LONG) == RM_OK, "connect");
    printf("Other field: %s, %s\n", rm_status_name(rm_request(client, &other, &value, LONG, NULL, NULL)), rm_status_name(rm_send(client, &Leave_contract, &value)));
    rm_destroy(client);

    rm_contract sum = Sum_contract;
    other = Total_contract;
    other.version = 2;
    sum.reply = contracts[1] = &other;
    contracts[0] = &sum;
    client = rm_create(&config, block, size);
    require(rm_connect(client, endpoint, LONG) == RM_OK, "connect");
    printf("Other reply: %s\n", rm_status_name(rm_request(client, &sum, &value, LONG, NULL, NULL)));
    passed("another contract of a reply is refused");
    rm_destroy(client);
}

/* Prints everything until the end of the connection. */
static int observe(rm_client *client, const char *endpoint)
{
    rm_status status = rm_connect(client, endpoint, LONG);
    rm_event event;
    if (status != RM_OK) {
        printf("connect: %s %s %s\n", rm_status_name(status), rm_reason_name(rm_reason(client)), rm_reason_text(client));
        return 0;
    }
    Wait wait;
    Wait_init(&wait);
    require(rm_request(client, &Wait_contract, &wait, LONG, NULL, NULL) == RM_OK, "Wait"); /* its id is 1 */
    do {
        event = next(client);
        print_end(&event, "observe");
    } while (event.kind != RM_EVENT_DISCONNECTED);
    rm_statistics statistics = rm_get_statistics(client);
    printf("unreadable %u, unhandled %u\n", (unsigned)statistics.unreadable_messages, (unsigned)statistics.unhandled_messages);
    return 0;
}

int main(int count, char **arguments)
{
    static uint8_t token[64];
    rm_config config = {0};
    if (count < 3)
        return 2;
    bool observes = strcmp(arguments[1], "observe") == 0;
    const char *endpoint = arguments[observes ? 2 : 1];
    config.contracts = rm_contracts;
    config.contract_count = rm_contract_count;
#ifndef WITHOUT_BROTLI
    config.decompress = decompress_brotli;
#endif
    size_t size = rm_size(&config);
    void *block = malloc(size);
    rm_client *client = rm_create(&config, block, size);
    require(client != NULL && rm_create(&config, block, size - 1) == NULL, "create");
    require(rm_handle(client, &Shout_contract) == RM_OK && rm_handle(client, &Question_contract) == RM_OK, "handle");
    const char *secret = count > 3 ? arguments[3] : observes ? "none" : arguments[2];
    if (strcmp(secret, "none") != 0) {
        for (const char *at = secret; *at != 0 && config.token_size < sizeof token; at += 2)
            token[config.token_size++] = (uint8_t)strtoul((char[]){at[0], at[1], 0}, NULL, 16);
        require(rm_set_token(client, token, config.token_size) == RM_OK, "token");
    }
    if (observes) {
        int result = observe(client, endpoint);
        rm_destroy(client);
        free(block);
        return result;
    }
    config.token = token;
    for (int round = 0; round < 2; round++) { /* a client connects again */
        require(rm_connect(client, endpoint, LONG) == RM_OK && rm_is_connected(client), "connect");
        sum(client);
        shout(client);
        ask_back(client, round == 1);
        faults(client);
        lines(client, config.decompress != NULL);
        unanswered(client);
        leave(client);
    }
    rm_destroy(client);
    differences(&config, block, size, endpoint);
    token[0] ^= 1;
    if (config.token_size == 0)
        config.token_size = 32;
    client = rm_create(&config, block, size);
    rm_status status = rm_connect(client, endpoint, LONG);
    printf("Wrong token: %s, %s\n", rm_status_name(status), rm_reason_name(rm_reason(client)));
    passed("another token is refused");
    config.token_size = 15;
    client = rm_create(&config, block, size);
    printf("15 bytes: %s\n", rm_status_name(rm_connect(client, endpoint, LONG)));
    printf("Endpoints: %s, %s, %s, %s\n", rm_status_name(rm_connect(client, "tcp://192.0.2.1:5000", 10)), rm_status_name(rm_connect(client, "tcp://game.example:5000", 10)),
        rm_status_name(rm_connect(client, "udp://127.0.0.1:5000", 10)), rm_status_name(rm_connect(client, "unix:///none/such", 10)));
    rm_destroy(client);
    free(block);
    return 0;
}
