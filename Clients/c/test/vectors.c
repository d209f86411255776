/* Answers each line of the standard input with a line, so that a test can compare this client with docs/vectors. Bytes are hexadecimal;
 * "-" stands for no bytes. The client's source is included, because some of its functions are not public. */
#include "../reloaded_messaging.c"
#define RM_CONTRACTS_IMPLEMENTATION
#include "contracts.h"

static const char *const verdicts[] = {"Ok", "Empty", "Truncated", "BadVarint", "ReservedBits", "ReservedKind", "NotShortest", "SizeOutOfRange"};

static char line[1 << 22];
static uint8_t bytes[3][1 << 20];

/* Takes the next word of the line. */
static char *word(void)
{
    char *found = strtok(NULL, " \n");
    if (found == NULL)
        exit(2);
    return found;
}

static size_t read_hex(const char *text, uint8_t *data)
{
    size_t size = 0;
    unsigned one;
    if (strcmp(text, "-") == 0)
        return 0;
    for (; text[0] != 0; text += 2) {
        if (sscanf(text, "%2x", &one) != 1)
            exit(2);
        data[size++] = (uint8_t)one;
    }
    return size;
}

/* A copy on the heap, so that the sanitizer sees a read behind its end. */
static uint8_t *exact(const uint8_t *data, size_t size)
{
    uint8_t *copied = malloc(size == 0 ? 1 : size);
    memcpy(copied, data, size);
    return copied;
}

static void print_hex(const uint8_t *data, size_t size)
{
    if (size == 0)
        printf("-");
    for (size_t i = 0; i < size; i++)
        printf("%02X", data[i]);
}

static void header_command(const uint8_t *message, size_t size)
{
    rm_header header;
    size_t at;
    rm_verdict verdict = rm_read_header(message, size, &header, &at);
    printf("%s", verdicts[verdict]);
    if (verdict == RM_VERDICT_OK) {
        uint8_t written[RM_MAX_HEADER];
        printf(" %u %d %u %s%u ", (unsigned)header.type, (int)header.kind, (unsigned)header.correlation, header.is_compressed ? "" : "!", (unsigned)header.size);
        print_hex(message + at, size - at);
        size_t count = rm_write_header(&header, written);
        printf(" %s", count == at && memcmp(written, message, at) == 0 ? "same" : "other");
    }
}

static void frames_command(const uint8_t *stream, size_t size, size_t limit, unsigned long most)
{
    rm_status status = RM_OK;
    const uint8_t *message;
    size_t length, at = 0;
    for (; most > 0 && (status = rm_read_frame(stream + at, size - at, limit, 0, &message, &length)) == RM_OK; most--) {
        print_hex(message, length);
        printf(" ");
        at = (size_t)(message - stream) + length;
    }
    printf("%s ", rm_status_name(status));
    print_hex(stream + at, size - at);
}

static void hello_command(const uint8_t *payload, size_t size)
{
    static uint32_t ids[RM_MAX_CONTRACTS];
    hello hello;
    rm_status status = read_hello(payload, size, &hello, ids);
    printf("%s", status == RM_OK ? "Ok" : status == RM_REFUSED ? "OtherVersion" : "Unreadable");
    if (status != RM_OK)
        return;
    printf(" %d %u ", hello.has_token, (unsigned)hello.max_message);
    print_hex(hello.nonce, 16);
    printf(" %d", hello.has_contracts);
}

static void encoding_command(const uint8_t *ours, size_t size, const uint8_t *theirs, size_t their_size)
{
    char own[100], here[DIFFERENCE_SIZE], there[DIFFERENCE_SIZE];
    rm_text text = {(const char *)theirs, (uint32_t)their_size};
    memcpy(own, ours, size);
    own[size] = 0;
    char *sign = strchr(own, '+');
    if (sign != NULL)
        *sign++ = 0;
    if (is_same_encoding(own, sign, text, here, there))
        printf("same");
    else
        printf("%s|%s", here, there);
}

/* Reads a payload and writes its value again. */
static void payload_command(uint32_t id, const uint8_t *payload, size_t size)
{
    static uint64_t value[512], memory[1 << 14];
    for (uint32_t i = 0; i < rm_contract_count; i++) {
        const rm_contract *contract = rm_contracts[i];
        if (contract->id != id)
            continue;
        size_t written;
        rm_status status = rm_unpack(contract, payload, size, value, memory, sizeof memory);
        printf("%s", rm_status_name(status));
        if (status == RM_OK) {
            printf(" %s ", rm_status_name(rm_pack(contract, value, bytes[2], sizeof bytes[2], &written)));
            print_hex(bytes[2], written);
        }
        return;
    }
    printf("unknown");
}

/* The mutated messages that docs/vectors/README.md specifies. */
static struct base { uint8_t *message; size_t size, header; } bases[256];
static size_t base_count;
static uint32_t random_state = 0x2545F491;

static uint32_t draw(uint32_t bound)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state % bound;
}

static size_t mutate(const struct base *base, uint8_t *message)
{
    size_t size = base->size;
    memcpy(message, base->message, size);
    for (uint32_t count = 1 + draw(3); count > 0; count--) {
        uint32_t operation = draw(5);
        size_t start = draw(8) == 0 ? 0 : base->header < size ? base->header : size;
        if (start == size)
            operation = 3;
        size_t position = start + draw((uint32_t)(size - start + (operation == 3)));
        if (operation == 0)
            message[position] ^= (uint8_t)(1u << draw(8));
        else if (operation == 1)
            message[position] = (uint8_t)draw(256);
        else if (operation == 2)
            size = position;
        else if (operation == 3) {
            memmove(message + position + 1, message + position, size++ - position);
            message[position] = (uint8_t)draw(256);
        } else
            memmove(message + position, message + position + 1, --size - position);
    }
    return size;
}

