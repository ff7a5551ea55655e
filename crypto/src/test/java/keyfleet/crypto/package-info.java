@NullMarked
package keyfleet.crypto;

import org.jspecify.annotations.NullMarked;
