extension ListenAddress {
    /// Finds out whether a server could listen here, without listening: nobody can connect meanwhile, and no Unix socket is touched.
    /// - Throws: what would keep the server from starting. Of Unix sockets only the length of the path is looked at.
    package func probe() throws(ServerError) {
        try ListenSocket.probe(self)
    }
}