static uint8_t judge(const uint8_t *message, size_t size)
{
    static uint64_t value[512], memory[1 << 14];
    rm_header header;
    size_t at;
    if (rm_read_header(message, size, &header, &at) != RM_VERDICT_OK)
        return 1;
    if (header.kind > RM_KIND_REQUEST)
        return 2;
    for (size_t i = 0; i < base_count; i++) {
        rm_header known;
        size_t ignored;
        rm_read_header(bases[i].message, bases[i].size, &known, &ignored);
        if (known.type != header.type)
            continue;
        if (header.is_compressed)
            return 1;
        for (uint32_t j = 0; j < rm_contract_count; j++) {
            if (rm_contracts[j]->id == header.type)
                return rm_unpack(rm_contracts[j], message + at, size - at, value, memory, sizeof memory) == RM_OK ? 0 : 4;
        }
    }
    return 3;
}

static void mutations_command(void)
{
    uint8_t block[1000], hash[32];
    for (size_t i = 0; i < sizeof block; i++) {
        static size_t index;
        const struct base *base = &bases[index++ % base_count];
        size_t size = mutate(base, bytes[1]);
        uint8_t *message = exact(bytes[1], size);
        block[i] = judge(message, size);
        free(message);
    }
    rm_sha256(block, sizeof block, hash);
    print_hex(hash, sizeof hash);
}

/* Reads two keys of a type, and compares them. */
static void keys_command(const uint8_t *data, size_t size, const char *code, size_t second)
{
    rm_reader reader = {data, 0, size, NULL, 0, 0, RM_OK};
    uint32_t starts[2] = {(uint32_t)second, 0};
    rm_check_keys(&reader, starts, 2, code);
    printf("%s", reader.status == RM_OK ? "different" : "equal");
}

static void proof_command(char role, const uint8_t *token, size_t size, const uint8_t *nonces)
{
    rm_client client;
    uint8_t proof[32];
    memset(&client, 0, sizeof client);
    rm_set_token(&client, token, size);
    make_proof(&client, role, nonces, nonces + 16, proof);
    print_hex(proof, sizeof proof);
}

/* Writes the frame of a client's first hello, without contracts. */
static void hello_frame_command(const uint8_t *token, size_t size, const uint8_t *nonce)
{
    rm_config config = {0};
    size_t needed = rm_size(&config);
    void *memory = malloc(needed);
    rm_client *client = rm_create(&config, memory, needed);
    rm_set_token(client, token, size);
    memcpy(client->nonce, nonce, sizeof client->nonce);
    if (send_hello(client, write_hello) == RM_OK)
        print_hex(client->out, client->out_end);
    free(memory);
}

int main(void)
{
    while (fgets(line, sizeof line, stdin) != NULL) {
        const char *command = strtok(line, " \n");
        size_t size = strcmp(command, "mutations") == 0 ? 0 : read_hex(word(), bytes[0]), position = 0;
        uint8_t *data = exact(bytes[0], size);
        uint32_t number;
        rm_text text = {NULL, 0};
        if (strcmp(command, "uvarint") == 0) {
            rm_verdict verdict = rm_parse_uvarint(data, size, &position, &number);
            printf("%s", verdicts[verdict]);
            if (verdict == RM_VERDICT_OK)
                printf(" %u %d", (unsigned)number, position == size && put_uvarint(bytes[1], number) == size && memcmp(bytes[1], data, size) == 0);
        } else if (strcmp(command, "header") == 0)
            header_command(data, size);
        else if (strcmp(command, "frames") == 0) {
            size_t limit = strtoul(word(), NULL, 10);
            frames_command(data, size, limit, strtoul(word(), NULL, 10));
        } else if (strcmp(command, "hello") == 0)
            hello_command(data, size);
        else if (strcmp(command, "payload") == 0)
            payload_command((uint32_t)strtoul(word(), NULL, 10), data, size);
        else if (strcmp(command, "lz4") == 0) {
            size_t plain = strtoul(word(), NULL, 10);
            if (rm_decompress_lz4(data, size, bytes[1], plain))
                print_hex(bytes[1], plain);
            else
                printf("corrupt");
        } else if (strcmp(command, "fault") == 0) {
            if (!read_fault(data, size, &number, &text))
                printf("Unreadable");
            else {
                printf("Ok %u ", (unsigned)number);
                print_hex((const uint8_t *)text.data, text.size);
            }
        } else if (strcmp(command, "encoding") == 0) {
            size_t theirs = read_hex(word(), bytes[1]);
            encoding_command(data, size, bytes[1], theirs);
        } else if (strcmp(command, "proof") == 0) {
            char role = word()[0];
            read_hex(word(), bytes[1]);
            proof_command(role, data, size, bytes[1]);
        } else if (strcmp(command, "keys") == 0) {
            const char *code = word();
            keys_command(data, size, code, strtoul(word(), NULL, 10));
        } else if (strcmp(command, "helloframe") == 0) {
            read_hex(word(), bytes[1]);
            hello_frame_command(data, size, bytes[1]);
        } else if (strcmp(command, "base") == 0) {
            rm_header header;
            bases[base_count].size = size;
            bases[base_count].message = exact(data, size);
            rm_read_header(data, size, &header, &bases[base_count++].header);
            printf("ok");
        } else if (strcmp(command, "mutations") == 0)
            mutations_command();
        else
            exit(2);
        printf("\n");
        fflush(stdout);
        free(data);
    }
    for (size_t i = 0; i < base_count; i++)
        free(bases[i].message);
    return 0;
}
