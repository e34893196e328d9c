"""Requests of which two servers could make different ones. In each, another request is hidden, which no proxy may let through unseen."""
from clients import Frames
from proxies import NAME

# No proxy passes this path on, so it reaches an upstream only inside another request.
REFUSED_PATH = "/hidden"
# A proxy that sees this request passes it on and logs it; Deskgate answers it 405.
SERVED_PATH = "/pyrus/authorize"
POST = f"POST /pyrus/authorize HTTP/1.1\r\nHost: {NAME}\r\n".encode()


def hidden_request(path):
    return f"GET {path} HTTP/1.1\r\nHost: {NAME}\r\nX-Hidden: 1\r\n\r\n".encode()


def chunk(data):
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


def length(count):
    return f"Content-Length: {count}\r\n".encode()


def http1(path):
    """The requests over HTTP/1.1, by what is wrong with them, each with a hidden one for this path."""
    hidden = hidden_request(path)
    size, end = length(len(hidden)), b"0\r\n\r\n"
    te = b"Transfer-Encoding: chunked\r\n"
    cl_te = length(len(end + hidden))
    found = {
        "CL.TE": POST + cl_te + te + b"\r\n" + end + hidden,
        "TE.CL": POST + te + length(4) + b"\r\n" + chunk(hidden) + end,
        "TE.CL, short": POST + length(4) + te + b"\r\n" + end + hidden,
        "two lengths": POST + length(0) + size + b"\r\n" + hidden,
        "two lengths, the other way": POST + size + length(0) + b"\r\n" + hidden,
        "a list of lengths": POST + f"Content-Length: 0, {len(hidden)}\r\n".encode() + b"\r\n" + hidden,
        "a signed length": POST + f"Content-Length: +{len(hidden)}\r\n".encode() + b"\r\n" + hidden,
        "a hexadecimal length": POST + b"Content-Length: 0x10\r\n\r\n" + hidden,
        "a negative length": POST + b"Content-Length: -1\r\n\r\n" + hidden,
        "a length with a space inside": POST + b"Content-Length: 1 0\r\n\r\n" + hidden,
        "a huge length": POST + b"Content-Length: 18446744073709551616\r\n\r\n" + hidden,
        "an empty length": POST + b"Content-Length: \r\n\r\n" + hidden,
        "a folded length": POST + b"Content-Length:\r\n 0\r\n" + size + b"\r\n" + hidden,
        "space before the colon": POST + b"Content-Length : 0\r\n" + size + b"\r\n" + hidden,
        "tab before the colon": POST + b"Content-Length\t: 0\r\n" + size + b"\r\n" + hidden,
        "space before the colon of chunks": POST + b"Transfer-Encoding : chunked\r\n" + cl_te + b"\r\n" + end + hidden,
        "space before the first name": POST[:-2] + b"\r\n " + te + cl_te + b"\r\n" + end + hidden,
        "a name with an underscore": POST + b"Content_Length: 0\r\n" + b"Transfer_Encoding: chunked\r\n" + size + b"\r\n" + hidden,
        "LF alone": (POST + size).replace(b"\r\n", b"\n") + b"\n" + hidden,
        "LF alone before a length": POST + b"X: a\nContent-Length: 0\r\n" + size + b"\r\n" + hidden,
        "CR alone before a length": POST + b"X: a\rContent-Length: 0\r\n" + size + b"\r\n" + hidden,
        "NUL before a length": POST + b"X: a\0\r\n" + size + b"\r\n" + hidden,
        "NUL LF before a length": POST + b"X: a\0\nContent-Length: 0\r\n" + size + b"\r\n" + hidden,
        "NUL in a name": POST + b"Transfer-Encoding\0: chunked\r\n" + cl_te + b"\r\n" + end + hidden,
        "CR CR LF": POST + b"Transfer-Encoding: chunked\r\r\n" + cl_te + b"\r\n" + end + hidden,
        "LF after the last chunk": POST + te + b"\r\n0\n\n" + hidden,
        "LF after a chunk": POST + te + b"\r\n4\nbody\n0\n\n" + hidden,
        "LF within a chunk": POST + te + b"\r\n" + chunk(b"x\n0\n\n" + hidden) + end,
        "an extension": POST + te + b"\r\n2;x=y\r\nxx\r\n0;a=\"\r\n\r\n" + hidden + b"\"\r\n\r\n",
        "an extension with LF": POST + te + b"\r\n2;\n" + chunk(b"xx\n0\n\n" + hidden) + end,
        "an extension of the last chunk with LF": POST + te + b"\r\n0;a\n\n" + hidden + b"\r\n\r\n0\r\n\r\n",
        "LF in a trailer": POST + te + b"\r\n0\r\nX: y\n\n" + hidden,
        "a length as a trailer": POST + te + b"\r\n0\r\n" + size + b"\r\n" + hidden,
        "a chunk's size with a sign": POST + te + b"\r\n+0\r\n\r\n" + hidden,
        "a chunk's size with 0x": POST + te + b"\r\n0x0\r\n\r\n" + hidden,
        "a chunk's size of 65 bits": POST + te + b"\r\n10000000000000000\r\n\r\n" + hidden,
        "a chunk that is longer than it says": POST + te + b"\r\n2\r\nxxxx\r\n0\r\n\r\n" + hidden,
        "HTTP/1.0 with chunks": (POST + te + cl_te + b"\r\n" + end + hidden).replace(b"HTTP/1.1", b"HTTP/1.0", 1),
        "HTTP/0.9": b"GET /pyrus/authorize\r\n" + hidden,
        "a body of GET": f"GET /pyrus/authorize HTTP/1.1\r\nHost: {NAME}\r\n".encode() + size + b"\r\n" + hidden,
        "an expectation": POST + b"Expect: 100-continue\r\n" + size + b"\r\n" + hidden,
        "an upgrade to HTTP/2": POST + b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAoAAA\r\n" + size + b"\r\n" + hidden,
        "an upgrade to WebSocket": f"GET /pyrus/authorize HTTP/1.1\r\nHost: {NAME}\r\n".encode()
        + b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 777\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n" + hidden,
        "a length that the connection forgets": POST + b"Connection: close, Content-Length\r\n" + size + b"\r\n" + hidden,
        "two hosts": POST + b"Host: 127.0.0.1\r\n" + size + b"\r\n" + hidden,
        "an escaped end of the line": f"POST /pyrus/webhook/x%0d%0a%0d%0aGET%20{path} HTTP/1.1\r\nHost: {NAME}\r\n".encode() + size + b"\r\n" + hidden,
        "a space in the path": f"POST /pyrus/webhook/x HTTP/1.1 GET {path} HTTP/1.1\r\nHost: {NAME}\r\n".encode() + size + b"\r\n" + hidden,
        "a method that is none": b"POST\x0b" + POST[5:] + size + b"\r\n" + hidden,
    }
    for name, value in {
        "xchunked": b"xchunked", "chunked in capitals": b"CHUNKED", "chunked twice": b"chunked, chunked", "identity": b"identity",
        "chunked, identity": b"chunked, identity", "identity, chunked": b"identity, chunked", "a tab": b"\tchunked", "a vertical tab": b"\x0bchunked",
        "quotes": b"\"chunked\"", "a parameter": b"chunked;q=1", "a comma": b",chunked", "gzip": b"gzip, chunked", "a high byte": b"chunked\xa0",
        "a fold": b"\r\n chunked",
    }.items():
        line = b"Transfer-Encoding: " + value + b"\r\n"
        found[f"TE.TE {name}"] = POST + line + cl_te + b"\r\n" + end + hidden
        found[f"TE.TE {name}, no length"] = POST + line + b"\r\n" + end + hidden
        found[f"TE.TE {name}, another"] = POST + te + line + b"\r\n" + end + hidden
    return found


