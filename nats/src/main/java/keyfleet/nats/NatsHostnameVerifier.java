package keyfleet.nats;

import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.X509ExtendedTrustManager;

/// A trust manager that also checks that the server's certificate names the host of the URL. The
/// driver itself accepts any certificate of a trusted authority.
final class NatsHostnameVerifier extends X509ExtendedTrustManager {
  private final X509ExtendedTrustManager inner;

  NatsHostnameVerifier(X509ExtendedTrustManager inner) {
    this.inner = inner;
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String kind, Socket socket)
      throws CertificateException {
    if (!(socket instanceof SSLSocket secured)) {
      throw new CertificateException("the host of this certificate cannot be determined");
    }
    SSLParameters parameters = secured.getSSLParameters();
    parameters.setEndpointIdentificationAlgorithm("HTTPS");
    secured.setSSLParameters(parameters);
    inner.checkServerTrusted(chain, kind, secured);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String kind, SSLEngine engine)
      throws CertificateException {
    throw new CertificateException(
        "the host of this certificate cannot be checked without a socket");
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String kind) throws CertificateException {
    throw new CertificateException("the host of this certificate cannot be determined");
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String kind, Socket socket)
      throws CertificateException {
    inner.checkClientTrusted(chain, kind, socket);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String kind, SSLEngine engine)
      throws CertificateException {
    inner.checkClientTrusted(chain, kind, engine);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String kind) throws CertificateException {
    inner.checkClientTrusted(chain, kind);
  }

  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return inner.getAcceptedIssuers();
  }
}
