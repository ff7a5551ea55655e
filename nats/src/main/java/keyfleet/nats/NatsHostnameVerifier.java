package keyfleet.nats;

import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.X509ExtendedTrustManager;

/// Also asks that the server's certificate be for the host that was called. The driver does not: to
/// it any certificate of a trusted authority is as good as another.
final class NatsHostnameVerifier extends X509ExtendedTrustManager {
  private final X509ExtendedTrustManager inner;

  NatsHostnameVerifier(X509ExtendedTrustManager inner) {
    this.inner = inner;
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String kind, Socket socket)
      throws CertificateException {
    if (!(socket instanceof SSLSocket secured)) {
      throw new CertificateException("whose certificate this is cannot be told");
    }
    SSLParameters parameters = secured.getSSLParameters();
    parameters.setEndpointIdentificationAlgorithm("HTTPS");
    secured.setSSLParameters(parameters);
    inner.checkServerTrusted(chain, kind, secured);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String kind, SSLEngine engine)
      throws CertificateException {
    throw new CertificateException("only sockets are checked");
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String kind) throws CertificateException {
    throw new CertificateException("whose certificate this is cannot be told");
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