def http2(hidden_path):
    """The requests over HTTP/2, whose fields must not become lines of HTTP/1.1, each with a hidden one for this path."""
    hidden = hidden_request(hidden_path)
    path, text = "/pyrus/authorize", hidden.decode()
    start = [(":method", "POST"), (":scheme", "https"), (":authority", NAME), (":path", path)]

    def changed(name, value):
        return [(field, value if field == name else former) for field, former in start]

    return {
        "H2.CL": Frames.post(start + [("content-length", "0")], hidden),
        "H2.CL, two": Frames.post(start + [("content-length", "0"), ("content-length", str(len(hidden)))], hidden),
        "H2.TE": Frames.post(start + [("transfer-encoding", "chunked")], b"0\r\n\r\n" + hidden),
        "H2.TE by the connection": Frames.post(start + [("connection", "transfer-encoding"), ("transfer-encoding", "chunked")], b"0\r\n\r\n" + hidden),
        "a line in a value": Frames.post(start + [("x", f"y\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n{text}")], b"x"),
        "LF in a value": Frames.post(start + [("x", f"y\n\n{text}")]),
        "a line in a name": Frames.post(start + [(f"x: y\r\n\r\n{text}z", "v")]),
        "a colon in a name": Frames.post(start + [("transfer-encoding: chunked\r\nx", "v")], b"0\r\n\r\n" + hidden),
        "a capital in a name": Frames.post(start + [("Transfer-Encoding", "chunked")], b"0\r\n\r\n" + hidden),
        "a space in a name": Frames.post(start + [("transfer-encoding ", "chunked")], b"0\r\n\r\n" + hidden),
        "an underscore in a name": Frames.post(start + [("transfer_encoding", "chunked"), ("content_length", "0")], hidden),
        "a line in the path": Frames.post(changed(":path", f"{path} HTTP/1.1\r\nHost: x\r\n\r\n{text}")),
        "a space in the path": Frames.post(changed(":path", f"{path} HTTP/1.1 x")),
        "a line in the method": Frames.post(changed(":method", f"GET {hidden_path} HTTP/1.1\r\nX-Hidden: 1\r\nHost: x\r\n\r\nPOST")),
        "a space in the method": Frames.post(changed(":method", f"GET {hidden_path}")),
        "a line in the authority": Frames.post(changed(":authority", f"x\r\n\r\n{text}")),
        "a line in the scheme": Frames.post(changed(":scheme", f"http://x/ HTTP/1.1\r\n\r\n{text}")),
        "a host of its own": Frames.post(start + [("host", f"x\r\n\r\n{text}")]),
        "two paths": Frames.post(start + [(":path", hidden_path)]),
    }
