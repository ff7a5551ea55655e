@NullMarked
package keyfleet.keyring;

import org.jspecify.annotations.NullMarked;
