@NullMarked
package keyfleet.cli;

import org.jspecify.annotations.NullMarked;
