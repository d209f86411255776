/* A decompressor for rm_config. */
#ifndef BROTLI_H
#define BROTLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool decompress_brotli(void *user, const char *compressor, const uint8_t *input, size_t input_size, uint8_t *output, size_t size);

#endif
