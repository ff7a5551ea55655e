@NullMarked
package keyfleet.otel;

import org.jspecify.annotations.NullMarked;
