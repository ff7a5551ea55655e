@NullMarked
package keyfleet.cli.doctor;

import org.jspecify.annotations.NullMarked;
