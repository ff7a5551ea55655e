@NullMarked
package keyfleet.cli.backup;

import org.jspecify.annotations.NullMarked;
