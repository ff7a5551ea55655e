@NullMarked
package keyfleet.cli.kek;

import org.jspecify.annotations.NullMarked;
