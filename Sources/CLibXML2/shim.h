// libxml2's HTML parser as a stream of events; its structure of two dozen functions is filled here.
//
// The library is loaded when the first page is read. It needs ICU, 36 MB, which a service without previews should neither install nor map.
#ifndef DESKGATE_CLIBXML2_SHIM_H
#define DESKGATE_CLIBXML2_SHIM_H

#include <dlfcn.h>
#include <iconv.h>
#include <libxml/xmlversion.h>
// ICU's types, which stand in structures that are not used here, would collide with those of the ICU in Swift's Foundation.
#undef LIBXML_ICU_ENABLED
#include <libxml/HTMLparser.h>
#include <stdbool.h>

#pragma clang assume_nonnull begin

// Writes at most so many bytes of the document; how many, or 0 at the end.
typedef int (*shim_HTMLReader)(void *_Nullable context, char *bytes, int count);

// An element begins. The attributes are names and values in turn, then a null; a value may be null, and the list too.
typedef void (*shim_HTMLStart)(void *_Nullable context, const unsigned char *name, const unsigned char *_Nullable *_Nullable attributes);

typedef void (*shim_HTMLEnd)(void *_Nullable context, const unsigned char *name);

typedef void (*shim_HTMLText)(void *_Nullable context, const unsigned char *text, int count);

// What is used of the library.
typedef struct {
    __typeof__(&xmlInitParser) _Nullable prepare;
    __typeof__(&htmlNewParserCtxt) _Nullable make;
    __typeof__(&htmlCtxtReadIO) _Nullable read;
    __typeof__(&xmlFreeDoc) _Nullable release_document;
    __typeof__(&htmlFreeParserCtxt) _Nullable release;
} shim_HTMLLibrary;

// Loads the library for as long as the process lives; false when it is not installed. Not safe to call on two threads at once.
static inline bool shim_html_load(shim_HTMLLibrary *library) {
    void *handle = dlopen("libxml2.so.2", RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) {
        return false;
    }
    library->prepare = (__typeof__(library->prepare))dlsym(handle, "xmlInitParser");
    library->make = (__typeof__(library->make))dlsym(handle, "htmlNewParserCtxt");
    library->read = (__typeof__(library->read))dlsym(handle, "htmlCtxtReadIO");
    library->release_document = (__typeof__(library->release_document))dlsym(handle, "xmlFreeDoc");
    library->release = (__typeof__(library->release))dlsym(handle, "htmlFreeParserCtxt");
    if (library->prepare == NULL || library->make == NULL || library->read == NULL || library->release_document == NULL
        || library->release == NULL) {
        return false;
    }
    // It is not safe to call on two threads for the first time.
    library->prepare();
    return true;
}

// Parses a document in UTF-8; false when there is no memory. Nothing but the reader is read, and no tree is made.
static inline bool shim_html_parse(
    const shim_HTMLLibrary *library, void *context, shim_HTMLReader reader, shim_HTMLStart start, shim_HTMLEnd end, shim_HTMLText text, shim_HTMLText script) {
    htmlParserCtxtPtr parser = library->make();
    if (parser == NULL) {
        return false;
    }
    htmlSAXHandler events = {0};
    events.startElement = start;
    events.endElement = end;
    events.characters = text;
    events.ignorableWhitespace = text;
    events.cdataBlock = script;
    *parser->sax = events;
    parser->userData = context;
    // IGNORE_ENC: a meta element must not change the encoding. NODEFDTD: there is no document to add a type to.
    xmlDocPtr document = library->read(
        parser, reader, NULL, context, NULL, "UTF-8",
        HTML_PARSE_RECOVER | HTML_PARSE_NOERROR | HTML_PARSE_NOWARNING | HTML_PARSE_NONET | HTML_PARSE_NODEFDTD | HTML_PARSE_IGNORE_ENC);
    if (document != NULL) {
        library->release_document(document);
    }
    library->release(parser);
    return true;
}

#pragma clang assume_nonnull end

#endif
