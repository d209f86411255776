/* A small fuzzer for systems without libFuzzer: it mutates inputs, and keeps those that reach new code. fuzz.c is compiled with
 * -fsanitize-coverage=trace-pc, this file is not. Usage: fuzz SECONDS [SEED]. An input that fails is printed in hexadecimal. */
#define _POSIX_C_SOURCE 200809L
#include <sanitizer/common_interface_defs.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t fuzz_seed(uint32_t number, uint8_t *data, size_t capacity);
void __sanitizer_cov_trace_pc(void);

enum { MAX_INPUT = 6000, MAX_CORPUS = 20000, MAP = 1 << 16 };

static struct input { uint8_t *data; size_t size; } corpus[MAX_CORPUS];
static size_t corpus_count;
static uint8_t hits[MAP], seen[MAP], current[MAX_INPUT];
static size_t current_size, reached;
static uint64_t random_state;

void __sanitizer_cov_trace_pc(void)
{
    uintptr_t from = (uintptr_t)__builtin_return_address(0);
    uint8_t *hit = &hits[(from ^ from >> 16) % MAP];
    *hit += *hit < 255;
}

static uint32_t draw(uint32_t bound)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)(random_state >> 16) % bound;
}

static void print_input(void)
{
    fprintf(stderr, "The input that failed: ");
    for (size_t i = 0; i < current_size; i++)
        fprintf(stderr, "%02X", current[i]);
    fprintf(stderr, "\n");
}

static void print_and_end(int number)
{
    print_input();
    _Exit(128 + number);
}

/* Runs the current input, and keeps it if it reaches new code, or code much more often. */
static void run(void)
{
    memset(hits, 0, sizeof hits);
    LLVMFuzzerTestOneInput(current, current_size);
    int is_new = 0;
    for (size_t i = 0; i < MAP; i++) {
        if (hits[i] == 0)
            continue;
        uint8_t often = hits[i] < 2 ? 1 : hits[i] < 4 ? 2 : hits[i] < 16 ? 4 : hits[i] < 128 ? 8 : 16;
        if ((seen[i] & often) == 0) {
            reached += seen[i] == 0;
            seen[i] |= often;
            is_new = 1;
        }
    }
    if (is_new && corpus_count < MAX_CORPUS) {
        struct input *kept = &corpus[corpus_count++];
        kept->size = current_size;
        kept->data = malloc(current_size + 1);
        memcpy(kept->data, current, current_size);
    }
}

static void mutate(void)
{
    static const uint8_t interesting[] = {0, 1, 2, 3, 4, 0x7E, 0x7F, 0x80, 0xFF, 0x0F, 0x20, 0x83, 0x40};
    for (uint32_t count = 1 + draw(8); count > 0; count--) {
        size_t at = current_size == 0 ? 0 : draw((uint32_t)current_size), length = 1 + draw(16);
        switch (draw(7)) {
        case 0:
            if (current_size > 0)
                current[at] ^= (uint8_t)(1u << draw(8));
            break;
        case 1:
            if (current_size > 0)
                current[at] = draw(2) ? (uint8_t)draw(256) : interesting[draw(sizeof interesting)];
            break;
        case 2: /* insert */
            if (current_size + length > MAX_INPUT)
                break;
            memmove(current + at + length, current + at, current_size - at);
            for (size_t i = 0; i < length; i++)
                current[at + i] = draw(2) ? (uint8_t)draw(256) : interesting[draw(sizeof interesting)];
            current_size += length;
            break;
        case 3: /* remove */
            if (length > current_size - at)
                length = current_size - at;
            memmove(current + at, current + at + length, current_size - at - length);
            current_size -= length;
            break;
        case 4: /* repeat a part at the end */
            if (length > current_size - at)
                length = current_size - at;
            if (current_size + length > MAX_INPUT)
                break;
            memmove(current + current_size, current + at, length);
            current_size += length;
            break;
        case 5: { /* append or insert a part of another input */
            const struct input *other = &corpus[draw((uint32_t)corpus_count)];
            if (other->size < 3)
                break;
            size_t from = 2 + draw((uint32_t)other->size - 2);
            length = 1 + draw((uint32_t)(other->size - from));
            if (length > other->size - from || current_size + length > MAX_INPUT)
                break;
            if (draw(2))
                at = current_size;
            memmove(current + at + length, current + at, current_size - at);
            memcpy(current + at, other->data + from, length);
            current_size += length;
            break;
        }
        default: /* change a small number by one */
            if (current_size > 0)
                current[at] = (uint8_t)(current[at] + (draw(2) ? 1 : 255));
            break;
        }
    }
}

