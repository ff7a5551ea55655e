@NullMarked
package keyfleet.kms.grpc;

import org.jspecify.annotations.NullMarked;
