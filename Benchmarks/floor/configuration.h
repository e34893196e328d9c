// The part of Deskgate's configuration file that the floor needs.
#ifndef FLOOR_CONFIGURATION_H
#define FLOOR_CONFIGURATION_H

#include "security_key.h"

#include <netinet/in.h>

struct configuration {
    struct sockaddr_in address;
    struct keyring keyring;
    // Where webhooks are kept, beside the file that `store.path` names; NULL where there is none.
    const char *journal;
};

// Reads `path`; secrets are read from files relative to it. False, after a line on standard error, when it cannot.
bool configuration_read(const char *path, struct configuration *configuration);

#endif
