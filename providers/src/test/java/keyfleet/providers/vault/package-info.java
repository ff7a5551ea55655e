@NullMarked
package keyfleet.providers.vault;

import org.jspecify.annotations.NullMarked;
