@NullMarked
package keyfleet.cli.secret;

import org.jspecify.annotations.NullMarked;
