@NullMarked
package keyfleet.awskms;

import org.jspecify.annotations.NullMarked;
