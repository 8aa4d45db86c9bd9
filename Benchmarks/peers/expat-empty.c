/* Parses a file with expat and handlers that do nothing: the least that anybody who uses expat must spend. */
#include <expat.h>
#include <stdio.h>

static void start(void *user, const XML_Char *name, const XML_Char **attributes) {
    (void)user, (void)name, (void)attributes;
}

static void end(void *user, const XML_Char *name) {
    (void)user, (void)name;
}

int main(int argc, char **argv) {
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
    XML_Parser parser = XML_ParserCreate(NULL);
    if (!file || !parser) {
        fprintf(stderr, "usage: expat-empty FILE\n");
        return 64;
    }
    XML_SetElementHandler(parser, start, end);
    for (;;) {
        void *buffer = XML_GetBuffer(parser, 1 << 18);
        if (!buffer) return 1;
        size_t got = fread(buffer, 1, 1 << 18, file);
        if (XML_ParseBuffer(parser, (int)got, got == 0) != XML_STATUS_OK) {
            fprintf(stderr, "line %lu: %s\n", XML_GetCurrentLineNumber(parser),
                    XML_ErrorString(XML_GetErrorCode(parser)));
            return 1;
        }
        if (got == 0) break;
    }
    XML_ParserFree(parser);
    fclose(file);
    return 0;
}
