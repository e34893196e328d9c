"""Ports that nobody else gets while the test runs, for programs that must know their port before they listen."""
import errno
import socket

# Each socket is bound and never listens. The kernel gives its port to nobody, connections to it are refused, and only a program that sets
# SO_REUSEADDR can listen there, again and again.
holders = []


def hold(port=0):
    """Holds a port of 127.0.0.1, and the same one of ::1 where there is IPv6. Returns the port.

    Raises OSError when somebody has it.
    """
    taken = [bound(socket.AF_INET, "127.0.0.1", port)]
    port = taken[0].getsockname()[1]
    try:
        taken.append(bound(socket.AF_INET6, "::1", port))
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            taken[0].close()
            raise
    holders.extend(taken)
    return port


def bound(family, host, port):
    holder = socket.socket(family)
    try:
        holder.bind((host, port))
    except OSError:
        holder.close()
        raise
    # Only now: a socket that has the option before bind(2) can share the port with another one that has it.
    holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    return holder


def free_ports(count):
    """Holds so many ports in a row. Returns the first one."""
    while True:
        # The ports of an attempt that fails stay held, so the next attempt finds others.
        try:
            first = hold()
            for port in range(first + 1, first + count):
                hold(port)
            return first
        except OverflowError:
            continue
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise


def free_port():
    """Holds a port."""
    return free_ports(1)
