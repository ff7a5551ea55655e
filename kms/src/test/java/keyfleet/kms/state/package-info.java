@NullMarked
package keyfleet.kms.state;

import org.jspecify.annotations.NullMarked;
