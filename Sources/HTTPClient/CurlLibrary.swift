internal import CCurl

/// libcurl as a whole.
enum CurlLibrary {
    /// Prepares the library, once in a process and before the first client's thread (curl_global_init(3)).
    static let prepared: Void = {
        guard curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK else { fatalError("libcurl cannot be prepared") }
    }()
}
