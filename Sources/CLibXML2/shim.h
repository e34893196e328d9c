// libxml2's HTML parser as a stream of events; its structure of two dozen functions is filled here.
#ifndef DESKGATE_CLIBXML2_SHIM_H
#define DESKGATE_CLIBXML2_SHIM_H

#include <iconv.h>
#include <libxml/HTMLparser.h>
#include <stdbool.h>

#pragma clang assume_nonnull begin

// Writes at most so many bytes of the document; how many, or 0 at the end.
typedef int (*shim_HTMLReader)(void *_Nullable context, char *bytes, int count);

// An element begins. The attributes are names and values in turn, then a null; a value may be null, and the list too.
typedef void (*shim_HTMLStart)(void *_Nullable context, const unsigned char *name, const unsigned char *_Nullable *_Nullable attributes);

typedef void (*shim_HTMLEnd)(void *_Nullable context, const unsigned char *name);

typedef void (*shim_HTMLText)(void *_Nullable context, const unsigned char *text, int count);

// Parses a document in UTF-8; false when there is no memory. Nothing but the reader is read, and no tree is made.
static inline bool shim_html_parse(
    void *context, shim_HTMLReader reader, shim_HTMLStart start, shim_HTMLEnd end, shim_HTMLText text, shim_HTMLText script) {
    htmlParserCtxtPtr parser = htmlNewParserCtxt();
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
    xmlDocPtr document = htmlCtxtReadIO(
        parser, reader, NULL, context, NULL, "UTF-8",
        HTML_PARSE_RECOVER | HTML_PARSE_NOERROR | HTML_PARSE_NOWARNING | HTML_PARSE_NONET | HTML_PARSE_NODEFDTD | HTML_PARSE_IGNORE_ENC);
    if (document != NULL) {
        xmlFreeDoc(document);
    }
    htmlFreeParserCtxt(parser);
    return true;
}

#pragma clang assume_nonnull end

#endif
