extension ListenAddress {
    /// Checks whether a server could listen here, without listening: no client can connect during the check, and no Unix socket is changed.
    /// - Throws: the error that would prevent the server from starting. For Unix sockets only the length of the path is checked.
    package func probe() throws(ServerError) {
        try ListenSocket.probe(self)
    }
}
