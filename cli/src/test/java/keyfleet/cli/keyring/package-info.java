@NullMarked
package keyfleet.cli.keyring;

import org.jspecify.annotations.NullMarked;
