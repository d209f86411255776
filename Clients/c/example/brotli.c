/* Decompresses payloads by the library libbrotlidec (Debian: libbrotli1). The declarations are those of brotli/decode.h, so the headers
 * of the library are not needed. Link with -l:libbrotlidec.so.1. */
#include "brotli.h"

#include <string.h>

typedef struct BrotliDecoderStateStruct BrotliDecoderState;
BrotliDecoderState *BrotliDecoderCreateInstance(void *(*allocate)(void *, size_t), void (*release)(void *, void *), void *user);
int BrotliDecoderDecompressStream(BrotliDecoderState *state, size_t *input_size, const uint8_t **input, size_t *output_size, uint8_t **output, size_t *total);
void BrotliDecoderDestroyInstance(BrotliDecoderState *state);

bool decompress_brotli(void *user, const char *compressor, const uint8_t *input, size_t input_size, uint8_t *output, size_t size)
{
    enum { SUCCESS = 1 };
    BrotliDecoderState *state = strcmp(compressor, "brotli") == 0 ? BrotliDecoderCreateInstance(NULL, NULL, NULL) : NULL;
    (void)user;
    if (state == NULL)
        return false;
    int result = BrotliDecoderDecompressStream(state, &input_size, &input, &size, &output, NULL);
    BrotliDecoderDestroyInstance(state);
    return result == SUCCESS && input_size == 0 && size == 0; /* all input was used, and the output is full */
}
