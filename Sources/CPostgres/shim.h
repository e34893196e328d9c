#ifndef DESKGATE_CPOSTGRES_SHIM_H
#define DESKGATE_CPOSTGRES_SHIM_H

#include <postgresql/libpq-fe.h>

// Swift sees no macro of a character: the fields of an error or notice, as PQresultErrorField takes them.
enum {
    DESKGATE_PG_SEVERITY = PG_DIAG_SEVERITY_NONLOCALIZED,
    DESKGATE_PG_SQLSTATE = PG_DIAG_SQLSTATE,
    DESKGATE_PG_MESSAGE = PG_DIAG_MESSAGE_PRIMARY,
    DESKGATE_PG_CONSTRAINT = PG_DIAG_CONSTRAINT_NAME,
    DESKGATE_PG_SOURCE_FUNCTION = PG_DIAG_SOURCE_FUNCTION,
};

#endif
