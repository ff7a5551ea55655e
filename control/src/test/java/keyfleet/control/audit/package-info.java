@NullMarked
package keyfleet.control.audit;

import org.jspecify.annotations.NullMarked;
