@NullMarked
package keyfleet.providers;

import org.jspecify.annotations.NullMarked;
