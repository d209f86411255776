/* A tool for the game of Examples/ModLoader, as an engine would have it: the client is polled in each tick, and a tick never waits for the game.
 * Usage: mod_tool PID. Clients/c/README.md shows how to compile it, and its output. */
#define _POSIX_C_SOURCE 200809L
#include "reloaded_messaging.h"

#include "brotli.h"
#define RM_CONTRACTS_IMPLEMENTATION
#include "mod_loader.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { TICK = 16, TIMEOUT = 5000, CONNECT_TIMEOUT = 5000, ROWS = 6, BURST = 60 };

static uint64_t list_memory[1 << 15]; /* for the lists and messages inside one reply */

static double now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1000 + (double)time.tv_nsec / 1e6;
}

/* Ends the program with the name of a status. */
static void require(rm_status status, rm_client *client, const char *what)
{
    if (status == RM_OK)
        return;
    printf("%s: %s", what, rm_status_name(status));
    if (status == RM_REFUSED)
        printf(" (%s: %s)", rm_reason_name(rm_reason(client)), rm_reason_text(client));
    printf("\n");
    exit(1);
}

static const char *state_name(ModState state)
{
    return state == ModState_Unloaded ? "Unloaded" : state == ModState_Running ? "Running" : state == ModState_Suspended ? "Suspended" : "unknown";
}

/* Prints a text of the game. Control characters cannot control the terminal. */
static void print_text(rm_text text)
{
    for (uint32_t i = 0; i < text.size; i++)
        putchar((unsigned char)text.data[i] < ' ' || text.data[i] == 0x7F ? '?' : text.data[i]);
}

static void print_column(rm_text text, int width)
{
    rm_text empty = rm_string("-");
    if (text.size == 0)
        text = empty;
    print_text(text);
    printf("%*s", width - (int)text.size, "");
}

/* Runs ticks until a request has ended. A real game would draw here, and handle the event when it arrives. Returns the number of ticks. */
static int run_ticks(rm_client *client, rm_event *event)
{
    for (int ticks = 0;; ticks++) {
        while (rm_poll(client, event)) {
            if (event->kind == RM_EVENT_REPLY || event->kind == RM_EVENT_FAULT || event->kind == RM_EVENT_FAILED)
                return ticks;
            if (event->kind == RM_EVENT_DISCONNECTED) {
                printf("The game has ended the connection: %s\n", rm_reason_name(event->code));
                exit(1);
            }
        }
        rm_wait(client, TICK); /* in place of drawing: it ends early when something arrives */
    }
}

static void list(rm_client *client)
{
    ListAsync request;
    ModList mods;
    rm_event event;
    double start = now_ms();
    ListAsync_init(&request);
    require(rm_request(client, &ListAsync_contract, &request, TIMEOUT, NULL, NULL), client, "list");
    run_ticks(client, &event);
    require(event.kind == RM_EVENT_REPLY ? rm_read(client, &event, &mods, list_memory, sizeof list_memory) : event.status, client, "list");
    printf("> %-36s %6.1f ms   %u mods of process %d: %zu bytes\n\n", "list", now_ms() - start, (unsigned)mods.Mods.count, (int)mods.ProcessId, event.size);
    printf("%-27s%-10s%-11s%s\n", "mod", "version", "state", "frames run");
    for (uint32_t i = 0; i < mods.Mods.count && i < ROWS; i++) {
        const ModEntry *mod = &mods.Mods.items[i];
        print_column(mod->Config->ModId, 27);
        print_column(mod->Config->ModVersion, 10);
        printf("%-11s%lld\n", state_name(mod->State), (long long)mod->Frames);
    }
    if (mods.Mods.count > ROWS)
        printf("and %u more\n", (unsigned)mods.Mods.count - ROWS);
    printf("\n");
}

/* Sets the state of a mod, and prints what the game says. */
static void set(rm_client *client, const char *verb, const char *mod, ModState state)
{
    SetAsync request;
    SetAsyncReply reply;
    rm_event event;
    char line[128];
    double start = now_ms();
    SetAsync_init(&request);
    request.mod = rm_string(mod);
    request.state = state;
    require(rm_request(client, &SetAsync_contract, &request, TIMEOUT, NULL, NULL), client, "set");
    run_ticks(client, &event);
    snprintf(line, sizeof line, "%s %s", verb, mod);
    printf("> %-36s %6.1f ms   ", line, now_ms() - start);
    if (event.kind == RM_EVENT_FAULT) {
        printf("FAULT %u: ", (unsigned)event.code);
        print_text(event.text);
        printf("\n");
        return;
    }
    require(event.kind == RM_EVENT_REPLY ? rm_read(client, &event, &reply, NULL, 0) : event.status, client, line);
    printf("%s -> %s\n", state_name(reply.Result), state_name(state));
}

/* Many requests wait for their replies at once. */
static void burst(rm_client *client)
{
    SetAsync request;
    rm_event event;
    int ticks = 0;
    double start = now_ms();
    SetAsync_init(&request);
    request.mod = rm_string("example.small");
    for (int i = 0; i < BURST; i++) {
        request.state = i % 2 == 0 ? ModState_Suspended : ModState_Running;
        require(rm_request(client, &SetAsync_contract, &request, TIMEOUT, NULL, NULL), client, "burst");
    }
    for (int i = 0; i < BURST; i++) {
        ticks += run_ticks(client, &event);
        require(event.kind == RM_EVENT_REPLY ? RM_OK : event.status, client, "burst");
    }
    printf("\n%d requests that waited at once were answered in %.1f ms, during %d ticks.\n\n", BURST, now_ms() - start, ticks);
}

int main(int count, char **arguments)
{
    rm_server game;
    rm_config config = {0};
    config.contracts = rm_contracts;
    config.contract_count = rm_contract_count;
    config.decompress = decompress_brotli;
    size_t size = rm_size(&config);
    rm_client *client = rm_create(&config, malloc(size), size);
    if (client == NULL || count != 2) {
        printf("Usage: mod_tool PID\n");
        return 2;
    }
    require(rm_find_server((uint32_t)strtoul(arguments[1], NULL, 10), "mod-loader", &game), client, "No game was found");
    require(rm_set_token(client, game.token, game.token_size), client, "token");
    double start = now_ms();
    require(rm_connect(client, game.endpoint, CONNECT_TIMEOUT), client, "The game refused the connection");
    printf("Connected to process %s after %.1f ms, over a Unix socket, with a token of %zu bytes. The client has %zu KiB of memory.\n\n", arguments[1], now_ms() - start, game.token_size, size / 1024);

    list(client);
    set(client, "load", "example.remote.server", ModState_Running);
    set(client, "load", "example.sharedlib.hooks", ModState_Running);
    set(client, "load", "example.remote.server", ModState_Running);
    set(client, "load", "example.small", ModState_Running);
    set(client, "unload", "example.sharedlib.hooks", ModState_Unloaded);
    set(client, "load", "example.voices.original", ModState_Running);
    set(client, "load", "example.of.nobody", ModState_Running);
    burst(client);
    list(client);

    rm_statistics statistics = rm_get_statistics(client);
    printf("%llu requests sent, %llu replies and faults received: %llu bytes sent, %llu received.\n", (unsigned long long)statistics.sent_messages,
        (unsigned long long)statistics.received_messages, (unsigned long long)statistics.sent_bytes, (unsigned long long)statistics.received_bytes);
    rm_destroy(client);
    free(client);
    return 0;
}
