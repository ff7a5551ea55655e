@NullMarked
package keyfleet.cli.audit;

import org.jspecify.annotations.NullMarked;