/* Adds the inputs to begin with: the frames and payloads of Clients/docs/write-a-client.md and docs/specification/binary-format.md. */
static void add_seeds(void)
{
    static const char *const seeds[] = {
        "0000 0303AABB 047F01032A 037F007F", "0000 0B7F04010102030405060708 0B7F04020102030405060708", "0000 0D7F01C880010700000000", "0000 0D040000803F0000004000004040", "0000 087F0202072A000000",
        "0000 087F02C080FCFF0F01", "0000 047F010409 047F010409 047F040409 047F01040A 047F01040B 047F01040C 047F01040D", "0000 107F030401024E6F2068616E646C65722E", "0000 067F0304010205", "0000 047F040407 047F040300", "0000 107F0304 0208024E6F2E",
        "0000 0C7F02A080FCFF0F0101000000", "0000 087F0400 0101010101", "0000 1083190000001FAA01000050AAAAAAAAAA",
        "0100 1D7F0400524C4D330100808040101112131415161718191A1B1C1D1E1F01 037F0400 0303AABB", "0100 047F040300", "0101 297F0400524C4D330101808040101112131415161718191A1B1C1D1E1F02FFFFFFFF0F01010000000001",
        "0600 524C4D330100808040101112131415161718191A1B1C1D1E1F03011E52656C6F616465642E4D6573736167696E672E54657374732E50696E670762696E61727901000000025798147C01000000031E52656C6F616465642E4D6573736167696E672E54657374732E4E6F74650762696E617279010000000231FCFD0A01000000",
        "0419 1FAA01000050AAAAAAAAAA", "0402 20AABB", "0200 0000803F0000004000004040", "0200 036869 0105000000", "0200 01050500000003030261C8010200", "0200 0302610100000002620200 0000", "0200 0E07000000000000F03F04726564",
        "0200 030D0000803F00000040000040400D000080400000A0400000C040", "0200 01010101010101010101010101010101", "0600 E807 4E6F", "0500 0361620361620461626301020304050607080000", "0600 FF01FFFFFFFF0FFFFFFFFF0FFFFFFFFF07",
    };
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++) {
        for (unsigned contract = 0; contract < (seeds[i][1] == '2' ? 64u : seeds[i][1] == '5' ? 20u : 1u); contract++) {
            unsigned one;
            current_size = 0;
            for (const char *at = seeds[i]; *at != 0; at += 2) {
                while (*at == ' ')
                    at++;
                if (sscanf(at, "%2x", &one) == 1)
                    current[current_size++] = (uint8_t)one;
            }
            current[1] = (uint8_t)(current[1] + contract);
            run();
        }
    }
}

static void add_own_seeds(void)
{
    for (uint32_t i = 0; (current_size = fuzz_seed(i, current, sizeof current)) > 0; i++)
        run();
}

int main(int count, char **arguments)
{
    if (count < 2)
        return 2;
    random_state = count > 2 ? strtoull(arguments[2], NULL, 10) : 0;
    random_state = random_state * 2 + 0x9E3779B97F4A7C15u;
    time_t end = time(NULL) + atol(arguments[1]);
    uint64_t runs = 0;
    __sanitizer_set_death_callback(print_input);
    signal(SIGABRT, print_and_end);
    signal(SIGPIPE, SIG_IGN);
    add_seeds();
    add_own_seeds();
    while (time(NULL) < end) {
        const struct input *base = &corpus[draw((uint32_t)corpus_count)];
        memcpy(current, base->data, base->size);
        current_size = base->size;
        mutate();
        run();
        runs++;
    }
    printf("%llu inputs, of which %zu were kept; %zu places of the code reached\n", (unsigned long long)runs, corpus_count, reached);
    for (size_t i = 0; i < corpus_count; i++)
        free(corpus[i].data);
    return 0;
}
