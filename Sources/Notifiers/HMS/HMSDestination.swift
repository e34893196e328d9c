package import Core
package import Crypto

/// Where and how one app's messages reach Huawei's Push Kit.
package struct HMSDestination: Sendable {
    let appID: String
    let secret: SecretBytes
    let category: String?
    let url: String
    let tokenURL: String
    let style: PushStyle
    let timeoutMilliseconds: Int

    /// Makes a destination.
    /// - Parameters:
    ///   - appID: as AppGallery Connect shows it.
    ///   - secret: the app's secret, in UTF-8.
    ///   - category: what Huawei classifies the messages as (Huawei, "Message classification"); nil leaves that to Huawei.
    ///   - url: scheme, host and port; another one only for simulators and proxies.
    ///   - tokenURL: where access tokens come from, whole.
    ///   - timeoutMilliseconds: how long the requests of one try may take together; 1 at least.
    package init(
        appID: String, secret: SecretBytes, category: String? = "IM", url: String = "https://push-api.cloud.huawei.com",
        tokenURL: String = HuaweiTokenSource.tokenURL, style: PushStyle, timeoutMilliseconds: Int
    ) {
        self.appID = appID
        self.secret = secret
        self.category = category
        self.url = url
        self.tokenURL = tokenURL
        self.style = style
        self.timeoutMilliseconds = timeoutMilliseconds
    }
}
