/// Tests the KMS plugin with Kubernetes' own code: the upstream API-server library, and a real
/// kube-apiserver with a real etcd.
///
/// Start reading at: [UpstreamConformanceTest], [EncryptedSecretsTest].
@NullMarked
package keyfleet.it.kube;

import org.jspecify.annotations.NullMarked;
