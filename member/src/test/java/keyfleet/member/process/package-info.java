@NullMarked
package keyfleet.member.process;

import org.jspecify.annotations.NullMarked;
