// The part of Deskgate's configuration file that authorization needs.
#ifndef FLOOR_CONFIGURATION_H
#define FLOOR_CONFIGURATION_H

#include "security_key.h"

#include <netinet/in.h>

struct configuration {
    struct sockaddr_in address;
    struct keyring keyring;
};

// Reads `path`; secrets are read from files relative to it. False, after a line on standard error, when it cannot.
bool configuration_read(const char *path, struct configuration *configuration);

#endif
