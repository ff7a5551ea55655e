/// Measurements. Each runs beside what it is measured against, in one run on one machine, and is
/// reported as a ratio: an absolute time says more about the machine than about the code.
@NullMarked
package keyfleet.bench;

import org.jspecify.annotations.NullMarked;
