@NullMarked
package keyfleet.kms.localkek;

import org.jspecify.annotations.NullMarked;
